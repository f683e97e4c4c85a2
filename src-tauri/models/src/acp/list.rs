//! An agent's own list of things to do, as calls of the `plan` tool.
//!
//! A list may grow entry by entry, so it is held until the agent begins to work on it. Then it
//! writes the plan. Later an entry that is completed ends its step, and one that is new is
//! added, which a person may have to approve.

use serde_json::{Value, json};

use super::entry::{Entry, Status, id};
use crate::Message;

/// The list, and what of it is in the plan.
#[derive(Debug, Default)]
pub(super) struct List {
    /// What the plan was last told, in the order of its steps' ids.
    planned: Vec<Entry>,
    /// The list as it was last sent.
    sent: Vec<Entry>,
}

impl List {
    /// The list behind the last plan of a conversation, for an agent that was started anew.
    pub(super) fn of(messages: &[Message]) -> Self {
        let mut list = Self::default();
        for message in messages {
            let Message::Assistant { calls, .. } = message else { continue };
            for call in calls.iter().filter(|call| call.name == "plan") {
                let args: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
                list.replay(&args);
            }
        }
        list
    }

    fn replay(&mut self, args: &Value) {
        let text = |step: &Value| step["text"].as_str().or(step.as_str()).map(Entry::of);
        match args["action"].as_str() {
            Some("write") => {
                self.planned =
                    args["steps"].as_array().into_iter().flatten().filter_map(text).collect();
            }
            Some("revise") => {
                let edits = args["edits"].as_array().into_iter().flatten();
                self.planned.extend(edits.filter_map(|edit| text(&edit["new"])));
            }
            Some("step_done") => {
                let ended = |number: &usize| args["step"] == id(*number);
                let number = (1..=self.planned.len()).find(ended);
                if let Some(entry) = number.and_then(|number| self.planned.get_mut(number - 1)) {
                    entry.status = Status::Done;
                }
            }
            Some(_) | None => {}
        }
    }

    /// Forgets the plan: the next list writes one again.
    pub(super) fn forget(&mut self) {
        self.planned.clear();
        self.sent.clear();
    }

    /// Takes a list that the agent sent; whether it is at work on it.
    pub(super) fn take(&mut self, entries: &Value) -> bool {
        self.sent = entries.as_array().into_iter().flatten().filter_map(Entry::read).collect();
        let begun = |entry: &Entry| match entry.status {
            Status::Done => self.place(entry).is_none_or(|at| !self.is_done(at)),
            Status::Begun => self.is_over(),
            Status::Open => false,
        };
        self.sent.iter().any(begun)
    }

    /// What the `plan` tool has to be told, in order.
    pub(super) fn news(&mut self, goal: &str) -> Vec<Value> {
        let sent = std::mem::take(&mut self.sent);
        let mut calls = Vec::new();
        if self.is_over() {
            if sent.iter().all(|entry| entry.status == Status::Done) {
                return calls;
            }
            let steps = sent.iter().enumerate().map(|(at, entry)| entry.step(at + 1));
            let steps: Vec<Value> = steps.collect();
            calls.push(json!({ "action": "write", "goal": goal, "steps": steps }));
            self.planned = sent.iter().map(|entry| Entry::of(&entry.text)).collect();
        }
        let mut edits = Vec::new();
        for entry in &sent {
            if self.place(entry).is_none() {
                let after = id(self.planned.len());
                self.planned.push(Entry::of(&entry.text));
                let new = entry.step(self.planned.len());
                edits.push(json!({ "op": "add", "after": after, "new": new }));
            }
        }
        if !edits.is_empty() {
            let reason = "the agent's list has grown";
            calls.push(json!({ "action": "revise", "edits": edits, "reason": reason }));
        }
        for entry in sent.iter().filter(|entry| entry.status == Status::Done) {
            if let Some(at) = self.place(entry).filter(|at| !self.is_done(*at)) {
                self.planned[at].status = Status::Done;
                let step = id(at + 1);
                calls.push(json!({ "action": "step_done", "step": step, "result": "done" }));
            }
        }
        calls
    }

    fn place(&self, entry: &Entry) -> Option<usize> {
        self.planned.iter().position(|known| known.text == entry.text)
    }

    fn is_done(&self, at: usize) -> bool {
        self.planned[at].status == Status::Done
    }

    /// Whether there is no plan, or nothing left to do in it.
    fn is_over(&self) -> bool {
        self.planned.iter().all(|entry| entry.status == Status::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallRequest;

    const NOTE: &str = "note [write_file a.txt]";

    fn list(of: &[(&str, &str)]) -> Value {
        of.iter().map(|(content, status)| json!({ "content": content, "status": status })).collect()
    }

    fn note() -> Value {
        json!({ "id": "s2", "text": "note", "tool": "write_file", "target": "a.txt" })
    }

    fn write() -> Value {
        let steps = json!([{ "id": "s1", "text": "look" }, note()]);
        json!({ "action": "write", "goal": "tidy up", "steps": steps })
    }

    fn done(step: &str) -> Value {
        json!({ "action": "step_done", "step": step, "result": "done" })
    }

    #[test]
    fn a_list_is_the_plan_once_work_on_it_begins_and_what_is_completed_ends_a_step() {
        let mut known = List::default();
        assert!(!known.take(&list(&[("look", "pending")])), "it may still grow");
        assert!(!known.take(&list(&[("look", "pending"), (NOTE, "pending")])));
        assert!(known.take(&list(&[("look", "in_progress"), (NOTE, "pending")])));
        assert_eq!(known.news("tidy up"), [write()]);
        assert_eq!(known.news("tidy up"), [] as [Value; 0], "it is told once");
        assert!(!known.take(&list(&[("look", "in_progress"), (NOTE, "pending")])));
        assert!(known.take(&list(&[("look", "completed"), (NOTE, "in_progress")])));
        assert_eq!(known.news(""), [done("s1")]);
        assert!(known.take(&list(&[("look", "completed"), (NOTE, "completed")])));
        assert_eq!(known.news(""), [done("s2")]);
        assert!(!known.take(&list(&[("look", "completed"), (NOTE, "completed")])));
        assert!(known.take(&list(&[("more", "in_progress")])));
        assert_eq!(known.news("")[0]["action"], "write", "a new plan");
    }

    #[test]
    fn what_comes_later_is_added_for_a_person_to_see() {
        let mut known = List::default();
        known.take(&list(&[("look", "pending")]));
        known.news("g");
        known.take(&list(&[("look", "completed"), (NOTE, "pending")]));
        let edit = json!({ "op": "add", "after": "s1", "new": note() });
        let reason = "the agent's list has grown";
        let revise = json!({ "action": "revise", "edits": [edit], "reason": reason });
        assert_eq!(known.news("g"), [revise, done("s1")]);
    }

    #[test]
    fn a_list_is_found_again_in_the_conversation() {
        let call = |args: Value| CallRequest::new("1", "plan", args.to_string());
        let calls = vec![call(write()), call(done("s1"))];
        let turn = Message::Assistant { text: String::new(), calls, kept: None };
        let mut known = List::of(&[turn]);
        known.take(&list(&[("look", "completed"), (NOTE, "completed")]));
        assert_eq!(known.news(""), [done("s2")]);
    }
}
