//! The one place where a tool call is allowed, warned about, asked about or blocked.
//!
//! A pure function of facts worked out before. Order, first match wins:
//! unknown tool → planning → plan gate → deny rules → approved scope of the step →
//! allow and ask rules → defaults. Nothing widens strict mode before approval.
//!
//! A call of a sidekick is judged in its own room and in every room above it; the strictest
//! answer holds.

use crate::council::{RESTART, SUBMIT, answer_tools};
use crate::{
    AskKind, CouncilStage, Effect, Facts, How, PauseReason, Plan, PlanId, PlanMode, PlanState,
    Room, Rule, RuleAction, Source, Step, StepId, Target, scope,
};

/// How far a program may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// It writes nothing and has no network.
    Look,
    /// It writes in the workspace and a private temp.
    Work,
}

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may run.
    Allow {
        /// How far it may reach.
        profile: Profile,
    },
    /// It may run, and a person is told.
    Warn {
        /// How far it may reach.
        profile: Profile,
        /// What they are told.
        reason: String,
    },
    /// A person is asked first.
    Ask {
        /// What about.
        kind: AskKind,
        /// The question.
        reason: String,
        /// The plan that it goes beyond, and the step of it, where there is one.
        beyond: Option<(PlanId, Option<StepId>)>,
    },
    /// It may not run.
    Block {
        /// A stable code.
        code: &'static str,
        /// Why, and what the model can do instead.
        reason: String,
    },
}

/// A room in which a call is judged.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The room.
    pub room: &'a Room,
    /// The person's own rules for its agent; rules kept in the room and above it come after them.
    pub rules: &'a [Rule],
    /// The one step that the call serves, where it comes from a room below.
    pub step: Option<&'a StepId>,
}

