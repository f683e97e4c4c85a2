//! What a council says, for a person at a terminal or as one JSON object per line.

use super::by_hand::Waits;
use crate::events::Event;
use engine::Lines;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{Stdout, Write};

/// Where a council is shown.
pub struct Telling {
    out: Stdout,
    lines: Lines,
    /// One object per line, for programs.
    pub json: bool,
    /// What the steps of the plan are called, by their ids.
    names: HashMap<String, String>,
}

/// Events beside those of the council itself that are shown to programs.
const OF_PLANS: [&str; 14] = [
    "plan_written",
    "plan_revised",
    "approval_requested",
    "approved",
    "ask_raised",
    "ask_answered",
    "step_started",
    "step_done",
    "step_failed",
    "step_skipped",
    "paused",
    "resumed",
    "plan_done",
    "trouble",
];

impl Telling {
    pub fn new(out: Stdout, lines: Lines, json: bool) -> Self {
        Self { out, lines, json, names: HashMap::new() }
    }

    /// A line for a person.
    pub fn line(&mut self, words: &str) {
        let line = self.lines.clean(format!("{words}\n").as_bytes());
        self.write(&line);
    }

    /// Whoever started us may have closed the pipe; that is no reason to stop.
    fn write(&mut self, words: &str) {
        let _ = self.out.write_all(words.as_bytes());
        let _ = self.out.flush();
    }

    fn object(&mut self, value: &Value) {
        let line = format!("{value}\n");
        self.write(&line);
    }

    /// A question at the end of what was said.
    pub fn ask(&mut self, words: &str) {
        self.write(words);
    }

