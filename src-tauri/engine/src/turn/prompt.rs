//! What the model is told about its work. The words are in `prompts.md`.

use super::offer::Stage;
use crate::config::{AgentConfig, Config};
use models::{Profile, Protocol};
use plan::{Phase, Room, RoomKind};
use std::sync::Arc;

const PROMPTS: &str = include_str!("prompts.md");

/// One part of the prompts, by its heading.
pub(crate) fn part(name: &str) -> &'static str {
    let found = PROMPTS.split("\n## ").find_map(|part| {
        let (heading, text) = part.split_once('\n')?;
        (heading == name).then(|| text.trim())
    });
    found.unwrap_or_default()
}

/// Whether a text stands in an example for one of the model's own.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('<') && text.ends_with('>') && PROMPTS.contains(&format!("\"{text}\""))
}

/// What the planning model is told of its part; nothing while nobody plans.
pub(crate) fn note(room: &Room, config: &Config, profile: &Profile) -> Option<String> {
    let now = room.planning.as_ref()?.must_decide_next();
    if room.phase() == Some(Phase::Splitting) {
        let words = match (profile.simple, now) {
            (true, _) => "small, splitting",
            (false, true) => "split now",
            (false, false) => "splitting",
        };
        let most = config.caps.nodes.to_string();
        let words = part(words).replace("MOST", &most);
        let words = words.replace("WRITE", "plan with action=write, mode=graph and steps");
        return Some(format!("{words}{}", agents(config)));
    }
    let write = if profile.simple { "write_plan" } else { "plan (action write, or revise)" };
    let words = match (now, profile.simple) {
        (true, _) => "plan now",
        (false, true) => "small, planning",
        (false, false) => "planning",
    };
    Some(part(words).replace("WRITE", write))
}

/// What a small model is told each time: it forgets what it is to do, and to stop.
pub(crate) fn next(room: &Room) -> Option<String> {
    let repeat = &room.repeat;
    let looked = ["read_file", "search", "list_dir"].contains(&repeat.tool.as_str());
    match Stage::of(room) {
        Stage::Free | Stage::Looking if repeat.calls == 0 => None,
        Stage::Free | Stage::Looking if repeat.question && looked && !repeat.call.is_empty() => {
            Some(part("small, looked").to_owned())
        }
        Stage::Free | Stage::Looking => Some(part("small, next").to_owned()),
        Stage::Step { .. } => {
            let step = &room.active_plan()?.current()?.spec.text;
            let words = if repeat.tried == 0 { "small, do" } else { "small, done" };
            Some(part(words).replace("STEP", step))
        }
        Stage::MustPlan
        | Stage::Following
        | Stage::Joining
        | Stage::Task { .. }
        | Stage::Member(_)
        | Stage::Review => None,
    }
}

/// Who there is to do steps, where that is more than one.
fn agents(config: &Config) -> String {
    if config.agents.len() < 2 {
        return String::new();
    }
    let line = |agent: &AgentConfig| {
        let of = |what: &str, list: &[String]| match list.is_empty() {
            true => String::new(),
            false => format!("; {what}: {}", list.join(", ")),
        };
        let (domains, can) = (of("domains", &agent.domains), of("can", &agent.capabilities));
        format!("\n- {}{domains}{can}", agent.name)
    };
    let lines: String = config.agents.iter().map(line).collect();
    format!("\nAgents (a domain's owner does its steps):{lines}")
}

/// The system prompt of a room; `council` where work in it is a council's.
pub(crate) fn system(
    room: &Room,
    protocol: Protocol,
    profile: &Profile,
    instructions: Option<&str>,
    council: bool,
) -> Arc<str> {
    let codename = match &room.kind {
        RoomKind::Sidekick { codename, .. } => Some(codename.as_str()),
        RoomKind::Chat | RoomKind::Member { .. } => None,
    };
    let scene = Scene {
        stage: Stage::of(room),
        simple: profile.simple,
        strict: room.insists(),
        council,
        sidekick: codename.is_some(),
        copy: room.copy.is_some(),
    };
    let mut texts: Vec<String> = scene
        .parts(protocol)
        .into_iter()
        .map(|name| part(name).replace("NAME", codename.unwrap_or("NAME")))
        .collect();
    texts.extend(instructions.map(str::to_owned));
    texts.join("\n\n").into()
}

/// What the instructions of a room depend on.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) stage: Stage,
    pub(crate) simple: bool,
    pub(crate) strict: bool,
    pub(crate) council: bool,
    pub(crate) sidekick: bool,
    pub(crate) copy: bool,
}

impl Scene {
    /// The parts that are sent, by their headings.
    pub(crate) fn parts(self, protocol: Protocol) -> Vec<&'static str> {
        let Self { stage, simple, strict, council, sidekick, copy } = self;
        let mut parts = match protocol {
            Protocol::Acp => vec!["external agent"],
            Protocol::OpenAiChat
            | Protocol::OpenAiResponses
            | Protocol::Anthropic
            | Protocol::Gemini
            | Protocol::Rehearsal => match (simple, stage) {
                (true, Stage::Step { .. }) => vec!["small, step"],
                (true, Stage::Following | Stage::Joining) => vec!["small, following"],
                (true, Stage::Task { .. }) => vec!["small, task"],
                (_, Stage::Member(_)) => vec!["member"],
                (_, Stage::Review) => vec!["reviewer"],
                (true, Stage::Free | Stage::Looking | Stage::MustPlan) => vec!["small"],
                (
                    false,
                    Stage::Free
                    | Stage::Looking
                    | Stage::MustPlan
                    | Stage::Step { .. }
                    | Stage::Following
                    | Stage::Joining
                    | Stage::Task { .. },
                ) => vec!["agent"],
            },
        };
        let talks = matches!(stage, Stage::Member(_) | Stage::Review);
        if strict && !talks {
            match (protocol, simple) {
                (Protocol::Acp, _) => parts.push("external agent, strict"),
                (_, false) => parts.push("agent, strict"),
                (_, true) if stage == Stage::Looking => parts.push("small, strict"),
                (_, true) => {}
            }
        }
        if council && stage.is_before_work() {
            parts.push("council");
        }
        if sidekick && !parts.contains(&"small, task") {
            parts.push("sidekick");
        }
        if copy && protocol == Protocol::Acp {
            parts.push("copy");
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_there_and_leaves_no_word_to_fill_in() {
        let headings = PROMPTS.lines().filter(|line| line.starts_with("## ")).count();
        let room = Room::default();
        for (protocol, simple) in
            [(Protocol::OpenAiChat, false), (Protocol::OpenAiChat, true), (Protocol::Acp, false)]
        {
            let profile = Profile { simple, ..Profile::default() };
            let words = system(&room, protocol, &profile, Some("Be kind."), false);
            assert!(words.len() > 200 && words.ends_with("\n\nBe kind."), "{words}");
            assert!(!words.contains("NAME"), "{words}");
        }
        let parts: Vec<&str> = PROMPTS
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .filter(|name| part(name).len() > 20)
            .collect();
        assert_eq!(parts.len(), headings, "{parts:?}");
    }
}