/// Judges a call in its room, and in the rooms above it.
pub fn gate(standings: &[Standing<'_>], facts: &Facts) -> Verdict {
    let facts = facts.sound();
    let none = || block("NO_ROOM", "nobody vouches for this call".to_owned());
    let above = |index: usize| standings.get(index + 1..).unwrap_or_default();
    let each: Vec<Facts> = facts.as_each_tool().collect();
    let judged =
        |(index, standing)| each.iter().map(move |facts| judge(standing, above(index), facts));
    let verdicts = standings.iter().enumerate().flat_map(judged);
    let verdict = verdicts.reduce(stricter).unwrap_or_else(none);
    // Nobody is asked for a council member.
    match verdict {
        Verdict::Ask { .. } | Verdict::Warn { .. }
            if standings.first().is_some_and(|own| own.room.member.is_some()) =>
        {
            block("COUNCIL", format!("{} {MEMBERS_LOOK}", describe(&facts)))
        }
        Verdict::Allow { .. }
        | Verdict::Ask { .. }
        | Verdict::Warn { .. }
        | Verdict::Block { .. } => verdict,
    }
}

const MEMBERS_LOOK: &str = "is not for members of a council: they only look, and nothing is changed, \
     asked or fetched before the vote. Say in your answer what you would do, and what is unclear";

/// What a council forbids: its members only look, and who judges the work only judges.
fn council_gate(room: &Room, facts: &Facts) -> Option<Verdict> {
    if let Some(member) = &room.member {
        if answer_tools(&facts.tool) && facts.effect == Effect::Control {
            return None;
        }
        if facts.effect != Effect::Read || facts.is_loose() {
            return Some(block("COUNCIL", format!("{} {MEMBERS_LOOK}", describe(facts))));
        }
        let words = "there is no time left to look around; end your turn with new_answer or vote";
        return (!member.may_look).then(|| block("COUNCIL", words.to_owned()));
    }
    let council = room.active_council()?;
    let judges = matches!(facts.tool.as_str(), SUBMIT | RESTART);
    if council.stage == CouncilStage::Reviewing && !judges {
        let words =
            "the plan is done; say with submit or restart_orchestration whether that is all";
        return Some(block("COUNCIL", words.to_owned()));
    }
    if council.holds_room() && facts.effect.changes_things() {
        return Some(block("COUNCIL", "nothing is changed while a council talks".to_owned()));
    }
    None
}

/// The stricter of two answers; the first where they are alike.
fn stricter(one: Verdict, other: Verdict) -> Verdict {
    let weight = |verdict: &Verdict| match verdict {
        Verdict::Allow { .. } => 0,
        Verdict::Warn { .. } => 1,
        Verdict::Ask { kind: AskKind::Drift, .. } => 3,
        Verdict::Ask { .. } => 2,
        Verdict::Block { .. } => 4,
    };
    if weight(&other) > weight(&one) { other } else { one }
}

fn judge(standing: &Standing<'_>, above: &[Standing<'_>], facts: &Facts) -> Verdict {
    let Standing { room, rules, step } = *standing;
    if !facts.known {
        return block("UNKNOWN_TOOL", format!("there is no tool called {}", facts.tool));
    }
    let verdict = council_gate(room, facts).or_else(|| planning_gate(room, facts));
    if let Some(verdict) = verdict.or_else(|| plan_gate(room, facts)) {
        return verdict;
    }
    // What a person keeps in a room holds for its sidekicks, too.
    let kept = || room.rules.iter().chain(above.iter().flat_map(|above| &above.room.rules));
    let rules = || rules.iter().chain(kept());
    let matching =
        |action: RuleAction| rules().find(|rule| rule.action == action && rule.matches(facts));
    if let Some(rule) = matching(RuleAction::Deny) {
        let why = match rule.is_below(facts) {
            true => ": the folder holds what it protects",
            false => "",
        };
        return block("DENIED", format!("the rule {rule} forbids this{why}; do it another way"));
    }
    if let Some(outside) = outside_read(facts) {
        return block("OUTSIDE", format!("{outside} lies outside the workspace"));
    }
    let profile = match facts.effect {
        Effect::Read | Effect::Control => Profile::Look,
        Effect::Write
        | Effect::WriteOutside
        | Effect::Exec
        | Effect::Network
        | Effect::Delegate => Profile::Work,
    };
    let allow = Verdict::Allow { profile };
    if facts.effect == Effect::Control {
        return allow;
    }
    let hides = |rule: &Rule| rule.action == RuleAction::Deny && rule.may_hide_in(facts);
    // Who answered "always" to the question has answered it.
    let is_kept = || kept().any(|rule| rule.action == RuleAction::Allow && rule.matches(facts));
    match scope_gate(room, step, facts) {
        // Approving more than these very words says nothing of what they come to.
        Scope::In
            if !facts.allowed
                && !is_to_the_letter(room, step, facts)
                && rules().any(hides)
                && !is_kept() =>
        {
            return ask(facts);
        }
        Scope::In => return allow,
        Scope::Out(plan) if !facts.allowed => {
            let beyond = step.and_then(|id| plan.step(id)).or(plan.current());
            let whose = match beyond {
                Some(step) => format!("step {} was", plan.number(&step.spec.id)),
                None => "the steps under way were".to_owned(),
            };
            let reason = match is_changed(facts) {
                true => changed_words(facts),
                false => {
                    format!("{} is not in what {whose} approved for. May it?", describe(facts))
                }
            };
            let beyond = Some((plan.id, beyond.map(|step| step.spec.id.clone())));
            return Verdict::Ask { kind: AskKind::Drift, reason, beyond };
        }
        Scope::Out(_) | Scope::NoMatter => {}
    }
    if facts.allowed {
        return allow;
    }
    let hidden = |rule: &Rule| rule.action != RuleAction::Allow && rule.may_hide_in(facts);
    let asked = matching(RuleAction::Ask).is_some() || rules().any(hidden);
    if asked && !is_kept() {
        return ask(facts);
    }
    if matching(RuleAction::Allow).is_none() && !allowed_by_default(facts) {
        return ask(facts);
    }
    match soft_warning(room, step, facts) {
        Some(reason) => Verdict::Warn { profile, reason },
        None => allow,
    }
}