    /// What is known before it begins.
    pub fn before(&mut self, room: &str, preview: &Value) {
        if self.json {
            return self.object(&json!({ "type": "room", "room_id": room, "preview": preview }));
        }
        self.line(&format!("Room {room}"));
        let shared: Vec<&str> = texts(&preview["shared_models"]).collect();
        if !shared.is_empty() {
            let shared = shared.join(", ");
            self.line(&format!("Warning: members share a model ({shared}) and tend to agree."));
        }
        let (tokens, cost) = (preview["tokens"].as_u64().unwrap_or(0), &preview["cost_micros"]);
        let cost = match cost.as_u64() {
            Some(0) => "no cost".to_owned(),
            Some(micros) => format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000),
            None => "price unknown".to_owned(),
        };
        self.line(&format!("About {}k tokens, {cost}", tokens.div_ceil(1_000)));
    }

    /// Whether the council is needed to tell of such an event.
    pub fn wants_council(&self, event: &str) -> bool {
        !self.json && event == "council_decided"
    }

    /// Something happened; whether that was worth a word.
    pub fn event(&mut self, event: &Event, council: Option<&Value>) -> bool {
        if self.json {
            let known =
                event.name.starts_with("council_") || OF_PLANS.contains(&event.name.as_str());
            if known {
                self.object(&event.data);
            }
            return known;
        }
        if let Some(steps) = event.data["content"]["steps"].as_array() {
            let named = (1..).zip(steps);
            let named = named.map(|(number, step)| {
                (text(step, "id").to_owned(), format!("{number} ({})", text(step, "text")))
            });
            self.names = named.collect();
        }
        let lines = in_words(event, council, &self.names);
        lines.iter().for_each(|line| self.line(line));
        !lines.is_empty()
    }

    /// It could not begin, or could not be followed to its end.
    pub fn failed(&mut self, why: &str) {
        let error = self.lines.clean(why.as_bytes());
        self.object(&json!({ "type": "result", "exit_code": 1, "error": error }));
    }

    /// How it ended, or what it waits for.
    pub fn end(
        &mut self,
        code: u8,
        waits: Option<&Waits>,
        room: &Value,
        council: &Value,
        last: &Value,
    ) {
        if self.json {
            return self.object(&json!({
                "type": "result", "exit_code": code, "state": council["state"], "waits_for": waits.map(|waits| &waits.why),
                "council": council, "plan": room["plan"],
            }));
        }
        match (code, waits) {
            (_, Some(waits)) => {
                self.line(&format!("\n{}", waits.why));
                waits.how(text(room, "id")).iter().for_each(|line| self.line(line));
            }
            (0, None) => {
                let shown = winning_answer(council).filter(|_| council["plan_id"].is_null());
                match shown {
                    Some(answer) => self.line(&format!("\nThe answer:\n{}", indented(answer))),
                    None if last["role"] == "agent" && !text(last, "text").trim().is_empty() => {
                        self.line(&format!("\n{}", text(last, "text").trim()));
                    }
                    None => {}
                }
                self.line("The council has ended.");
            }
            (_, None) => {
                let reason = text(council, "end_reason");
                let colon = if reason.is_empty() { "." } else { ": " };
                let state = if code == 3 { "Cancelled" } else { "Failed" };
                self.line(&format!("\n{state}{colon}{reason}"));
            }
        }
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn indented(text: &str) -> String {
    let lines = text.trim().lines().map(|line| format!("  {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

fn winning_answer(council: &Value) -> Option<&str> {
    let members = council["members"].as_array()?;
    let winner = members.iter().find(|member| member["id"] == council["winner"])?;
    winner["answers"].as_array()?.last()?["content"].as_str()
}

/// With the reason, where there is one.
fn with_reason(words: String, reason: &str) -> String {
    if reason.is_empty() { words } else { format!("{words}: {reason}") }
}

fn steps(list: &Value) -> Vec<String> {
    let steps = list.as_array().into_iter().flatten().enumerate();
    steps.flat_map(|(index, step)| step_lines(index + 1, step)).collect()
}

/// A step with what it touches, and how it is found to be done.
fn step_lines(number: usize, step: &Value) -> Vec<String> {
    let mut lines = vec![format!("  {number}. {}", text(step, "text"))];
    // An answer's steps come with words of their own.
    if step["details"].is_array() {
        lines.extend(texts(&step["details"]).map(|detail| format!("     {detail}")));
        return lines;
    }
    let touched = [text(step, "tool"), text(step, "target")].join(" ");
    if !touched.trim().is_empty() {
        lines.push(format!("     {}", touched.trim()));
    }
    let verify = &step["verify"];
    let check = match (verify.as_str(), text(verify, "file"), verify["contains"].as_str()) {
        (Some(command), _, _) => command.to_owned(),
        (None, "", _) => return lines,
        (None, file, None) => format!("{file} is there"),
        (None, file, Some(words)) => format!("{file} contains {words:?}"),
    };
    lines.push(format!("     check: {check}"));
    lines
}

/// An event for a person; nothing where it is not worth a line.
fn in_words(
    event: &Event,
    council: Option<&Value>,
    names: &HashMap<String, String>,
) -> Vec<String> {
    let data = &event.data;
    let step = names.get(text(data, "step")).map_or(text(data, "step"), String::as_str);
    let (member, reason) = (text(data, "member"), text(data, "reason"));
    let voter = if member == "person" { "You" } else { member };
    match event.name.as_str() {
        "council_started" => {
            let seats = data["members"].as_array().into_iter().flatten();
            let seats = seats.map(|seat| {
                format!(
                    "  {} is {} ({})",
                    text(seat, "id"),
                    text(seat, "agent"),
                    text(seat, "model")
                )
            });
            std::iter::once("Council:".to_owned()).chain(seats).collect()
        }
        "council_answered" => {
            let head = format!("\n{member} answered ({}):", text(data, "label"));
            let mut lines = vec![head, indented(text(data, "content"))];
            lines.extend(steps(&data["steps"]));
            lines
        }
        "council_voted" => {
            vec![with_reason(format!("{voter} voted for {}", text(data, "label")), reason)]
        }
        "council_vote_dropped" => {
            let why = text(data, "why");
            vec![format!("{member}'s vote for {} was dropped: {why}", text(data, "for"))]
        }
        "council_member_failed" => vec![with_reason(format!("{member} is out"), reason)],
        "council_member_retried" => vec![format!("{member} gets another chance")],
        "council_resumed" => vec!["Resumed.".to_owned()],
        "council_decided" => decided(data, council),
        "council_restarted" => vec![with_reason("\nAnother attempt".to_owned(), reason)],
        "plan_written" | "plan_revised" => {
            let mut lines = vec!["\nPlan:".to_owned()];
            lines.extend(steps(&data["content"]["steps"]));
            lines
        }
        "step_started" => vec![format!("Step {step} started")],
        "step_done" => vec![with_reason(format!("Step {step} done"), text(data, "result"))],
        "step_failed" => vec![with_reason(format!("Step {step} failed"), text(data, "error"))],
        "trouble" => vec![text(data, "text").to_owned()],
        _ => Vec::new(),
    }
}

fn decided(data: &Value, council: Option<&Value>) -> Vec<String> {
    let winner = text(data, "winner");
    let by = match text(data, "decided_by") {
        "timeout" => " (timeout)",
        "person" => " (your decision)",
        "last_member" => " (the last member left)",
        _ => "",
    };
    let Some(council) = council else { return vec![format!("\n{winner} wins{by}")] };
    let scores = council["tally"].as_array().into_iter().flatten();
    let votes = |score: &Value| score["votes"].as_u64().unwrap_or(0);
    let all: u64 = scores.clone().map(votes).sum();
    let own = scores.clone().find(|score| score["member"] == winner).map_or(0, votes);
    let members = council["members"].as_array().into_iter().flatten();
    let silent = |member: &&Value| member["state"] != "failed" && member["vote"].is_null();
    let out = if by.is_empty() { members.clone().filter(silent).count() } else { 0 };
    let early = match out {
        0 => String::new(),
        1 => ", decided early: 1 vote still out".to_owned(),
        out => format!(", decided early: {out} votes still out"),
    };
    let mut lines = vec![format!("\n{winner} wins with {own} of {all} votes{early}{by}")];
    for member in members.filter(|member| member["vote"]["for"].is_string()) {
        let vote = &member["vote"];
        if vote["for"] != winner {
            let words = format!("  Dissent: {} for {}", text(member, "id"), text(vote, "label"));
            lines.push(with_reason(words, text(vote, "reason")));
        }
    }
    lines
}
