//! What a person at the terminal is asked, and what their line means.

use serde_json::{Value, json};

/// A question with its answers.
pub struct Choice {
    /// What tells it from others.
    pub about: Value,
    /// What is said before.
    pub lines: Vec<String>,
    /// The words it takes, each with the request it makes; none where any words will do.
    answers: Vec<(String, (String, Value))>,
    /// Where words go.
    path: String,
    asks: &'static str,
}

impl Choice {
    /// May this plan of a room run? The steps were shown as it was written.
    pub fn approval(room: &str, plan: &Value, ask: &Value) -> Self {
        let shown = json!({ "revision": plan["revision"], "hash": plan["hash"] });
        let answers = vec![
            ("yes".to_owned(), (format!("{room}/plan/approve"), shown.clone())),
            ("no".to_owned(), (format!("{room}/plan/reject"), json!({}))),
        ];
        let asks = "Approve this plan?";
        let details = details(ask).filter(|(name, _)| name != "step");
        let lines = details.map(|(name, value)| format!("  {name}: {value}")).collect();
        Self { about: shown, lines, answers, path: String::new(), asks }
    }

    /// A question of the room or of one below it.
    pub fn question(ask: &Value) -> Self {
        let path = format!("/v1/asks/{}/answer", text(&ask["id"]));
        let details = details(ask).map(|(name, value)| format!("  {name}: {value}"));
        let lines = std::iter::once(format!("\n{}", text(&ask["text"]))).chain(details).collect();
        let answers = ask["answers"].as_array().into_iter().flatten().map(|answer| {
            let word = text(answer).replace("refuse_stop", "stop");
            (word, (path.clone(), json!({ "answer": answer })))
        });
        Self {
            about: ask["id"].clone(),
            lines,
            answers: answers.collect(),
            path: path.clone(),
            asks: "Your answer?",
        }
    }

    /// The question, at the end of which the answer is written.
    pub fn question_line(&self) -> String {
        let words: Vec<&str> = self.answers.iter().map(|(word, _)| word.as_str()).collect();
        let words =
            if words.is_empty() { String::new() } else { format!("{}; ", words.join(", ")) };
        format!("{} ({words}Enter leaves it waiting) ", self.asks)
    }

    /// The request that a line stands for, if that is plain: a word, or the beginning of one.
    pub fn request(&self, line: &str) -> Option<(String, Value)> {
        let line = line.trim();
        if self.answers.is_empty() {
            return Some((self.path.clone(), json!({ "answer": line })));
        }
        let line = line.to_lowercase();
        let exact = self.answers.iter().find(|(word, _)| *word == line);
        let mut begun = self.answers.iter().filter(|(word, _)| word.starts_with(&line));
        let meant = exact.or_else(|| begun.next().filter(|_| begun.next().is_none()));
        meant.map(|(_, request)| request.clone())
    }
}

/// What a question is about: the name and the value of each part.
fn details(ask: &Value) -> impl Iterator<Item = (String, String)> {
    let all = ask["detail"].as_array().into_iter().flatten();
    all.map(|one| (text(&one["name"]), text(&one["value"])))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_approves_and_only_a_plain_no_rejects() {
        let plan = json!({ "revision": 1, "hash": "ab" });
        let ask = json!({ "detail": [
            { "name": "vote", "value": "agent2 (b) won with 2 of 3 votes" },
            { "name": "dissent", "value": "agent1 (a) voted for agent1.1: mine" },
            { "name": "step", "value": "1. look" },
        ] });
        let choice = Choice::approval("/v1/rooms/r", &plan, &ask);
        let voted = "  vote: agent2 (b) won with 2 of 3 votes";
        assert_eq!(choice.lines, [voted, "  dissent: agent1 (a) voted for agent1.1: mine"]);
        let path = |line: &str| choice.request(line).map(|(path, _)| path);
        for yes in ["y\n", "YES\n"] {
            assert_eq!(path(yes).as_deref(), Some("/v1/rooms/r/plan/approve"), "{yes:?}");
            assert_eq!(choice.request(yes).unwrap().1, plan);
        }
        assert_eq!(path("n\n").as_deref(), Some("/v1/rooms/r/plan/reject"));
        for unclear in ["yep", "ok", "1"] {
            assert_eq!(path(unclear), None, "{unclear:?}");
        }
    }

    #[test]
    fn a_question_takes_its_answers_or_any_words_where_it_has_none() {
        let answers = ["once", "add", "refuse", "refuse_stop"];
        let ask = json!({ "id": "q", "text": "May it?", "answers": answers,
            "detail": [{ "name": "target", "value": "f1.txt" }] });
        let choice = Choice::question(&ask);
        assert_eq!(choice.lines, ["\nMay it?", "  target: f1.txt"]);
        assert!(choice.question_line().contains("(once, add, refuse, stop; Enter"));
        let answer = |line: &str| choice.request(line).map(|(_, body)| body["answer"].clone());
        assert_eq!(answer("o\n"), Some(json!("once")));
        assert_eq!(answer("stop\n"), Some(json!("refuse_stop")));
        assert_eq!(answer("allow\n"), None);
        let free = Choice::question(&json!({ "id": "q", "text": "Which?", "answers": [] }));
        let (path, body) = free.request(" the red one\n").unwrap();
        assert_eq!((path.as_str(), &body["answer"]), ("/v1/asks/q/answer", &json!("the red one")));
    }
}