/// What the planning model may not do, in every mode.
fn planning_gate(room: &Room, facts: &Facts) -> Option<Verdict> {
    let planning = room.planning?;
    if planning.had_to_decide()
        && !matches!(facts.tool.as_str(), "plan" | "write_plan" | "submit_plan")
    {
        let words = "there was time to look around; write the plan now with plan or submit_plan, \
                     or answer in words";
        return Some(block("PLAN_NOW", words.to_owned()));
    }
    if !facts.effect.changes_things() {
        return None;
    }
    let words = format!(
        "{} {}, and this turn is for planning; look around, then write the plan, or \
         answer in words",
        describe(facts),
        would(facts)
    );
    Some(block("PLANNING", words))
}

/// What the plan's state and mode forbid, whatever the rules say.
fn plan_gate(room: &Room, facts: &Facts) -> Option<Verdict> {
    if facts.effect == Effect::Control {
        return None;
    }
    let changes = facts.effect.changes_things();
    if let Some(plan) = room.active_plan() {
        match &plan.state {
            // Who plans what comes next may look around.
            PlanState::Paused { reason: PauseReason::Revise } if room.planning.is_some() => {}
            PlanState::Paused { .. } => {
                let words = "the plan is paused; nothing starts until a person resumes it";
                return Some(block("PAUSED", words.to_owned()));
            }
            PlanState::AwaitingApproval | PlanState::Draft { .. } if changes => {
                let words = match plan.state {
                    PlanState::Draft { sent_back: true } => {
                        "a person sent the plan back; write a new revision first"
                    }
                    PlanState::Draft { .. }
                    | PlanState::AwaitingApproval
                    | PlanState::Running { .. }
                    | PlanState::Paused { .. }
                    | PlanState::Done
                    | PlanState::Failed
                    | PlanState::Cancelled => "the plan waits for a person; only reading is free",
                };
                return Some(block("NOT_APPROVED", words.to_owned()));
            }
            PlanState::AwaitingApproval
            | PlanState::Draft { .. }
            | PlanState::Running { .. }
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => {}
        }
    }
    if changes && room.declined {
        let words = "a person sent the last plan back and it was given up; write another plan and \
                     wait for a person to approve it";
        return Some(block("NOT_APPROVED", words.to_owned()));
    }
    if room.mode != PlanMode::Strict {
        return None;
    }
    if changes && room.insists() && approved_plan(room).is_none() {
        let how = match room.running_plan() {
            Some(_) => "the plan is not approved as it is; ask for that with plan(action=\"run\")",
            None => "no plan is approved; write a plan and wait for a person to approve it",
        };
        let words = format!("{} {} and {how}", describe(facts), would(facts));
        return Some(block("NOT_APPROVED", words));
    }
    if facts.is_loose() {
        let words = "programs can't be confined on this machine, so strict mode runs none";
        return Some(block("NO_SANDBOX", words.to_owned()));
    }
    None
}

enum Scope<'a> {
    In,
    Out(&'a Plan),
    NoMatter,
}

fn scope_gate<'a>(room: &'a Room, step: Option<&StepId>, facts: &Facts) -> Scope<'a> {
    // Nobody approves looking, so no plan makes it freer or less free.
    if !facts.effect.changes_things() || !room.insists() {
        return Scope::NoMatter;
    }
    let Some(plan) = approved_plan(room) else { return Scope::NoMatter };
    if is_in_scope(plan, step, facts) { Scope::In } else { Scope::Out(plan) }
}

/// Whether the step names what the call does, or without one any step under way.
fn is_in_scope(plan: &Plan, step: Option<&StepId>, facts: &Facts) -> bool {
    serving(plan, step).any(|step| scope::covers(step, facts))
}

/// Whether a person saw the very words of a command in a step of an approved plan.
fn is_to_the_letter(room: &Room, step: Option<&StepId>, facts: &Facts) -> bool {
    approved_plan(room)
        .is_some_and(|plan| serving(plan, step).any(|step| scope::to_the_letter(step, facts)))
}

fn serving<'a>(plan: &'a Plan, id: Option<&'a StepId>) -> impl Iterator<Item = &'a Step> {
    plan.in_progress().filter(move |step| id.is_none_or(|id| step.spec.id == *id))
}

