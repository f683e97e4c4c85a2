//! The tools of a council: an answer, a vote, and what the winner says of its work.

use super::starting::StartCouncil;
use super::{START, answer_files};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::whole;
use crate::live::{JournalBlobs, LiveRoom};
use crate::turn;
use plan::council::{ANSWER, RESTART, SUBMIT, VOTE, overlap};
use plan::{
    ANSWER_BYTES, Actor, AskId, CallId, Command, Draft, DraftStep, Event, NewAnswer, NewAttempt,
    Number, Outcome, PlanId, Refusal, RoomId, Text,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Whether a tool is one of a council.
pub(crate) fn is_tool(tool: &str) -> bool {
    matches!(tool, ANSWER | VOTE | SUBMIT | RESTART | START)
}

/// A council's tool was called; the call ends here.
pub(crate) fn called(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    tool: &str,
    args: &Value,
) -> Result<(), EngineError> {
    let done = match tool {
        ANSWER => answer(engine, live, id, args),
        VOTE => vote(engine, live, id, args),
        SUBMIT => {
            let command = Command::SubmitCouncil { call: Some(id) };
            engine.submit_live(live, &agent(live), command, Vec::new()).map(drop)
        }
        RESTART => restart(engine, live, id, args),
        _ => start(engine, live, id, args),
    };
    match done {
        Ok(()) => Ok(()),
        Err(EngineError::Refused(Refusal::NoSuchCall)) => Ok(()),
        Err(EngineError::Refused(refusal)) => {
            let words = turn::refused(refusal.code(), &refusal.to_string());
            turn::end(engine, live, id, Outcome::Blocked, words)
        }
        Err(error @ (EngineError::BadCouncil(_) | EngineError::NoMember { .. })) => {
            let words = turn::refused("COUNCIL", &error.to_string());
            turn::end(engine, live, id, Outcome::Blocked, words)
        }
        Err(error) => Err(error),
    }
}

fn agent(live: &LiveRoom) -> Actor {
    Actor::agent(live.lock().room.speaker())
}

fn text<'a>(args: &'a Value, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default().trim()
}

/// Whether the council has heard the end of this turn before, and the program stopped before its
/// member was told.
fn is_heard(above: &LiveRoom, member: Number, heard: u32) -> bool {
    let inner = above.lock();
    let seat = inner.room.active_council().and_then(|council| council.seat(member));
    seat.is_some_and(|seat| heard > 0 && seat.ended >= heard)
}

/// The council's room, and the place of this room's member there with the last question its model
/// was told.
fn place(engine: &Engine, live: &LiveRoom) -> Result<(Arc<LiveRoom>, Number, u32), EngineError> {
    let (above, number, heard) = {
        let room = &live.lock().room;
        let member = room.member.as_ref().ok_or(Refusal::NoCouncil)?;
        let above = room.council_above().ok_or(Refusal::NoCouncil)?;
        (above, member.number, member.heard)
    };
    let above = engine.live(above)?;
    // A room from before a retry or another attempt no longer speaks for its seat.
    let sits = {
        let inner = above.lock();
        let seat = inner.room.active_council().and_then(|council| council.seat(number));
        seat.is_some_and(|seat| seat.who.room == live.id)
    };
    if !sits {
        return Err(Refusal::NotAsked.into());
    }
    Ok((above, number, heard))
}

fn answer(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    args: &Value,
) -> Result<(), EngineError> {
    let (above, member, heard) = place(engine, live)?;
    if is_heard(&above, member, heard) {
        return rest(engine, live, id, "The council has heard you.".to_owned());
    }
    let content = text(args, "content").to_owned();
    if content.len() > ANSWER_BYTES {
        return Err(Refusal::AnswerTooLong { most: ANSWER_BYTES }.into());
    }
    let task = {
        let inner = above.lock();
        let council = inner.room.active_council().ok_or(Refusal::NoCouncil)?;
        council.task.clone()
    };
    let task = whole(&task, &JournalBlobs(&*engine.shared.journal));
    let (draft, mut warnings) = match turn::read_answer(engine, live, &content, args, &task) {
        Ok(read) => read,
        Err(words) => {
            let words = turn::refused(plan::BAD_ARGUMENTS, &words);
            return turn::end(engine, live, id, Outcome::Failed, words);
        }
    };
    warnings.extend(unknown_models(engine, live, &draft));
    let like = most_like(engine, &above, &content);
    let (content, blob) = Text::split(engine.shared.redactor.clean(content));
    let new = NewAnswer { member, heard, content, draft, overlap: like };
    let command = Command::AnswerCouncil { new: Box::new(new) };
    // The log has the order of what is queued: the end of the turn never comes before this.
    let events = turn::submit(engine, &above, command, blob.into_iter().collect())?.events;
    if events.iter().any(|event| matches!(event, Event::CouncilNotNew { .. })) {
        let words = "this answer says what was said before, so it was not taken; vote for the best \
                     one with vote";
        return turn::end(engine, live, id, Outcome::Failed, turn::refused("NOT_NEW", words));
    }
    let label = events.iter().find_map(|event| {
        let Event::CouncilAnswered { label, .. } = event else { return None };
        Some(label.clone())
    });
    if let Some(label) = &label {
        answer_files::write(engine, &above, member, label, text(args, "content"));
    }
    let told = json!({ "label": label, "warnings": warnings }).to_string();
    rest(engine, live, id, told)
}

