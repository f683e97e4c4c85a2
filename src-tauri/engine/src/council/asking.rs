//! What a member is told: the task, what the others answered, and what it may do now. Answers stand
//! between marks that nobody could have written into them.

use super::driving;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::{Blobs, whole};
use crate::live::{JournalBlobs, LiveRoom};
use crate::turn;
use plan::council::answer_tools;
use plan::{Command, Council, Number, Question, Room, Sensitivity, Text, member_name};
use std::sync::Arc;

/// How much of what the winner has seen and said is handed to it, in characters.
const CONTEXT_CHARS: usize = 40_000;

/// Tells a member what it was asked.
pub(super) fn tell(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    number: Number,
) -> Result<(), EngineError> {
    let Some(member) = driving::member(engine, live, number) else { return Ok(()) };
    let (council, asked, first) = {
        let inner = live.lock();
        let Some(council) = inner.room.active_council() else { return Ok(()) };
        let Some(asked) = council.seat(number).and_then(|seat| seat.asked.clone()) else {
            return Ok(());
        };
        let own = member.lock();
        if is_ending(&own.room, council, number) {
            return Ok(());
        }
        let first = own.room.member.as_ref().is_none_or(|member| member.told() == 0);
        (council.clone(), asked, first)
    };
    let heard = member.lock().room.member.as_ref().map_or(0, |member| member.words);
    let words = question(engine, &council, number, &asked, first, heard);
    let (text, blob) = Text::split(words);
    let Question { turn, may_look, words, last_word, .. } = asked;
    let command = Command::TellMember { turn, text, may_look, words, last_word };
    turn::submit(engine, &member, command, blob.into_iter().collect()).map(drop)
}

/// Whether a member still has to hear that the council has its answer or vote. What is told before
/// would end with that turn.
fn is_ending(own: &Room, council: &Council, number: Number) -> bool {
    let heard = own.member.as_ref().map_or(0, |member| member.heard);
    let ended = council.seat(number).is_some_and(|seat| heard > 0 && seat.ended >= heard);
    ended && own.calls.iter().any(|call| answer_tools(&call.request.tool))
}

fn question(
    engine: &Engine,
    council: &Council,
    number: Number,
    asked: &Question,
    first: bool,
    heard: u32,
) -> String {
    let blobs = JournalBlobs(&*engine.shared.journal);
    let config = engine.shared.config.current();
    let mut parts: Vec<String> = Vec::new();
    if first {
        let others = council.seats.len();
        parts.push(format!(
            "You are {} in a council of {others}. The task is:",
            member_name(number)
        ));
        parts.extend(council.earlier.last().map(|last| {
            let last_words = format!(
                "Reason: {}\nInstructions: {}\nResults of the steps:\n{}",
                last.reason, last.instructions, last.result
            );
            let mark = format!("{} attempt {}", council.id, council.attempt());
            format!(
                "This is another attempt. The winner of the last one wasn't satisfied:\n{}",
                fenced(&mark, &last_words)
            )
        }));
        parts.push(fenced(&format!("{} task", council.id), &whole(&council.task, &blobs)));
        parts.extend(config.config.orchestrator.planning_mode_instruction.clone());
    }
    let place = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
    let words = council.words.iter().take(place(asked.words)).skip(place(heard));
    let has_words = asked.mid && words.len() > 0;
    parts.extend(words.map(|text| format!("The person says: {}", whole(text, &blobs))));
    if !asked.shows.is_empty() {
        let intro = match asked.mid && !asked.last_word && !has_words {
            true => "News: there are new answers. These are all newest ones:",
            false => "These are the newest answers of all members:",
        };
        parts.push(intro.to_owned());
    }
    for (other, nth) in &asked.shows {
        let answer = council.seat(*other).and_then(|seat| seat.answers.get(*nth as usize - 1));
        let Some(answer) = answer else { continue };
        let own = if *other == number { ", which is you" } else { "" };
        let label = Council::label(*other, *nth);
        let steps = super::answer_files::steps_of(&answer.plan);
        let text = format!("{}\n\nSteps:\n{steps}", whole(&answer.content, &blobs));
        parts.push(format!("{label} by {}{own}:\n{}", member_name(*other), fenced(&label, &text)));
    }
    parts.push(what_now(council, asked));
    parts.join("\n\n")
}

fn what_now(council: &Council, asked: &Question) -> String {
    if asked.last_word {
        return "You won the vote, which is over: what you were asked before counts no more. Write \
                one plan from all answers, the best of each, and give it with new_answer and its \
                steps."
            .to_owned();
    }
    let look = match (asked.may_look, asked.mid) {
        (false, _) => "Your time is running out: you can't look around any more. ",
        (true, false) => "Look around first where that helps. ",
        (true, true) => "",
    };
    let end = match (asked.may_answer, asked.may_vote) {
        (true, true) => "Then vote for the best answer, or give a better one with new_answer.",
        (true, false) => "Then give your answer with new_answer. Nobody votes yet.",
        (false, _) => "You may give no more answers: vote for the best one.",
    };
    let how = match (asked.may_vote, council.rules.voting_sensitivity) {
        (false, _) => String::new(),
        (true, Sensitivity::Lenient) => turn::prompt_part("voting, lenient").to_owned(),
        (true, Sensitivity::Balanced) => turn::prompt_part("voting, balanced").to_owned(),
        (true, Sensitivity::Strict) => turn::prompt_part("voting, strict").to_owned(),
    };
    format!("{look}{end} {how}").trim().to_owned()
}

/// A text between marks that are made from it, so that it can't hold them itself.
pub(crate) fn fenced(name: &str, text: &str) -> String {
    let mark = &blake3::hash(format!("{name}\n{text}").as_bytes()).to_hex()[..12];
    format!("[begin {mark}]\n{text}\n[end {mark}]")
}

/// What the winner is told in the council's room: how the vote went, and what it knew as a member.
pub(super) async fn handed_over(
    engine: &Engine,
    live: &Arc<LiveRoom>,
) -> Result<(Text, Option<(String, Vec<u8>)>), EngineError> {
    let (council, number) = {
        let inner = live.lock();
        let Some(council) = inner.room.active_council().cloned() else {
            return Ok((Text::Inline(String::new()), None));
        };
        let number = council.winner.map_or(1, |(winner, _)| winner);
        (council, number)
    };
    let seen = match driving::member(engine, live, number) {
        Some(member) => crate::sidekicks::member_context(engine, &member, CONTEXT_CHARS).await?,
        None => String::new(),
    };
    let answer = council.seat(number).and_then(|seat| seat.answers.last());
    let blobs: &dyn Blobs = &JournalBlobs(&*engine.shared.journal);
    let answer = answer.map(|answer| whole(&answer.content, blobs)).unwrap_or_default();
    let text = format!(
        "Plan harness: a council of {} talked about this task, and your answer won. It is the plan \
         of this room now. Carry it out step by step once it runs.\n\nYour answer:\n{answer}\n\nWhat \
         you saw and said as a member:\n{seen}",
        council.seats.len()
    );
    Ok(Text::split(text))
}
