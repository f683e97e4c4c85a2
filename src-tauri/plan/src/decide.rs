//! The one place where a wish becomes fact or is refused.

mod answering;
mod calling;
mod commenting;
mod copying;
mod council;
mod delegating;
mod goals;
mod handing;
mod member;
mod pausing;
mod repeating;
mod revising;
mod running;
mod staying;
mod talking;
mod writing;

pub(crate) use answering::STOPPED;
pub(crate) use calling::fingerprint;
pub use council::{NewAnswer, NewAttempt, NewCouncil};
use delegating::End;
pub use delegating::SIDEKICK_CAP;
pub(crate) use talking::INTERRUPTED;

use crate::repeat::task_mark;
use crate::text::{is_blank, one_line};
use crate::{
    Actor, ActorKind, AskId, AskKind, CallId, CallState, Command, DecidedBy, Event, Outcome,
    PauseReason, Plan, Refusal, ReplyEnd, Room, Time, UnderWay,
};

/// What follows from a command: events to store and apply in this order, or why nothing does.
pub fn decide(
    room: &Room,
    command: Command,
    actor: &Actor,
    now: Time,
) -> Result<Vec<Event>, Refusal> {
    may(&command, actor)?;
    if room.id.is_none() && !matches!(command, Command::CreateRoom { .. }) {
        return Err(Refusal::NoRoom);
    }
    if room.member.is_some() && actor.kind != ActorKind::Harness {
        return Err(Refusal::MemberRoom);
    }
    let (room, events) = (room.clone(), Vec::new());
    let mut deciding = Deciding {
        room,
        events,
        actor,
        now,
        keep: None,
        so_far: None,
        below: None,
        nudge_above: None,
    };
    deciding.command(command)?;
    deciding.follow_council();
    Ok(deciding.events)
}

/// A decision in the making: each event is applied at once, so that the next rule sees it.
struct Deciding<'a> {
    room: Room,
    events: Vec<Event>,
    actor: &'a Actor,
    now: Time,
    /// The agent's own call that carries this command: a pause does not sweep it away.
    keep: Option<CallId>,
    /// What the model has said in the turn that is cut short.
    so_far: Option<String>,
    /// How far the sidekicks of the plan's steps are, where the time is told.
    below: Option<Vec<UnderWay>>,
    /// What the plan above says to a call that ends.
    nudge_above: Option<String>,
}