/// What is wrong with the models that steps name.
fn unknown_models(engine: &Engine, live: &LiveRoom, draft: &Draft) -> Vec<String> {
    let named = draft.steps.iter().filter_map(|step| match step {
        DraftStep::Full(step) => step.model.as_deref(),
        DraftStep::Words(_) => None,
    });
    named.filter_map(|name| Some(engine.named(live, name).err()?.to_string())).collect()
}

/// How much an answer is like the earlier one that is most like it.
fn most_like(engine: &Engine, above: &LiveRoom, content: &str) -> Option<u64> {
    let earlier: Vec<Text> = {
        let inner = above.lock();
        let council = inner.room.active_council()?;
        council.rules.answer_novelty_requirement.most_overlap()?;
        let answers = council.seats.iter().flat_map(|seat| &seat.answers);
        answers.map(|answer| answer.content.clone()).collect()
    };
    let blobs = JournalBlobs(&*engine.shared.journal);
    earlier.iter().map(|text| overlap(&whole(text, &blobs), content)).max()
}

fn vote(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    args: &Value,
) -> Result<(), EngineError> {
    let (above, member, heard) = place(engine, live)?;
    if is_heard(&above, member, heard) {
        return rest(engine, live, id, "The council has heard you.".to_owned());
    }
    let named = text(args, "agent_id");
    let Some((choice, label)) = chosen(named) else {
        let members = {
            let inner = above.lock();
            let council = inner.room.active_council().ok_or(Refusal::NoCouncil)?;
            let names = council.numbered().filter(|(_, seat)| seat.given() > 0);
            names.map(|(number, _)| plan::member_name(number)).collect::<Vec<_>>().join(", ")
        };
        return Err(match members.is_empty() {
            true => Refusal::AnswerFirst.into(),
            false => Refusal::NoSuchMember { named: named.to_owned(), members }.into(),
        });
    };
    let reason = engine.shared.redactor.clean(text(args, "reason").to_owned());
    let voter = Some((member, heard));
    let command = Command::VoteCouncil { voter, choice, label, reason };
    let events = turn::submit(engine, &above, command, Vec::new())?.events;
    let dropped = events.iter().any(|event| matches!(event, Event::CouncilVoteDropped { .. }));
    let told = match dropped {
        true => "Your vote did not count: a new answer had come in. You are asked again.",
        false => "Your vote is counted.",
    };
    rest(engine, live, id, told.to_owned())
}

/// The member that a vote names, and the answer where it names one: `agent2`, `2` or `agent2.1`.
pub(crate) fn chosen(named: &str) -> Option<(Number, Option<String>)> {
    let named = named.trim().to_lowercase();
    let rest = named.strip_prefix("agent").unwrap_or(&named).trim_start_matches(['_', ' ', '-']);
    let (number, answer) = match rest.split_once('.') {
        Some((number, answer)) => (number, Some(answer)),
        None => (rest, None),
    };
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_digit()) && !text.starts_with('0');
    let number: Number = number.parse().ok().filter(|_| plain(number))?;
    match answer {
        Some(answer) if !plain(answer) || answer.is_empty() => None,
        Some(answer) => Some((number, Some(format!("agent{number}.{answer}")))),
        None => Some((number, None)),
    }
}

/// The turn of a member is over.
fn rest(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: CallId,
    words: String,
) -> Result<(), EngineError> {
    let command = Command::EndMemberTurn { call, words };
    turn::submit(engine, live, command, Vec::new()).map(drop)
}

fn restart(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    args: &Value,
) -> Result<(), EngineError> {
    let members = {
        let inner = live.lock();
        inner.room.active_council().map_or(0, |council| council.seats.len())
    };
    let clean = |name: &str| engine.shared.redactor.clean(text(args, name).to_owned());
    let again = NewAttempt {
        reason: clean("reason"),
        instructions: clean("instructions"),
        rooms: (0..members).map(|_| RoomId(crate::fresh_id())).collect(),
        plan: PlanId(crate::fresh_id()),
        ask: AskId(crate::fresh_id()),
    };
    let command = Command::RestartCouncil { again: Box::new(again), call: Some(id) };
    engine.submit_live(live, &agent(live), command, Vec::new()).map(drop)
}

fn start(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    id: CallId,
    args: &Value,
) -> Result<(), EngineError> {
    let config = engine.shared.config.current();
    if !super::is_called_for(&config.config, &live.lock().room) {
        return Err(Refusal::NoCouncil.into());
    }
    let start = StartCouncil { task: text(args, "task").to_owned(), ..StartCouncil::default() };
    engine.begin_council(live.id, &agent(live), start, Some(id)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn a_vote_names_a_member_or_its_answer_and_nothing_else() {
        for named in ["agent2", "Agent2", "agent 2", "2", "agent_2"] {
            assert_eq!(chosen(named), Some((2, None)), "{named}");
        }
        assert_eq!(chosen("agent2.1"), Some((2, Some("agent2.1".to_owned()))));
        for named in
            ["", "agent", "me", "agent2x", "agent-1.x", "agent02", "claude", "agent2.", "+2"]
        {
            assert_eq!(chosen(named), None, "{named}");
        }
    }
}
