//! How an event changes a room. Nothing else does, and it never fails.

use crate::council::NextAttempt;
use crate::decide::{INTERRUPTED, SIDEKICK_CAP, STOPPED, fingerprint};
use crate::repeat::{Made, short_hash, task_mark};
use crate::text::one_line;
use crate::{
    Actor, Approval, AskId, AskKind, Call, CallState, Content, Council, CouncilStage, Deed, Ended,
    Event, Goal, Held, Member, Outcome, PauseReason, Phase, Plan, PlanState, Planning, Repeat,
    Room, RoomKind, Seat, Sidekick, SkipCause, Step, StepId, StepState, Stuck, Text, Time, Told,
    Turn, Usage, Work, work,
};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Room {
    /// Takes one event in. Events come in the order of their sequence.
    pub fn apply(&mut self, event: &Event, at: Time) {
        self.seq += 1;
        self.updated_at = at;
        self.take(event, at);
        self.repeat.moved |= event.moves_on();
        if work::next(self) != Work::Model {
            self.halted_seq = self.seq;
        }
        let works = self.is_at_work();
        if let Some(sidekick) = &mut self.sidekick {
            sidekick.clock(works && sidekick.slot, at);
        }
    }

    fn take(&mut self, event: &Event, at: Time) {
        match event {
            Event::RoomCreated { room, title, unnamed, workspace, kind, mode, agent } => {
                self.id = Some(*room);
                self.title.clone_from(title);
                self.unnamed = *unnamed;
                self.workspace.clone_from(workspace);
                self.kind = kind.clone();
                self.mode = *mode;
                self.agent.clone_from(agent);
                self.created_at = at;
                if let RoomKind::Member { council, number, .. } = kind {
                    self.member = Some(Member::new(*council, *number));
                }
            }
            Event::RoomRenamed { title } => {
                self.title.clone_from(title);
                self.unnamed = false;
            }
            Event::RoomMoved { workspace } => self.workspace.clone_from(workspace),
            Event::RoomArchived { archived } => {
                self.archived = *archived;
                if *archived {
                    self.below.clear();
                }
            }
            Event::ModeChanged { mode, .. } => self.mode = *mode,
            Event::Said { text, .. } => {
                self.said();
                self.council_heard(text);
                self.repeat = Repeat::after(text);
                if let Some(sidekick) = &mut self.sidekick {
                    sidekick.fresh_counts(self.usage, at);
                    sidekick.awaited = true;
                    sidekick.until = None;
                }
            }
            Event::Nudged { from, quiet, .. } => {
                if !quiet {
                    self.owes = true;
                    // An answer to what was asked before is no answer to this.
                    self.told_seq = self.seq;
                }
                if let Some(Told { room, seq }) = from {
                    self.repeat.news();
                    self.below.remove(room);
                    self.told.insert(*room, *seq);
                }
            }
            Event::Delegated { room, plan, mark, .. } => {
                self.below.insert(*room);
                if let Some(mark) = mark
                    && self.repeat.tasks.insert(mark.clone())
                {
                    self.repeat.news();
                }
                if let Some(part_of) = self.plan.as_mut().filter(|own| Some(own.id) == *plan) {
                    part_of.sidekicks.insert(*room);
                }
            }
            Event::UsedBelow { room, usage } => {
                *self.used_below.entry(*room).or_default() += *usage;
                let plan = self.plan.as_mut().filter(|plan| plan.state.is_active());
                if let Some(plan) = plan.filter(|plan| plan.sidekicks.contains(room)) {
                    plan.usage += *usage;
                }
            }
            Event::Briefed { task, by, model, limits, .. } => {
                // What it is to do wants an answer like what a person says.
                self.said();
                // It does its task itself.
                self.repeat.tasks.insert(task_mark(task.head()));
                let task = one_line(task.head());
                let mut sidekick = Sidekick::new(task, model.clone(), *limits, self.usage);
                let before = self.sidekick.take();
                sidekick.slot = before.as_ref().is_some_and(|before| before.slot);
                sidekick.earlier_ms =
                    before.as_ref().map_or(0, |before| before.earlier_ms + before.ran_ms(at));
                sidekick.started_at = before.and_then(|before| before.started_at);
                sidekick.awaited = by.is_person();
                sidekick.by_person = by.is_person();
                self.sidekick = Some(sidekick);
            }
            Event::SidekickQueued { since } => {
                if let Some(sidekick) = &mut self.sidekick {
                    sidekick.clock(false, since.unwrap_or(at));
                    sidekick.slot = false;
                }
            }
            Event::SidekickStarted => {
                if let Some(sidekick) = &mut self.sidekick {
                    sidekick.slot = true;
                    sidekick.started_at.get_or_insert(at);
                    sidekick.progress_at = Some(at);
                }
            }
            Event::SidekickEnded { end, result, summary, told, checked, given_up, next } => {
                self.owes = false;
                self.planning = None;
                self.below.clear();
                if let Some(sidekick) = &mut self.sidekick {
                    sidekick.ended = Some(Ended {
                        end: *end,
                        result: result.clone(),
                        summary: summary.clone(),
                        remarks: String::new(),
                        seq: self.seq,
                        told: *told,
                        checked: *checked,
                        given_up: *given_up,
                        next: *next,
                    });
                    sidekick.progress_at = Some(at);
                }
            }
            Event::SidekickReported => {
                let ended = self.sidekick.as_mut().and_then(|sidekick| sidekick.ended.as_mut());
                if let Some(ended) = ended {
                    ended.told = true;
                }
            }
            Event::CopyMade { folder, shares, .. } => self.copy_made(folder, shares.as_ref()),
            Event::MergeBegan { paths } => self.merge_began(paths),
            Event::Merged { changed, partly, left, repositories } => {
                self.merged(changed, *partly, left, repositories);
            }
            Event::CopyDropped { problem } => self.copy_dropped(problem.as_ref()),
            Event::Replied { model, text, calls, usage, seen, repeats, .. } => {
                self.spend(usage);
                if let Some(sidekick) = &mut self.sidekick {
                    sidekick.replied(text, calls.is_empty(), at);
                }
                if let Some(member) = &mut self.member {
                    member.replied(*seen, calls.is_empty());
                }
                self.spoke = Some(model.clone());
                self.seen_seq = *seen;
                self.turn = Turn { repeats: *repeats, ..Turn::default() };
                self.stuck.answered(*repeats);
                // Who plans has turns of its own.
                if self.planning.is_none() {
                    self.repeat.turned();
                }
                self.calls = calls
                    .iter()
                    .map(|request| Call {
                        request: request.clone(),
                        plan: None,
                        step: None,
                        state: CallState::Waiting,
                        touches: Vec::new(),
                        deed: None,
                    })
                    .collect();
                self.owes = !calls.is_empty() || self.said_seq.max(self.told_seq) > *seen;
                // Looking around for another plan is no work on this one.
                let works = !calls.is_empty() && self.planning.is_none();
                if let Some(plan) = self.running() {
                    if works {
                        plan.idle_turns = 0;
                    } else if calls.is_empty() {
                        plan.idle_turns += 1;
                    }
                }
                match &mut self.planning {
                    Some(planning) if !calls.is_empty() || *repeats => planning.turns += 1,
                    Some(_) | None => self.planning = None,
                }
            }
            Event::Spent { usage, .. } => self.spend(usage),
            Event::PlanningBegan { turns } => {
                self.planning = Some(Planning { turns: 0, most: *turns });
                self.repeat.forget_calls();
                // What the executing model was asked is void.
                self.halted_seq = self.seq;
            }
            Event::Compacted { .. } => {
                // The results it could be pointed to are gone: it may ask for one again.
                self.repeat.call.clear();
                self.repeat.again = 0;
            }
            Event::RuleRaised { .. } => {}
            Event::Warned { text, .. } => {
                if let Some(step) = self.current_step().and_then(|id| self.step_mut(&id)) {
                    step.warned(text);
                }
            }
            Event::Trouble { code, text, until } => {
                if code == STOPPED {
                    self.below.clear();
                } else if let Some(plan) = self.plan.as_mut().filter(|plan| plan.is_sent_back()) {
                    plan.left = Some(text.clone());
                }
                if let Some(sidekick) = &mut self.sidekick {
                    sidekick.until = *until;
                }
                if let Some(member) = &mut self.member {
                    member.waits(*until);
                }
                self.owes = false;
                self.stuck = Stuck::default();
                self.repeat.begin_anew();
                // What was cut off is still wanted.
                if code != INTERRUPTED {
                    self.planning = None;
                }
            }
            Event::CouncilStarted { council, task, members, rules, frame, plan, ask, by } => {
                if by.is_person() {
                    self.repeat.begin_anew();
                }
                self.council_began(Council {
                    id: *council,
                    task: task.clone(),
                    by: by.clone(),
                    rules: rules.clone(),
                    frame: Arc::clone(frame),
                    plan: *plan,
                    ask: *ask,
                    seats: members.iter().cloned().map(Seat::new).collect(),
                    stage: CouncilStage::Talking,
                    paused: None,
                    pause_code: None,
                    pause_until: None,
                    handed_over: false,
                    round: 1,
                    opened: false,
                    person_vote: None,
                    dropped: Vec::new(),
                    words: Vec::new(),
                    winner: None,
                    decided_at: None,
                    earlier: Vec::new(),
                    started_at: at,
                    running_since: Some(at),
                    ran_ms: 0,
                    usage_base: Usage::default(),
                    heard_seq: self.seq,
                    ended_seq: 0,
                    end_reason: None,
                });
            }
            Event::CouncilAsked { member, asked } => self.council_asked(*member, asked, at),
            Event::CouncilAnswered { member, content, plan, .. } => {
                self.council_answered(*member, content, plan, at);
            }
            Event::CouncilNotNew { member, .. } => self.council_not_new(*member),
            Event::CouncilVoted { member, vote } => self.council_voted(*member, vote),
            Event::CouncilVoteDropped { member, vote, why } => {
                self.council_dropped(*member, vote, why, at);
            }
            Event::CouncilMemberWaits { member, until } => self.council_waits(*member, *until, at),
            Event::CouncilMemberFailed { member, reason } => self.council_out(*member, reason),
            Event::CouncilMemberRetried { member, who, .. } => self.council_back(*member, who),
            Event::CouncilPaused { reason, detail, code, until, since } => {
                self.council_paused(*reason, detail.as_deref(), since.unwrap_or(at));
                if let Some(council) = self.councils.last_mut() {
                    council.pause_code.clone_from(code);
                    council.pause_until = *until;
                }
            }
            Event::CouncilResumed { .. } => self.council_resumed(at),
            Event::CouncilDecided { winner, by } => self.council_decided(*winner, *by, at),
            Event::CouncilHandedOver { .. } => self.council_hands_over(at),
            Event::CouncilReviewBegan => self.council_reviewed(),
            Event::CouncilRestarted { reason, instructions, result, members, plan, ask } => {
                let (plan, ask) = (*plan, *ask);
                self.council_restarted(
                    &NextAttempt { reason, instructions, result, members, plan, ask },
                    at,
                );
            }
            Event::CouncilEnded { state, reason } => self.council_ended(*state, reason, at),
            Event::MemberTold { turn, may_look, words, last_word, .. } => {
                // Who waits for its provider goes on when that is over.
                self.owes = self.member.as_ref().is_some_and(|member| member.until.is_none());
                self.told_seq = self.seq;
                self.stuck = Stuck::default();
                self.repeat.begin_anew();
                let seq = self.seq;
                if let Some(member) = &mut self.member {
                    member.was_told(*turn, seq, *may_look);
                    member.words = *words;
                    member.last_word = *last_word;
                }
            }
            Event::MemberRested { turn } => {
                if let Some(member) = &mut self.member {
                    member.ended = *turn;
                }
                // News that came meanwhile are a question of their own.
                self.owes = self.member.as_ref().is_some_and(Member::is_in_turn);
            }
            Event::MemberFailed { reason } => {
                self.owes = false;
                if let Some(member) = &mut self.member {
                    member.out = Some(reason.clone());
                }
            }
            Event::CallBegan { call, effect, touches, how } => {
                self.progressed(at);
                let plan = self.running_plan().map(|plan| plan.id);
                let step = self.current_step();
                if let Some(call) = self.calls.iter_mut().find(|open| open.request.id == *call) {
                    call.state = CallState::Running(*effect);
                    call.plan = plan;
                    call.step = step;
                    call.touches.clone_from(touches);
                    let tool = call.request.tool.clone();
                    call.deed = how.map(|how| Deed { tool, touches: touches.clone(), how });
                }
            }
            Event::CallEnded { call, outcome, result, changed, nudge, .. } => {
                let Some(index) = self.calls.iter().position(|open| open.request.id == *call)
                else {
                    return;
                };
                let call = self.calls.remove(index);
                self.progressed(at);
                self.turn.counted |= nudge.is_some();
                self.stuck.misread.ended(&call.request.tool, *outcome, result);
                let made = fingerprint(&call.request.tool, &call.request.args);
                let way = way(&made, result);
                match outcome {
                    Outcome::Ok => {
                        self.stuck.went_well();
                        self.turn.worked |= matches!(call.state, CallState::Running(_));
                    }
                    Outcome::Failed | Outcome::Blocked | Outcome::Cancelled => {
                        if *outcome != Outcome::Cancelled {
                            let (tool, first) = (&call.request.tool, !self.turn.failed);
                            // What was refused is the same failure, however it is told.
                            let refused = *outcome == Outcome::Blocked;
                            let same = if refused { &made } else { &way };
                            self.stuck.failed(same.clone(), tool, first);
                        }
                        if let Some(sidekick) = &mut self.sidekick {
                            sidekick.attempts += u32::from(!self.turn.failed);
                        }
                        self.turn.failed = true;
                    }
                    Outcome::NotRun | Outcome::AlreadyDone => {}
                }
                self.repeat.ended(Made {
                    call: made,
                    tool: &call.request.tool,
                    way,
                    outcome: *outcome,
                    ran: matches!(call.state, CallState::Running(_)),
                    changed,
                });
                let changed: Vec<String> = changed.iter().map(|one| one.path.clone()).collect();
                let deed = call.deed.and_then(|deed| deed.after(*outcome, changed.clone()));
                // What changed in a copy counts when it is taken over.
                match (&self.copy, &mut self.sidekick) {
                    (Some(_), _) => self.copy_changed(&call.request.tool, &changed),
                    (None, Some(sidekick)) => sidekick.changed.extend(changed.iter().cloned()),
                    (None, None) => {}
                }
                if let Some(step) = call.step.and_then(|id| self.step_mut(&id)) {
                    step.changed.extend(changed);
                    deed.into_iter().for_each(|deed| step.did(deed));
                } else if let Some(sidekick) = &mut self.sidekick {
                    deed.into_iter().for_each(|deed| sidekick.did(deed));
                }
            }
            Event::AskRaised { ask } => {
                // What a server wants to know does not stop the call that goes on there.
                if let Some(call) = ask.call_id.filter(|_| ask.kind != AskKind::Elicitation)
                    && let Some(call) = self.calls.iter_mut().find(|open| open.request.id == call)
                {
                    call.state = CallState::Asking(ask.id);
                }
                self.asks.insert(ask.id, ask.clone());
                if self.waits_here()
                    && let Some(plan) = self.running()
                {
                    plan.begin_waiting(at);
                }
            }
            Event::AskAnswered { ask, answer, note, .. } => {
                // Who allows or refuses one call says nothing of the others.
                let kind = self.asks.get(ask).map(|ask| ask.kind);
                let of_call = matches!(kind, Some(AskKind::Drift | AskKind::Permission));
                if !of_call {
                    self.stuck = Stuck::default();
                }
                if !of_call || note.is_some() {
                    self.repeat = Repeat { question: self.repeat.question, ..Repeat::default() };
                }
                self.chose(ask, answer);
                if let Some(sidekick) = &mut self.sidekick {
                    sidekick.awaited = true;
                }
                let yes = matches!(answer.as_str(), "allow" | "always" | "once" | "add");
                let state = if yes { CallState::Allowed } else { CallState::Waiting };
                self.close_ask(ask, &state, at);
            }
            Event::AskWithdrawn { ask, .. } => self.close_ask(ask, &CallState::Waiting, at),
            Event::RuleKept { rule, .. } => self.rules.push(rule.clone()),
            Event::RuleForgotten { rule, .. } => self.rules.retain(|kept| kept != rule),
            Event::PlanWritten { plan, hash, content, frame, by, model } => {
                self.planned(by);
                // A plan after the other, with no word from a person, is one long plan to them.
                let before = self.plan.as_ref().filter(|_| self.repeat.plan_done);
                let used = before.map_or(0, |before| before.auto_used);
                self.plan = Some(Plan {
                    id: *plan,
                    frame: Arc::clone(frame),
                    // A goal has no steps before it was split.
                    revision: u32::from(!content.steps.is_empty()),
                    planned_by: model.clone(),
                    content: Arc::clone(content),
                    hash: hash.clone(),
                    state: PlanState::Draft { sent_back: false },
                    steps: content.steps.iter().cloned().map(Step::new).collect(),
                    used_ids: content.steps.iter().map(|step| step.id.clone()).collect(),
                    needs_approval: false,
                    approval: None,
                    about: BTreeSet::new(),
                    left: None,
                    rejected: false,
                    auto_used: used,
                    idle_turns: 0,
                    pause_detail: None,
                    pause_until: None,
                    usage: Usage::default(),
                    usage_base: Usage::default(),
                    sidekicks: BTreeSet::new(),
                    ran_ms: 0,
                    ran_base_ms: 0,
                    pauses_after: false,
                    caps_warned: BTreeSet::new(),
                    waiting_since: None,
                    waited_ms: 0,
                    held: None,
                    waiting: BTreeSet::new(),
                    goal: frame.synthesis.as_ref().map(|_| Goal::default()),
                    created_at: at,
                    ended_at: None,
                    end_reason: None,
                });
            }
            Event::PlanRevised { revision, hash, content, frame, by, model, .. } => {
                self.planned(by);
                if let Some(plan) = &mut self.plan {
                    if let Some(frame) = frame {
                        plan.frame = Arc::clone(frame);
                    }
                    plan.revise(*revision, hash.clone(), Arc::clone(content));
                    if !by.is_person() {
                        plan.planned_by.clone_from(model);
                    }
                }
            }
            Event::ApprovalRequested => self.leave_running(at, |plan| {
                plan.needs_approval = true;
                plan.put_back();
                PlanState::AwaitingApproval
            }),
            Event::Approved { approval } => self.approved(approval),
            Event::SentBack { about, rejected, .. } => {
                self.leave_running(at, |plan| {
                    plan.left = None;
                    plan.rejected = *rejected;
                    plan.about = about.iter().cloned().collect();
                    PlanState::Draft { sent_back: true }
                });
            }
            Event::Started => {
                self.leave_running(at, |_| PlanState::Running { since: at });
                self.owes = self.is_models_move();
            }
            Event::StepStarted { step } => {
                // What failed before in this turn is not this step's fault.
                self.turn = Turn { ended_step: self.turn.ended_step, ..Turn::default() };
                if let Some(step) = self.step_mut(step) {
                    step.state = StepState::InProgress { since: at };
                    step.sidekick = None;
                    step.refined = false;
                }
            }
            Event::StepHanded { step, room } => {
                if let Some(step) = self.step_mut(step) {
                    step.sidekick = Some(*room);
                }
                if let Some(plan) = &mut self.plan {
                    plan.sidekicks.insert(*room);
                }
            }
            Event::StepPutBack { step, reason } => {
                let runs = self.plan.as_ref().is_some_and(Plan::clock_runs);
                if let Some(step) = self.step_mut(step) {
                    step.stop_clock(at, runs);
                    step.state = StepState::Pending;
                    step.alone = true;
                    step.warned(reason);
                }
            }
            Event::StepUsed { step, usage, changed, deeds } => {
                if let Some(plan) = self.plan.as_mut().filter(|plan| plan.state.is_active()) {
                    plan.usage += *usage;
                }
                if let Some(room) = self.step_mut(step).and_then(|step| step.sidekick) {
                    *self.used_below.entry(room).or_default() += *usage;
                }
                if let Some(step) = self.step_mut(step) {
                    step.usage += *usage;
                    step.changed.extend(changed.iter().cloned());
                    deeds.iter().cloned().for_each(|deed| step.did(deed));
                }
            }
            Event::StepDone { step, result, refined: true, summary } => {
                if let Some(step) = self.step_mut(step) {
                    step.state = StepState::Done { result: result.clone() };
                    step.summary.clone_from(summary);
                    step.refined = true;
                }
            }
            Event::StepDone { step, result, refined: false, summary } => {
                self.end_step(step, at, StepState::Done { result: result.clone() });
                if let Some(step) = self.step_mut(step) {
                    step.summary.clone_from(summary);
                }
            }
            Event::StepFailed { step, error } => {
                self.end_step(step, at, StepState::Failed { error: error.clone() });
            }
            Event::StepSkipped { step, cause, reason } => {
                let state = StepState::Skipped { cause: *cause, reason: reason.clone() };
                self.end_step(step, at, state);
            }
            Event::StepReopened { step, by } => {
                if by.is_person() {
                    self.repeat.begin_anew();
                }
                self.reopen(step, at);
            }
            Event::CheckFailed { step, detail } => {
                if let Some(step) = self.step_mut(step) {
                    step.check_failed = Some(detail.clone());
                }
            }
            Event::ErrorReported { step, error } => {
                if let Some(step) = self.step_mut(step) {
                    step.error = Some(error.clone());
                }
            }
            Event::StepStopped { step, .. } => {
                if let Some(step) = self.step_mut(step) {
                    step.stopped = true;
                }
            }
            Event::PauseAfterStep { on, .. } => {
                if let Some(plan) = &mut self.plan {
                    plan.pauses_after = *on;
                }
            }
            Event::StepMayChange { step, on, by } => {
                self.allow(step, by, at, |step| step.may_change = *on);
            }
            Event::Granted { plan: None, step, grant, by } => {
                self.allow(step, by, at, |step| step.grants.push(grant.clone()));
            }
            // The room above takes note of it.
            Event::Granted { plan: Some(_), .. } => {}
            Event::AttemptFailed { step, attempt, sticky } => {
                // What a sidekick tried is no turn of this room.
                let below = self.step_mut(step).is_some_and(|step| step.sidekick.is_some());
                self.turn.counted |= !below;
                if let Some(step) = self.step_mut(step) {
                    step.attempts = *attempt;
                    if *sticky {
                        step.sticky_attempts += 1;
                        step.repeats.clear();
                    }
                }
            }
            Event::AttemptsReset { step } => {
                if let Some(step) = self.step_mut(step) {
                    step.attempts = step.sticky_attempts;
                }
            }
            Event::Repeated { step, fingerprint } => {
                if let Some(step) = self.step_mut(step) {
                    *step.repeats.entry(fingerprint.clone()).or_insert(0) += 1;
                }
            }
            Event::Paused { reason, detail, until, since } => {
                // Who came to no end does not get more turns by going on.
                if *reason == PauseReason::Attempts {
                    self.planning = None;
                }
                self.leave_running(since.unwrap_or(at), |plan| {
                    plan.pause_detail.clone_from(detail);
                    plan.pause_until = *until;
                    PlanState::Paused { reason: *reason }
                });
            }
            Event::Resumed { by } => {
                match by.is_person() {
                    true => self.repeat.begin_anew(),
                    false => self.repeat.forget_calls(),
                }
                self.resumed(at, by);
            }
            Event::Refilled { .. } => {
                if let Some(plan) = &mut self.plan {
                    plan.auto_used = 0;
                }
            }
            Event::PlanHeld { held, waiting } => self.hold(*held, waiting, at),
            Event::SplitRefused { .. } => {
                if let Some(goal) = self.goal_mut() {
                    goal.refused += 1;
                }
            }
            Event::SynthesisBegan => {
                self.owes = true;
                self.repeat.begin_anew();
                // What was asked before is void.
                self.halted_seq = self.seq;
                let ran = self.plan.as_ref().map(|plan| plan.ran_ms(at));
                if let Some(plan) = &mut self.plan {
                    plan.idle_turns = 0;
                }
                if let Some(goal) = self.goal_mut() {
                    goal.joining = ran;
                }
            }
            Event::CapWarned { cap } if cap == SIDEKICK_CAP => {
                if let Some(sidekick) = &mut self.sidekick {
                    sidekick.warned = true;
                }
            }
            Event::CapWarned { cap } => {
                if let Some(plan) = &mut self.plan {
                    plan.caps_warned.insert(cap.clone());
                }
            }
            Event::PlanDone { result, .. } => {
                self.end_plan(at, PlanState::Done, None);
                self.repeat.plan_done = true;
                if let Some(goal) = self.goal_mut() {
                    goal.result.clone_from(result);
                }
            }
            Event::PlanFailed { reason } => {
                self.end_plan(at, PlanState::Failed, Some(reason));
                // The card says why; nobody has to find words for it.
                self.owes &= self.goal_mut().is_none();
            }
            Event::PlanCancelled { reason, by, beside } => {
                let sent_back = self.plan.as_ref().is_some_and(Plan::is_sent_back);
                self.declined = !by.is_person() && (self.declined || sent_back);
                self.end_plan(at, PlanState::Cancelled, Some(reason));
                self.below.retain(|room| beside.contains(room));
                // A person who cancels wants quiet; an agent that cancels still has to say why.
                if by.is_person() {
                    self.owes = false;
                }
            }
        }
    }

    fn close_ask(&mut self, ask: &AskId, state: &CallState, at: Time) {
        self.asks.remove(ask);
        if self.asks.is_empty()
            && let Some(plan) = &mut self.plan
            && plan.held.is_none()
        {
            plan.end_waiting(at);
        }
        for call in &mut self.calls {
            if call.state == CallState::Asking(*ask) {
                call.state = state.clone();
            }
        }
    }

    fn goal_mut(&mut self) -> Option<&mut Goal> {
        self.plan.as_mut()?.goal.as_mut()
    }

    /// Whether the model has something to do in this room now that the plan runs. Sidekicks do
    /// the steps of a goal; its room speaks before and after, and to a person.
    fn is_models_move(&self) -> bool {
        let phase = self.plan.as_ref().and_then(Plan::phase);
        phase != Some(Phase::Working) || self.said_seq > self.seen_seq
    }

    /// Whether the plan waits for what is asked in this room: sidekicks with a step go on.
    fn waits_here(&self) -> bool {
        let below = |plan: &Plan| plan.frame.delegated && plan.in_progress().next().is_some();
        !self.asks.is_empty() && !self.plan.as_ref().is_some_and(below)
    }

    fn hold(&mut self, held: Option<Held>, waiting: &BTreeSet<StepId>, at: Time) {
        let asks = self.waits_here();
        let Some(plan) = self.running() else { return };
        plan.held = held;
        plan.waiting.clone_from(waiting);
        match held {
            Some(_) => plan.begin_waiting(at),
            None if !asks => plan.end_waiting(at),
            None => {}
        }
    }

    fn progressed(&mut self, at: Time) {
        if let Some(sidekick) = &mut self.sidekick {
            sidekick.progress_at = Some(at);
        }
    }

    /// A plan was written: what an agent wrote ends its planning.
    fn planned(&mut self, by: &Actor) {
        if !by.is_person() {
            self.planning = None;
        }
    }

    fn said(&mut self) {
        self.said_seq = self.seq;
        self.owes = true;
        self.stuck = Stuck::default();
        self.repeat = Repeat::default();
        if let Some(plan) = self.plan.as_mut().filter(|plan| plan.state.is_active()) {
            plan.auto_used = 0;
            plan.left = None;
        }
    }

    fn spend(&mut self, usage: &Usage) {
        self.usage += *usage;
        if let Some(plan) = self.plan.as_mut().filter(|plan| plan.state.is_active()) {
            plan.usage += *usage;
            if let Some(step) = plan.steps.iter_mut().find(|step| step.is_in_progress()) {
                step.usage += *usage;
            }
        }
    }

    fn running(&mut self) -> Option<&mut Plan> {
        self.plan.as_mut().filter(|plan| plan.state.is_running())
    }

    fn current_step(&self) -> Option<StepId> {
        self.running_plan().and_then(Plan::current).map(|step| step.spec.id.clone())
    }

    fn step_mut(&mut self, id: &StepId) -> Option<&mut Step> {
        self.plan.as_mut()?.steps.iter_mut().find(|step| step.spec.id == *id)
    }

    /// A person lets a step do more, or less; the record of their approval says so.
    fn allow(&mut self, id: &StepId, by: &Actor, at: Time, change: impl FnOnce(&mut Step)) {
        let Some(step) = self.step_mut(id) else { return };
        change(step);
        if let Some(plan) = &mut self.plan {
            plan.amend(id, by, at);
        }
    }

    /// Moves the plan to a state in which it does not run, and keeps count of the time it ran.
    fn leave_running(&mut self, at: Time, to: impl FnOnce(&mut Plan) -> PlanState) {
        let Some(plan) = &mut self.plan else { return };
        plan.stop_clocks(at);
        plan.ran_ms = plan.ran_ms(at);
        plan.waiting_since = None;
        plan.waited_ms = 0;
        plan.held = None;
        plan.waiting.clear();
        plan.pauses_after = false;
        plan.state = to(plan);
    }

    fn end_step(&mut self, id: &StepId, at: Time, state: StepState) {
        let Some(plan) = &mut self.plan else { return };
        let runs = plan.clock_runs();
        let Some(step) = plan.steps.iter_mut().find(|step| step.spec.id == *id) else { return };
        step.stop_clock(at, runs);
        step.state = state;
        self.turn.ended_step = true;
        self.repeat.reach(&step.spec.text);
        plan.waiting.remove(id);
        plan.auto_used += 1;
        plan.idle_turns = 0;
    }

    fn reopen(&mut self, id: &StepId, at: Time) {
        let Some(plan) = &mut self.plan else { return };
        let runs = plan.clock_runs();
        for step in &mut plan.steps {
            let lost = matches!(step.state, StepState::Skipped { cause: SkipCause::Need, .. });
            if step.spec.id == *id || lost {
                step.stop_clock(at, runs);
                step.state = StepState::Pending;
                step.fresh_attempts();
            }
        }
        // Nobody has to bring together what is not there yet.
        if plan.goal.as_mut().and_then(|goal| goal.joining.take()).is_some() {
            self.owes = self.said_seq > self.seen_seq;
        }
    }

    fn approved(&mut self, approval: &Approval) {
        self.declined = false;
        self.stuck = Stuck::default();
        self.repeat.begin_anew();
        if let Some(plan) = &mut self.plan {
            plan.approval = Some(approval.clone());
            plan.auto_used = 0;
        }
    }

    fn resumed(&mut self, at: Time, by: &Actor) {
        // Where a sidekick's question was answered, the model of this room was asked nothing.
        if by.is_person() || !self.is_paused_for(PauseReason::Drift) {
            self.owes = self.is_models_move();
        }
        if let Some(member) = &mut self.member {
            member.until = None;
        }
        if let Some(sidekick) = &mut self.sidekick {
            sidekick.until = None;
            if by.is_person() {
                sidekick.fresh_counts(self.usage, at);
            }
        }
        let waits = self.waits_here();
        // A sidekick goes on also when a plan of its own has ended, which stays as it is.
        let Some(plan) = self.plan.as_mut().filter(|plan| plan.state.is_active()) else { return };
        // Who answers about one call has said nothing of the step's attempts.
        let answered = plan.state == PlanState::Paused { reason: PauseReason::Drift };
        if !plan.state.is_running() {
            plan.start_clocks(at);
        }
        plan.state = PlanState::Running { since: at };
        plan.waiting_since = waits.then_some(at);
        plan.pause_detail = None;
        plan.pause_until = None;
        // A pause that ends by itself is no word from a person: all counts go on.
        if !by.is_person() {
            return;
        }
        if !answered {
            self.stuck = Stuck::default();
        }
        plan.auto_used = 0;
        plan.idle_turns = 0;
        plan.usage_base = plan.usage;
        plan.ran_base_ms = plan.ran_ms;
        plan.caps_warned.clear();
        for step in &mut plan.steps {
            if step.is_in_progress() && !answered {
                step.fresh_attempts();
            }
        }
    }

    fn end_plan(&mut self, at: Time, state: PlanState, reason: Option<&String>) {
        self.planning = None;
        self.leave_running(at, |plan| {
            plan.ended_at = Some(at);
            plan.end_reason = reason.cloned();
            plan.pause_detail = None;
            plan.pause_until = None;
            for step in plan.steps.iter_mut().filter(|step| !step.state.is_terminal()) {
                step.state = StepState::Skipped {
                    cause: SkipCause::PlanEnded,
                    reason: format!("the plan is {state}"),
                };
            }
            state
        });
    }
}