impl Deciding<'_> {
    fn command(&mut self, command: Command) -> Result<(), Refusal> {
        match command {
            Command::CreateRoom { room, title, unnamed, workspace, kind, mode, agent } => {
                if self.room.id.is_some() {
                    return Err(Refusal::RoomExists);
                }
                title_fits(&title)?;
                self.emit(Event::RoomCreated {
                    room,
                    title,
                    unnamed,
                    workspace,
                    kind,
                    mode,
                    agent,
                });
                Ok(())
            }
            Command::Rename { title } => {
                title_fits(&title)?;
                if self.room.title != title {
                    self.emit(Event::RoomRenamed { title });
                }
                Ok(())
            }
            Command::Move { workspace } => {
                let works = self.room.owes || !self.room.calls.is_empty();
                let busy =
                    self.room.active_plan().is_some() || self.room.active_council().is_some();
                if works || busy {
                    return Err(Refusal::RoomAtWork);
                }
                if self.room.workspace != workspace {
                    self.emit(Event::RoomMoved { workspace });
                }
                Ok(())
            }
            Command::Archive { archived } => {
                let open = self.room.sidekick.as_ref().is_some_and(|own| own.ended.is_none());
                // Someone waits for it, or for what it has done.
                if archived && (open || self.room.has_work_to_settle()) {
                    return Err(Refusal::SidekickAtWork);
                }
                if archived {
                    self.pause_council();
                }
                if archived && self.room.running_plan().is_some() {
                    self.pause(PauseReason::Supervisor, None, None);
                }
                if self.room.archived != archived {
                    self.emit(Event::RoomArchived { archived });
                }
                Ok(())
            }
            Command::KeepRule { rule } => {
                self.keep_rule(rule);
                Ok(())
            }
            Command::Grant { plan, step, grant } => {
                self.grant(plan, step, grant);
                Ok(())
            }
            Command::ForgetRule { rule } => {
                let kept = self.room.rules.iter().find(|kept| kept.to_string() == rule);
                let rule = kept.cloned().ok_or(Refusal::NoSuchRule)?;
                self.emit(Event::RuleForgotten { rule, by: self.actor.clone() });
                Ok(())
            }
            Command::SetMode { mode } => {
                if self.room.mode != mode {
                    self.emit(Event::ModeChanged { mode, by: self.actor.clone() });
                }
                Ok(())
            }
            Command::Say { message, text } => self.say(message, text),
            Command::Brief { task, context, model, number, limits } => {
                self.brief(task, context, model, number, limits)
            }
            Command::EndSidekick { end, result, told, checked, given_up, next, call } => {
                self.refuse_while_planning("complete a task")?;
                let result = &result;
                let full = None;
                let how = End { end, result, told, checked, given_up, next, full };
                self.end_sidekick(&how, call)
            }
            Command::Delegate { room, codename, task, plan } => {
                let mark = Some(task_mark(&task));
                self.emit(Event::Delegated { room, codename, task: one_line(&task), plan, mark });
                Ok(())
            }
            Command::HandStep { step, room, instead_of } => self.hand_step(&step, room, instead_of),
            Command::StepOver { step, room, from, ended, used } => {
                self.step_over(step, room, from, &ended, used)
            }
            Command::StepTried { step, room, tried } => {
                self.step_tried(&step, room, tried);
                Ok(())
            }
            Command::StepSpent { step, room, usage } => {
                self.step_spent(step, room, usage);
                Ok(())
            }
            Command::SpentBelow { room, usage } => {
                self.spent_below(room, usage);
                Ok(())
            }
            Command::GoOn { by } => {
                self.sidekick_goes_on(by);
                Ok(())
            }
            Command::MadeCopy { folder, shares, left_out } => {
                self.made_copy(folder, shares, left_out)
            }
            Command::BeginMerge { paths } => self.begin_merge(paths),
            Command::EndMerge { changed, partly, left, repositories } => {
                self.end_merge(changed, partly, left, repositories);
                Ok(())
            }
            Command::DropCopy { problem } => {
                self.drop_copy(problem);
                Ok(())
            }
            Command::PutBack { step, room, reason } => self.put_back(step, room, reason),
            Command::HoldBack => {
                self.sweep("paused", Sweep::Hold);
                Ok(())
            }
            Command::QueueSidekick => {
                self.queue_sidekick();
                Ok(())
            }
            Command::StartSidekick => {
                self.start_sidekick();
                Ok(())
            }
            Command::SidekickReported => {
                self.sidekick_reported();
                Ok(())
            }
            Command::Tell { from, text, quiet } => {
                self.tell(from, text, quiet);
                Ok(())
            }
            Command::Reply { model, text, thinking, calls, kept, usage, seen, ended } => {
                let planning = self.room.planning.is_some();
                let repeats = ended == ReplyEnd::Repeating;
                let reply = Event::Replied {
                    model,
                    text,
                    thinking,
                    calls,
                    kept,
                    usage,
                    seen,
                    planning,
                    repeats,
                };
                self.reply(reply, ended)
            }
            Command::Spend { model, usage } => {
                self.emit(Event::Spent { model, usage });
                self.check_caps();
                Ok(())
            }
            Command::SetAside { model, usage, seen, turns } => {
                self.set_aside(model, usage, seen, turns)
            }
            Command::Compact { summary, upto } => {
                self.emit(Event::Compacted { summary, upto });
                Ok(())
            }
            Command::Trouble { reason, code, text, until } => {
                self.trouble(reason, code, text, until);
                Ok(())
            }
            Command::Wake => self.wake(),
            Command::Tick { so_far, below } => {
                self.so_far = so_far.filter(|words| !is_blank(words));
                self.below = Some(below);
                self.check_caps();
                Ok(())
            }
            Command::RunLow => {
                self.run_low();
                Ok(())
            }
            Command::Interrupt { cut } => {
                self.interrupt(&cut);
                Ok(())
            }

            Command::BeginCall { call, effect, touches, how } => {
                self.begin_call(call, effect, touches, how)
            }
            Command::EndCall { call, outcome, result, nudge, changed, images, ms } => {
                self.nudge_above = nudge;
                self.end_call(call, outcome, result, changed, images, ms)
            }
            Command::Warn { call, text } => self.warn(call, text),
            Command::RaiseAsk { ask } => self.raise(ask),
            Command::AwaitPerson { ask } => {
                self.await_person(ask);
                Ok(())
            }
            Command::Answer { ask, answer, note, revision, hash } => {
                self.answer(ask, answer, note, revision, hash)
            }

            Command::StartCouncil { new, call } => self.start_council(*new, call),
            Command::AskMember { member, low } => self.ask_member(member, low),
            Command::AnswerCouncil { new } => self.member_answers(*new),
            Command::VoteCouncil { voter, choice, label, reason } => {
                self.vote(voter, choice, label.as_deref(), &reason)
            }
            Command::MemberOut { member, reason } => self.member_out(member, reason),
            Command::MemberWaits { member, until } => self.member_waits(member, until),
            Command::RetryMember { member, room } => self.retry_member(member, room),
            Command::CouncilTimeUp => self.decide_now(DecidedBy::Timeout),
            Command::AnswerNow => self.decide_now(DecidedBy::Person),
            Command::PickWinner { member } => self.pick(member),
            Command::HandOver { text } => self.hand_over(text),
            Command::SubmitCouncil { call } => self.submit_council(call),
            Command::RestartCouncil { again, call } => self.restart_council(*again, call),
            Command::TellMember { turn, text, may_look, words, last_word } => {
                self.tell_member(Event::MemberTold { turn, text, may_look, words, last_word }, turn)
            }
            Command::EndMemberTurn { call, words } => self.end_member_turn(call, words),
            Command::NudgeMember => self.member_goes_on(),

            Command::SetGoal { plan, message, text, goal, frame } => {
                self.refuse_in_council()?;
                self.set_goal(plan, message, text, goal, frame)
            }
            Command::RefuseSplit { why } => {
                self.refuse_split(&why);
                Ok(())
            }
            Command::Hold { held, drift, waiting } => {
                self.hold(held, drift, waiting);
                Ok(())
            }
            Command::Write { plan, ask, call, draft, frame } => {
                self.refuse_in_council()?;
                let planning = self.room.planning.is_some();
                self.write(plan, ask, call, draft, frame)?;
                self.end_planning(planning);
                Ok(())
            }
            Command::Run { ask, call } => {
                self.refuse_while_planning("start a plan")?;
                self.run(ask, call)
            }
            Command::Approve { revision, hash, model, fresh_context } => {
                self.approve(revision, &hash, model, fresh_context)
            }
            Command::Reject { reason } => {
                short_enough("the reason", Some(&reason))?;
                self.reject(reason)
            }
            Command::Revise { edits, reason, seen, ask, call } => {
                let planning = self.room.planning.is_some();
                self.revise(edits, reason, seen, ask, call)?;
                self.end_planning(planning);
                Ok(())
            }

            Command::StepDone { step, result, check, call } => {
                self.refuse_while_planning("report a step as done")?;
                self.keep = call;
                self.step_done(&step, result, check)
            }
            Command::StepFailed { step, error, next, call } => {
                self.refuse_while_planning("report a step as failed")?;
                self.keep = call;
                self.step_failed(&step, error, next)
            }
            Command::FailStep { step, error } => self.fail_step(&step, error),
            Command::Stop { so_far } => {
                self.stop(so_far);
                Ok(())
            }
            Command::Pause => match self.pause_council() {
                true => Ok(()),
                false => self.pause_by_person(),
            },
            Command::PauseAfterStep { on } => self.pause_after_step(on),
            Command::StopStep => self.stop_step(),
            Command::Resume => match self.resume_council() {
                true => Ok(()),
                false => self.resume(),
            },
            Command::Refill => {
                self.refill();
                Ok(())
            }
            Command::Cancel { reason, call } => {
                self.refuse_while_planning("cancel a plan")?;
                short_enough("the reason", Some(&reason))?;
                self.keep = call;
                match self.actor.is_person() && self.cancel_council(&reason) {
                    true => Ok(()),
                    false => self.cancel(reason),
                }
            }
            Command::Skip { step } => self.skip(&step),
            Command::Retry { step } => self.retry(&step),
            Command::CheckFailed { step, detail } => self.check_failed(&step, &detail),
            Command::ReportError { step, error } => self.report_error(&step, &error),
            Command::Override { step } => self.override_check(&step),
            Command::LetChange { step, on, seen } => self.let_change(&step, on, seen),
            Command::Comment { message, seen, on, text } => self.comment(message, seen, &on, &text),
        }
    }

    fn emit(&mut self, event: Event) {
        self.room.apply(&event, self.now);
        self.events.push(event);
    }

    /// Tells the model something that it has to answer.
    fn nudge(&mut self, text: String) {
        self.emit(Event::Nudged { text, from: None, quiet: false });
    }

    fn active(&self) -> Result<&Plan, Refusal> {
        self.room.active_plan().ok_or(Refusal::NoPlan)
    }

    /// Pauses the plan; nothing that has not begun will.
    fn pause(&mut self, reason: PauseReason, detail: Option<String>, until: Option<Time>) {
        self.emit(Event::Paused { reason, detail, until, since: None });
        self.sweep("paused", Sweep::Pause);
    }

    /// Ends every call that has not begun, and withdraws what was asked for it.
    fn sweep(&mut self, why: &str, sweep: Sweep) {
        let calls: Vec<(CallId, CallState)> = self
            .room
            .calls
            .iter()
            .filter(|call| Some(call.request.id) != self.keep)
            .map(|call| (call.request.id, call.state.clone()))
            .collect();
        for (call, state) in calls {
            match state {
                CallState::Running(_) => {}
                CallState::Waiting | CallState::Allowed => self.not_run(call, why),
                CallState::Asking(ask) => self.sweep_asking(call, ask, why, sweep),
            }
        }
    }

    fn sweep_asking(&mut self, call: CallId, ask: AskId, why: &str, sweep: Sweep) {
        // What is asked after a crash is whether the call happened: "not run" would be a lie.
        let began = self.room.asks.get(&ask).is_some_and(|ask| ask.kind == AskKind::Outcome);
        match (sweep, began) {
            (Sweep::Interrupt | Sweep::Hold, _) | (Sweep::Pause, true) => return,
            (Sweep::Pause | Sweep::End, _) => {}
        }
        self.emit(Event::AskWithdrawn { ask, reason: why.to_owned() });
        if began {
            let words = "The app stopped during this call; nobody said whether it happened.";
            self.end_with(call, Outcome::Cancelled, words.to_owned());
        } else {
            self.not_run(call, why);
        }
    }
}

