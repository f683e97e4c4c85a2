//! A council, with a plan that came from it or alone: every proposal, the votes and who was against it.

use crate::engine::Engine;
use crate::error::EngineError;
use plan::{
    CouncilAttemptView, CouncilDroppedView, CouncilMemberView, CouncilView, CouncilVoteView,
    DecidedBy, PlanView, RoomId,
};
use std::fmt::Write;

/// The council that a plan came from, with its answers as a whole.
pub fn council(engine: &Engine, plan: &PlanView) -> Result<Option<CouncilView>, EngineError> {
    let found = engine.with_room(plan.room_id, |room| {
        let is_its = |council: &plan::Council| {
            council.plan == plan.id || council.earlier.iter().any(|one| one.plan == plan.id)
        };
        let id = room.councils.iter().find(|council| is_its(council))?.id;
        plan::councils(room).into_iter().find(|council| council.id == id)
    })?;
    Ok(found.map(|council| engine.council_in_full(council)))
}

/// The plan as Markdown, with the council it came from.
pub fn with_council(plan: &PlanView, council: Option<&CouncilView>) -> String {
    let mut text = super::markdown(plan);
    if let Some(council) = council {
        text.push_str(&section(plan, council));
    }
    text
}

/// The plan as JSON, with the council it came from below `council`.
pub fn json(plan: &PlanView, council: Option<&CouncilView>) -> Result<String, serde_json::Error> {
    let mut value = serde_json::to_value(plan)?;
    if let Some(council) = council {
        value["council"] = serde_json::to_value(council)?;
    }
    serde_json::to_string_pretty(&value)
}

/// The newest council of a room, where no plan came from it.
pub fn without_plan(engine: &Engine, room: RoomId) -> Result<Option<CouncilView>, EngineError> {
    let found = engine.with_room(room, plan::council_view)?;
    let alone = found.filter(|council| council.plan_id.is_none());
    Ok(alone.map(|council| engine.council_in_full(council)))
}

/// A council as Markdown.
pub fn markdown(council: &CouncilView) -> String {
    let mut text = String::from("# Council\n\n");
    let _ = write!(text, "State: {}", council.state);
    if let Some(reason) = council.end_reason.as_deref().filter(|reason| !reason.is_empty()) {
        let _ = write!(text, ", {reason}");
    }
    text.push_str(".\n");
    for attempt in &council.earlier {
        write_attempt(&mut text, council, Some(attempt));
    }
    write_attempt(&mut text, council, None);
    text
}

/// What an attempt of a council left.
struct Held<'a> {
    members: &'a [CouncilMemberView],
    winner: Option<&'a str>,
    by: Option<DecidedBy>,
    person: Option<&'a CouncilVoteView>,
    dropped: &'a [CouncilDroppedView],
}

fn section(plan: &PlanView, council: &CouncilView) -> String {
    let earlier = council.earlier.iter().find(|attempt| attempt.plan_id == plan.id);
    let mut text = String::from("\n## Council\n");
    write_attempt(&mut text, council, earlier);
    text
}

/// An earlier attempt, or the newest one.
fn write_attempt(text: &mut String, council: &CouncilView, earlier: Option<&CouncilAttemptView>) {
    let held = match earlier {
        Some(attempt) => Held {
            members: &attempt.members,
            winner: attempt.winner.as_deref(),
            by: attempt.decided_by,
            person: attempt.person_vote.as_ref(),
            dropped: &attempt.dropped,
        },
        None => Held {
            members: &council.members,
            winner: council.winner.as_deref(),
            by: council.decided_by,
            person: council.person_vote.as_ref(),
            dropped: &council.dropped,
        },
    };
    let task = council.task.head().trim();
    let _ = writeln!(text, "\nTask: {task}\n");
    if let Some(winner) = held.winner {
        let (votes, by) = (votes_for(&held, winner), decided(held.by));
        let _ = writeln!(text, "{} won with {votes}, {by}.", named(held.members, winner));
    }
    if let Some(attempt) = earlier {
        let _ =
            writeln!(text, "Attempt {}; another one followed: {}", attempt.attempt, attempt.reason);
        for line in attempt.result.lines() {
            let _ = writeln!(text, "{}", format!("> {line}").trim_end());
        }
    }
    text.push_str("\n### Proposals\n");
    for member in held.members {
        proposals(text, member);
    }
    votes(text, &held);
    dropped(text, held.dropped);
}

fn proposals(text: &mut String, member: &CouncilMemberView) {
    for answer in &member.answers {
        let _ = writeln!(text, "\n#### {} by {} ({})\n", answer.label, member.agent, member.model);
        for line in answer.content.head().trim().lines() {
            let _ = writeln!(text, "{}", format!("> {line}").trim_end());
        }
        for (index, step) in answer.steps.iter().enumerate() {
            let _ = writeln!(
                text,
                "{}{}. {}",
                if index == 0 { "\n" } else { "" },
                index + 1,
                step.text
            );
            for detail in step.details() {
                let _ = writeln!(text, "   - {detail}");
            }
        }
    }
    if let Some(problem) = &member.problem {
        let _ = writeln!(text, "\n{} ({}) was out: {problem}", member.id, member.agent);
    }
}

fn votes(text: &mut String, held: &Held<'_>) {
    let cast = held.members.iter().filter_map(|member| {
        let vote = member.vote.as_ref()?;
        Some((format!("{} ({})", member.id, member.agent), vote))
    });
    let cast: Vec<(String, &CouncilVoteView)> =
        cast.chain(held.person.map(|vote| ("You".to_owned(), vote))).collect();
    let (against, with): (Vec<_>, Vec<_>) =
        cast.into_iter().partition(|(_, vote)| held.winner.is_some_and(|name| vote.choice != name));
    for (title, votes) in [("Votes", with), ("Dissent", against)] {
        if votes.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n### {title}\n");
        for (who, vote) in votes {
            let reason = vote.reason.trim();
            let colon = if reason.is_empty() { "" } else { ": " };
            let _ = writeln!(text, "- {who} for {}{colon}{reason}", vote.label);
        }
    }
}

fn dropped(text: &mut String, votes: &[CouncilDroppedView]) {
    for (index, one) in votes.iter().enumerate() {
        if index == 0 {
            text.push_str("\n### Dropped votes\n\n");
        }
        let _ = writeln!(text, "- {} for {}: {}", one.member, one.choice, one.why);
    }
}

fn votes_for(held: &Held<'_>, winner: &str) -> String {
    let cast = held.members.iter().filter_map(|member| member.vote.as_ref()).chain(held.person);
    let (mut all, mut own) = (0, 0);
    for vote in cast {
        all += 1;
        own += usize::from(vote.choice == winner);
    }
    format!("{own} of {all} votes")
}

/// A member with the agent it was.
fn named(members: &[CouncilMemberView], id: &str) -> String {
    let agent = members.iter().find(|member| member.id == id).map(|member| &member.agent);
    agent.map_or_else(|| id.to_owned(), |agent| format!("{id} ({agent})"))
}

fn decided(by: Option<DecidedBy>) -> &'static str {
    match by {
        Some(DecidedBy::Votes) | None => "decided by the votes",
        Some(DecidedBy::Timeout) => "decided by the timeout",
        Some(DecidedBy::Person) => "decided by you",
        Some(DecidedBy::LastMember) => "as the last member left",
    }
}
