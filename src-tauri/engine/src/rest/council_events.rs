//! What a room's stream says of its councils: the words of the council's view, and nothing of what
//! only members were told.

use crate::history::{Blobs, whole};
use plan::{CouncilStepView, Event, Number, Sitting, Text, Vote, member_name};
use serde_json::{Map, Value, json};

/// What an event of a council says; `None` where it is none.
pub(super) fn told(event: &Event, blobs: &dyn Blobs) -> Option<Map<String, Value>> {
    let text = |text: &Text| whole(text, blobs);
    let said = match event {
        Event::CouncilStarted { task, members, rules, by, .. } => json!({
            "task": text(task), "members": seats(members), "rules": rules, "by": by,
        }),
        Event::CouncilAsked { member, asked } => {
            json!({ "member": member_name(*member), "turn": asked.turn })
        }
        Event::CouncilAnswered { member, label, content, plan } => {
            let steps = plan.steps.iter().map(|step| {
                let step = CouncilStepView::of(step);
                let mut told = json!(step);
                told["details"] = json!(step.details());
                told
            });
            json!({
                "member": member_name(*member), "label": label, "content": text(content),
                "steps": steps.collect::<Vec<_>>(),
            })
        }
        Event::CouncilNotNew { member, overlap } => {
            json!({ "member": member_name(*member), "overlap": overlap })
        }
        Event::CouncilVoted { member, vote } => voted(*member, vote),
        Event::CouncilVoteDropped { member, vote, why } => {
            let mut said = voted(Some(*member), vote);
            said["why"] = json!(why);
            said
        }
        Event::CouncilMemberWaits { member, until } => {
            json!({ "member": member_name(*member), "until": until })
        }
        Event::CouncilMemberFailed { member, reason } => {
            json!({ "member": member_name(*member), "reason": reason })
        }
        Event::CouncilMemberRetried { member, who, by } => {
            json!({ "member": member_name(*member), "room_id": who.room, "by": by })
        }
        Event::CouncilPaused { reason, detail, code, until, .. } => {
            json!({ "reason": reason, "detail": detail, "code": code, "until": until })
        }
        Event::CouncilResumed { by } => json!({ "by": by }),
        Event::CouncilDecided { winner, by } => {
            json!({ "winner": member_name(*winner), "decided_by": by })
        }
        // What the winner saw and said as a member stays with it.
        Event::CouncilHandedOver { .. } | Event::CouncilReviewBegan => json!({}),
        Event::CouncilRestarted { reason, instructions, result, members, .. } => json!({
            "reason": reason, "instructions": instructions, "result": result,
            "members": seats(members),
        }),
        Event::CouncilEnded { state, reason } => json!({ "state": state, "reason": reason }),
        Event::RoomCreated { .. }
        | Event::RoomRenamed { .. }
        | Event::RoomMoved { .. }
        | Event::RoomArchived { .. }
        | Event::ModeChanged { .. }
        | Event::Said { .. }
        | Event::Nudged { .. }
        | Event::Briefed { .. }
        | Event::SidekickQueued { .. }
        | Event::SidekickStarted
        | Event::SidekickEnded { .. }
        | Event::SidekickReported
        | Event::CopyMade { .. }
        | Event::MergeBegan { .. }
        | Event::Merged { .. }
        | Event::CopyDropped { .. }
        | Event::Replied { .. }
        | Event::Spent { .. }
        | Event::PlanningBegan { .. }
        | Event::Compacted { .. }
        | Event::Trouble { .. }
        | Event::Delegated { .. }
        | Event::UsedBelow { .. }
        | Event::MemberTold { .. }
        | Event::MemberRested { .. }
        | Event::MemberFailed { .. }
        | Event::CallBegan { .. }
        | Event::CallEnded { .. }
        | Event::Warned { .. }
        | Event::AskRaised { .. }
        | Event::AskAnswered { .. }
        | Event::AskWithdrawn { .. }
        | Event::RuleKept { .. }
        | Event::RuleRaised { .. }
        | Event::RuleForgotten { .. }
        | Event::PlanWritten { .. }
        | Event::PlanRevised { .. }
        | Event::ApprovalRequested
        | Event::Approved { .. }
        | Event::SentBack { .. }
        | Event::Started
        | Event::StepStarted { .. }
        | Event::StepHanded { .. }
        | Event::StepPutBack { .. }
        | Event::StepUsed { .. }
        | Event::StepDone { .. }
        | Event::StepFailed { .. }
        | Event::StepSkipped { .. }
        | Event::StepReopened { .. }
        | Event::StepMayChange { .. }
        | Event::CheckFailed { .. }
        | Event::ErrorReported { .. }
        | Event::StepStopped { .. }
        | Event::Granted { .. }
        | Event::AttemptFailed { .. }
        | Event::AttemptsReset { .. }
        | Event::Repeated { .. }
        | Event::PauseAfterStep { .. }
        | Event::Paused { .. }
        | Event::Resumed { .. }
        | Event::Refilled { .. }
        | Event::PlanHeld { .. }
        | Event::SplitRefused { .. }
        | Event::SynthesisBegan
        | Event::CapWarned { .. }
        | Event::PlanDone { .. }
        | Event::PlanFailed { .. }
        | Event::PlanCancelled { .. } => return None,
    };
    let Value::Object(said) = said else { return None };
    Some(said)
}

fn seats(members: &[Sitting]) -> Vec<Value> {
    let seat = |(number, who): (Number, &Sitting)| {
        json!({
            "id": member_name(number), "agent": who.agent, "model": who.model, "room_id": who.room,
        })
    };
    (1..).zip(members).map(seat).collect()
}

/// A vote of a member, or of the person.
fn voted(member: Option<Number>, vote: &Vote) -> Value {
    json!({
        "member": member.map_or_else(|| "person".to_owned(), member_name),
        "for": member_name(vote.choice), "label": vote.label, "reason": vote.reason,
    })
}
