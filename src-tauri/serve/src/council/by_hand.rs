//! What a person does where nobody is asked: in the window, or with one request to the socket.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Where the requests go.
pub struct ByHand(PathBuf);

/// Why a council waits, and what lets it go on.
pub struct Waits {
    /// Why, in words.
    pub why: String,
    what: &'static str,
    requests: Vec<String>,
    /// What lets it go on after one of these, where they alone do not.
    then: Option<String>,
}

impl Waits {
    /// The ways on, one a line.
    pub fn how(&self, room: &str) -> Vec<String> {
        let Self { what, requests, then, .. } = self;
        let mut lines = vec![
            format!("{what} in the window: plancard plancard://room/{room}"),
            "Without a window, while `plancard serve` runs:".to_owned(),
        ];
        lines.extend(requests.iter().map(|request| format!("  {request}")));
        if let Some(then) = then {
            lines.push("Then resume it:".to_owned());
            lines.push(format!("  {then}"));
        }
        lines
    }
}

impl ByHand {
    /// For the engine of a data folder.
    pub fn of(data: &Path) -> Self {
        let data = std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
        Self(data.join("plancard.sock"))
    }

    /// A plan of a room waits for a yes.
    pub fn approval(&self, room: &str, plan: &Value) -> Waits {
        let approved = json!({ "revision": plan["revision"], "hash": plan["hash"] });
        let at = format!("/v1/rooms/{room}/plan");
        Waits {
            why: "The plan waits for your approval.".to_owned(),
            what: "Approve or reject it",
            requests: vec![
                self.request(&format!("{at}/approve"), &approved),
                self.request(&format!("{at}/reject"), &json!({ "reason": "…" })),
            ],
            then: None,
        }
    }

    /// A question waits for its answer; `stops` where the council stands still once this command
    /// has ended.
    pub fn question(&self, room: &str, ask: &Value, stops: bool) -> Waits {
        let at = format!("/v1/asks/{}/answer", ask["id"].as_str().unwrap_or_default());
        let answers = ask["answers"].as_array().map_or(&[][..], Vec::as_slice);
        let requests = match answers {
            [] => vec![self.request(&at, &json!({ "answer": "…" }))],
            all => all.iter().map(|one| self.request(&at, &json!({ "answer": one }))).collect(),
        };
        let why = ask["text"].as_str().unwrap_or_default().to_owned();
        let then = stops.then(|| self.resume_request(room));
        let what = if stops { "Answer it and resume" } else { "Answer it" };
        Waits { why, what, requests, then }
    }

    /// A council of a room is paused.
    pub fn resume(&self, room: &str, why: String) -> Waits {
        Waits { why, what: "Resume it", requests: vec![self.resume_request(room)], then: None }
    }

    fn resume_request(&self, room: &str) -> String {
        self.request(&format!("/v1/rooms/{room}/council/resume"), &Value::Null)
    }

    /// A plan of a room was sent back.
    pub fn words(&self, room: &str) -> Waits {
        let said = json!({ "text": "…" });
        Waits {
            why: "The plan was sent back and waits for a message of yours.".to_owned(),
            what: "Answer it",
            requests: vec![self.request(&format!("/v1/rooms/{room}/messages"), &said)],
            then: None,
        }
    }

    /// A line for a shell.
    fn request(&self, path: &str, body: &Value) -> String {
        let socket = quoted(&self.0.display().to_string());
        let sent = match body.is_null() {
            true => "-X POST".to_owned(),
            false => {
                format!("-H 'Content-Type: application/json' -d {}", quoted(&body.to_string()))
            }
        };
        format!("curl --unix-socket {socket} http://plancard{path} {sent}")
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_approved_with_what_was_shown_and_a_path_with_a_quote_stays_whole() {
        let plan = json!({ "revision": 2, "hash": "ab" });
        let how = ByHand::of(Path::new("/it's")).approval("r", &plan).how("r");
        assert_eq!(how[0], "Approve or reject it in the window: plancard plancard://room/r");
        let request = r"  curl --unix-socket '/it'\''s/plancard.sock' http://plancard/v1/rooms/r/plan/approve";
        assert!(how[2].starts_with(request), "{}", how[2]);
        assert!(how[2].contains(r#""revision":2"#) && how[2].contains(r#""hash":"ab""#));
    }
}