/// A call by what it was and how it ended.
fn way(call: &str, result: &Text) -> String {
    let result = match result {
        Text::Inline(text) => text,
        Text::Blob { blob, .. } => blob,
    };
    short_hash(&format!("{call}\n{result}"))
}

impl Step {
    fn fresh_attempts(&mut self) {
        self.attempts = 0;
        self.sticky_attempts = 0;
        self.repeats.clear();
        self.check_failed = None;
        self.error = None;
        self.stopped = false;
    }
}

impl Plan {
    /// Takes a new revision in. Steps that stay keep how far they are; the approval is void.
    fn revise(&mut self, revision: u32, hash: crate::Hash, content: Arc<Content>) {
        let mut old: Vec<Step> = std::mem::take(&mut self.steps);
        self.steps = content
            .steps
            .iter()
            .map(|spec| match old.iter().position(|step| step.spec.id == spec.id) {
                Some(index) => {
                    let mut step = old.swap_remove(index);
                    // The hand switch and what was added were for what the step said then.
                    step.may_change &= step.spec == *spec;
                    if step.spec != *spec {
                        step.grants.clear();
                    }
                    step.spec = Arc::clone(spec);
                    step
                }
                None => Step::new(Arc::clone(spec)),
            })
            .collect();
        let ids: BTreeSet<StepId> = content.steps.iter().map(|step| step.id.clone()).collect();
        self.used_ids.extend(ids);
        self.revision = revision;
        self.hash = hash;
        self.content = content;
        self.approval = None;
        self.about.clear();
        self.left = None;
        self.rejected = false;
    }

    /// Steps under way go back to pending: nothing runs while a plan waits.
    fn put_back(&mut self) {
        for step in &mut self.steps {
            if step.is_in_progress() {
                step.state = StepState::Pending;
            }
        }
    }
}

impl Room {
    /// Whether the plan is paused for this reason.
    pub fn is_paused_for(&self, reason: PauseReason) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.state == PlanState::Paused { reason })
    }
}
