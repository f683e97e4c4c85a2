//! Whether a council has ended or waits for a person, read from its room and the open questions.

use serde_json::Value;

/// How a council stands.
#[derive(Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its members, or the winner, are at work.
    GoesOn,
    /// Its plan is carried out, or its answer is shown.
    Done,
    Failed,
    Cancelled,
    /// The plan waits for approval, which this question asks for.
    Approval(Value),
    /// This question waits for an answer.
    Asks(Value),
    /// It is paused, for this reason.
    Paused(String),
    /// The plan was sent back and waits for words.
    SentBack,
}

/// Whether a council may stand otherwise after such an event.
pub fn may_stand(event: &str) -> bool {
    let known = ["council_ended", "council_paused", "ask_raised", "paused", "trouble", "sent_back"];
    known.contains(&event)
}

/// How a council of a room stands.
pub fn standing(room: &Value, asks: &Value, council: &str) -> Standing {
    let newest = &room["council"];
    let busy = room["busy"] == true;
    if newest["id"] != council {
        // Another one began, so this one is over.
        return Standing::Done;
    }
    let state = newest["state"].as_str().unwrap_or_default();
    // The winner's last words are heard before it is over.
    match state {
        "done" | "failed" | "cancelled" if busy => return Standing::GoesOn,
        "done" => return Standing::Done,
        "failed" => return Standing::Failed,
        "cancelled" => return Standing::Cancelled,
        _ => {}
    }
    let of_room = |ask: &&Value| ask["room_id"] == room["id"] || ask["parent"] == room["id"];
    if let Some(ask) = asks["items"].as_array().into_iter().flatten().find(of_room) {
        return match ask["kind"].as_str() {
            Some("approval") if ask["room_id"] == room["id"] => Standing::Approval(ask.clone()),
            _ => Standing::Asks(ask.clone()),
        };
    }
    if busy {
        return Standing::GoesOn;
    }
    let reason = newest["pause_reason"].as_str().unwrap_or_default();
    match state {
        // It resumes by itself.
        "paused" if reason == "quota" => Standing::GoesOn,
        "paused" => {
            let detail = newest["pause_detail"].as_str().map(|why| format!(": {why}"));
            Standing::Paused(format!("Paused ({reason}){}", detail.unwrap_or_default()))
        }
        "decided"
            if room["plan"]["state"] == "draft" && newest["plan_id"] == room["plan"]["id"] =>
        {
            Standing::SentBack
        }
        _ => Standing::GoesOn,
    }
}

/// The members whose turn it is, where nobody has ended it for them.
pub fn at_work(room: &Value) -> Vec<&str> {
    let council = &room["council"];
    let done = match council["state"].as_str() {
        Some("answering") => ["answered", "voted", "failed"],
        Some("voting") => ["voted", "voted", "failed"],
        _ => return council["winner"].as_str().into_iter().collect(),
    };
    let members = council["members"].as_array().into_iter().flatten();
    let at_work = members.filter(|member| !done.iter().any(|done| member["state"] == *done));
    at_work.filter_map(|member| member["id"].as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn stands(council: Value, busy: bool, asks: Value) -> Standing {
        let room = json!({ "id": "r", "busy": busy, "council": council });
        standing(&room, &json!({ "items": asks }), "c")
    }

    #[test]
    fn an_end_counts_once_the_winner_is_silent() {
        let done = || json!({ "id": "c", "state": "done" });
        assert_eq!(stands(done(), true, json!([])), Standing::GoesOn);
        assert_eq!(stands(done(), false, json!([])), Standing::Done);
    }

    #[test]
    fn a_question_of_the_room_or_its_sidekicks_waits_for_a_person_and_others_do_not() {
        let runs = || json!({ "id": "c", "state": "executing" });
        let ask = |room: &str, parent: &str, kind: &str| json!([{ "room_id": room, "parent": parent, "kind": kind, "text": "May I?" }]);
        for asked in [ask("r", "", "permission"), ask("x", "r", "permission")] {
            assert_eq!(stands(runs(), true, asked.clone()), Standing::Asks(asked[0].clone()));
        }
        assert_eq!(stands(runs(), true, ask("x", "y", "permission")), Standing::GoesOn);
        let approval = ask("r", "", "approval");
        assert_eq!(
            stands(runs(), false, approval.clone()),
            Standing::Approval(approval[0].clone())
        );
    }

    #[test]
    fn whoever_has_not_answered_or_voted_is_at_work() {
        let room = |state: &str| {
            json!({ "council": { "state": state, "winner": "agent2", "members": [
                { "id": "agent1", "state": "working" }, { "id": "agent2", "state": "answered" },
                { "id": "agent3", "state": "voted" }, { "id": "agent4", "state": "failed" },
            ] } })
        };
        assert_eq!(at_work(&room("answering")), ["agent1"]);
        assert_eq!(at_work(&room("voting")), ["agent1", "agent2"]);
        assert_eq!(at_work(&room("executing")), ["agent2"]);
    }

    #[test]
    fn a_pause_waits_unless_it_ends_by_itself() {
        let paused = |reason: &str| {
            let council = json!({
                "id": "c", "state": "paused", "pause_reason": reason, "pause_detail": "so far",
            });
            stands(council, false, json!([]))
        };
        assert_eq!(paused("cap"), Standing::Paused("Paused (cap): so far".to_owned()));
        assert_eq!(paused("quota"), Standing::GoesOn);
    }
}