/// How a change that may happen stands to the plan of its room; `None` where there is nothing to
/// compare.
pub fn how(room: &Room, facts: &Facts) -> Option<How> {
    how_for(room, None, facts)
}

/// The same for a change that serves one step of the plan.
pub fn how_for(room: &Room, step: Option<&StepId>, facts: &Facts) -> Option<How> {
    let plan = room.running_plan().filter(|_| facts.effect.changes_things())?;
    let steps = || serving(plan, step);
    Some(if steps().any(|step| scope::planned(step, facts)) {
        How::Planned
    } else if steps().any(|step| scope::added(step, facts)) {
        How::Added
    } else if facts.allowed {
        How::Once
    } else if room.mode == PlanMode::Soft {
        How::Warned
    } else {
        How::Unplanned
    })
}

/// The plan, while it runs as it was approved.
pub(crate) fn approved_plan(room: &Room) -> Option<&Plan> {
    room.running_plan().filter(|plan| {
        plan.approval
            .as_ref()
            .is_some_and(|yes| yes.revision == plan.revision && yes.hash == plan.hash)
    })
}

fn soft_warning(room: &Room, step: Option<&StepId>, facts: &Facts) -> Option<String> {
    let own = room.mode == PlanMode::Soft && !room.serves_step();
    if !own || !facts.effect.changes_things() {
        return None;
    }
    match room.running_plan() {
        None => Some(format!("{} happens without a plan", describe(facts))),
        Some(plan) if !is_in_scope(plan, step, facts) => {
            Some(format!("{} is not what the step names", describe(facts)))
        }
        Some(_) => None,
    }
}

fn allowed_by_default(facts: &Facts) -> bool {
    match facts.reach() {
        Effect::Read | Effect::Control | Effect::Write | Effect::Exec | Effect::Delegate => {
            !facts.is_loose()
        }
        Effect::WriteOutside | Effect::Network => false,
    }
}

fn outside_read(facts: &Facts) -> Option<&str> {
    let outside = facts.targets.iter().find(|target| target.is_outside())?;
    (facts.effect == Effect::Read).then(|| outside.words())
}

fn ask(facts: &Facts) -> Verdict {
    let reason = match is_changed(facts) {
        true => changed_words(facts),
        false if facts.source == Source::Nobody => {
            format!("May {} run? Nobody vouches for what it does.", describe(facts))
        }
        false => format!("May {} run?{}", describe(facts), left_out(facts)),
    };
    Verdict::Ask { kind: AskKind::Permission, reason, beyond: None }
}

fn left_out(facts: &Facts) -> String {
    facts.left_out().map_or_else(String::new, |what| format!(" It does not say {what}."))
}

/// Whether an MCP tool is another one than was allowed before.
fn is_changed(facts: &Facts) -> bool {
    facts.targets.iter().any(|target| matches!(target, Target::Tool { changed: true, .. }))
}

fn changed_words(facts: &Facts) -> String {
    format!(
        "{} is not what was allowed before: its server changed its description or schema. May it \
         run?",
        describe(facts)
    )
}

fn block(code: &'static str, reason: String) -> Verdict {
    Verdict::Block { code, reason }
}

/// What a call would do that takes more than looking.
fn would(facts: &Facts) -> &'static str {
    match facts.reach() {
        Effect::Network => "would reach the network",
        Effect::Read
        | Effect::Control
        | Effect::Write
        | Effect::WriteOutside
        | Effect::Exec
        | Effect::Delegate => "would change something",
    }
}

/// A call in words: the tool and what it touches.
pub fn describe(facts: &Facts) -> String {
    // A hash says nothing to a person.
    let told = |target: &&Target| !matches!(target, Target::Tool { .. });
    let targets: Vec<&str> = facts.targets.iter().filter(told).map(Target::words).collect();
    if targets.is_empty() {
        facts.tool.clone()
    } else {
        format!("{} {}", facts.tool, targets.join(", "))
    }
}