/// Why calls that have not begun are ended.
#[derive(Clone, Copy)]
enum Sweep {
    /// The plan is paused.
    Pause,
    /// The plan or the turn is over.
    End,
    /// The app stopped: questions outlive that, with the calls that wait for them.
    Interrupt,
    /// A plan above is paused: questions outlive that, too.
    Hold,
}

/// The longest note, reason or answer, in characters.
const NOTE_CHARS: usize = 4_000;

/// Refuses words that are too long to stand in an event.
fn short_enough(what: &str, words: Option<&str>) -> Result<(), Refusal> {
    match words {
        Some(words) if words.chars().count() > NOTE_CHARS => {
            Err(Refusal::TooLong { what: what.to_owned(), most: NOTE_CHARS })
        }
        Some(_) | None => Ok(()),
    }
}

/// The longest name of a room, in characters.
const TITLE_CHARS: usize = 200;

fn title_fits(title: &str) -> Result<(), Refusal> {
    if is_blank(title) {
        return Err(Refusal::EmptyTitle);
    }
    if title.chars().count() > TITLE_CHARS {
        return Err(Refusal::TooLong { what: "the name".to_owned(), most: TITLE_CHARS });
    }
    Ok(())
}

/// Who may wish what.
fn may(command: &Command, actor: &Actor) -> Result<(), Refusal> {
    let person = |what| match actor.kind {
        ActorKind::Person => Ok(()),
        ActorKind::Agent | ActorKind::Sidekick | ActorKind::Harness => {
            Err(Refusal::PersonOnly { what })
        }
    };
    let harness = |what| match actor.kind {
        ActorKind::Harness => Ok(()),
        ActorKind::Person | ActorKind::Agent | ActorKind::Sidekick => {
            Err(Refusal::HarnessOnly { what })
        }
    };
    match command {
        Command::Rename { .. } => person("rename a room"),
        Command::Archive { .. } => person("archive a room"),
        Command::SetMode { .. } => person("change the plan mode"),
        Command::Say { .. } => person("speak for a person"),
        Command::SetGoal { .. } => person("set a goal"),
        Command::KeepRule { .. } => person("keep a rule"),
        Command::Grant { .. } => person("add to a plan"),
        Command::ForgetRule { .. } => person("take a rule back"),
        Command::Move { .. } => person("move a room"),
        Command::Stop { .. } => person("stop a turn"),
        Command::Pause | Command::PauseAfterStep { .. } => person("pause a plan"),
        Command::StopStep => person("stop a step"),
        Command::Resume => person("resume a plan"),
        Command::Refill => person("refill a plan's steps"),
        Command::Approve { .. } => person("approve a plan"),
        Command::Reject { .. } => person("reject a plan"),
        Command::Skip { .. } => person("skip a step by hand"),
        Command::Retry { .. } => person("retry a step"),
        Command::Override { .. } => person("override a check"),
        Command::LetChange { .. } => person("let a step change the workspace"),
        Command::Comment { .. } => person("comment on a plan"),
        Command::Answer { .. } => person("answer a question"),
        Command::Reply { .. } => harness("record a reply"),
        Command::Spend { .. } => harness("record a cost"),
        Command::SetAside { .. } => harness("set a turn aside"),
        Command::Compact { .. } => harness("compact a conversation"),
        Command::BeginCall { .. } => harness("begin a call"),
        Command::EndCall { .. } => harness("end a call"),
        Command::Warn { .. } => harness("record a warning"),
        Command::RaiseAsk { .. } => harness("raise a question"),
        Command::AwaitPerson { .. } => harness("let a sidekick wait"),
        Command::Trouble { .. } => harness("report trouble"),
        Command::Wake => harness("wake a plan"),
        Command::FailStep { .. } => harness("fail a step"),
        Command::CheckFailed { .. } => harness("record a check"),
        Command::ReportError { .. } => harness("record an error"),
        Command::RefuseSplit { .. } => harness("refuse steps of a goal"),
        Command::Hold { .. } => harness("say what a plan waits for"),
        Command::Tick { .. } => harness("tell the time"),
        Command::RunLow => harness("say that little is left"),
        Command::Interrupt { .. } => harness("interrupt a room"),
        Command::HoldBack => harness("hold a sidekick back"),
        Command::QueueSidekick => harness("queue a sidekick"),
        Command::StartSidekick => harness("start a sidekick"),
        Command::SidekickReported => harness("report a sidekick"),
        Command::Tell { .. } => harness("tell of a sidekick"),
        Command::Delegate { .. } => harness("record a sidekick"),
        Command::HandStep { .. } => harness("hand a step to a sidekick"),
        Command::StepOver { .. } => harness("say what came of a step"),
        Command::StepTried { .. } => harness("count attempts at a step"),
        Command::StepSpent { .. } => harness("record what a step used"),
        Command::SpentBelow { .. } => harness("record what a sidekick used"),
        Command::GoOn { .. } => harness("let a sidekick go on"),
        Command::MadeCopy { .. } => harness("give a sidekick a copy"),
        Command::BeginMerge { .. } | Command::EndMerge { .. } => harness("merge a copy"),
        Command::DropCopy { .. } => harness("drop a copy"),
        Command::PutBack { .. } => harness("put a step back"),
        Command::AskMember { .. } => harness("ask a member"),
        Command::AnswerCouncil { .. } => harness("record an answer"),
        Command::VoteCouncil { voter: Some(_), .. } => harness("record a vote"),
        Command::VoteCouncil { voter: None, .. } => person("vote as a person"),
        Command::MemberOut { .. } => harness("put a member out"),
        Command::MemberWaits { .. } => harness("let a member wait"),
        Command::RetryMember { .. } => person("give a member another chance"),
        Command::CouncilTimeUp => harness("end a council's time"),
        Command::AnswerNow => person("end a council's talk"),
        Command::PickWinner { .. } => person("pick a winner"),
        Command::HandOver { .. } => harness("hand over to the winner"),
        Command::TellMember { .. } => harness("tell a member"),
        Command::EndMemberTurn { .. } => harness("end a member's turn"),
        Command::NudgeMember => harness("let a member go on"),
        Command::StartCouncil { .. } if actor.kind == ActorKind::Sidekick => {
            Err(Refusal::NoCouncilHere)
        }
        Command::EndSidekick { end, .. } => delegating::may_end(*end, actor),
        Command::CreateRoom { .. }
        | Command::StartCouncil { .. }
        | Command::SubmitCouncil { .. }
        | Command::RestartCouncil { .. }
        | Command::Brief { .. }
        | Command::Write { .. }
        | Command::Run { .. }
        | Command::StepDone { .. }
        | Command::StepFailed { .. }
        | Command::Revise { .. }
        | Command::Cancel { .. } => Ok(()),
    }
}
