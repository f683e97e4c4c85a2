//! One turn of an agent: from what is new in the conversation to its words and its next call.
//!
//! A turn ends where the agent asks for something. Its prompt stays open, and the next turn
//! begins by answering with what came of the call.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{OwnedMutexGuard, watch};

use super::asked::as_call;
use super::going_on::go_on;
use super::launch::Launch;
use super::list::List;
use super::peer::{Incoming, RpcError};
use super::session::{Fault, Open, Session, Waits};
use super::trouble::AgentTrouble;
use super::{update, words};
use crate::reading::{LONGEST_ANSWER, LONGEST_REST, length, too_long, too_much_beside};
use crate::{CallRequest, Message, ModelError, ModelEvent, Request, Stop, Usage};

/// A turn under way. Dropping it calls the agent off.
pub(super) struct Turn {
    slot: Option<OwnedMutexGuard<Option<Session>>>,
    agent: String,
    launch: Arc<dyn Launch>,
    request: Option<Request>,
    /// What the person last asked for: the goal of a plan.
    goal: String,
    out: VecDeque<Result<ModelEvent, ModelError>>,
    /// How many bytes of words and arguments it said.
    said: usize,
    /// How many bytes had come from the program when the turn began.
    before: usize,
    over: bool,
    recalled: watch::Receiver<bool>,
}

impl Turn {
    pub(super) fn new(
        slot: OwnedMutexGuard<Option<Session>>,
        agent: String,
        launch: Arc<dyn Launch>,
        request: Request,
        recalled: watch::Receiver<bool>,
    ) -> Self {
        Self {
            slot: Some(slot),
            agent,
            launch,
            request: Some(request),
            goal: String::new(),
            out: VecDeque::new(),
            said: 0,
            before: 0,
            over: false,
            recalled,
        }
    }

    /// The next piece, until the turn is over.
    pub(super) async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.out.pop_front() {
                return Some(event);
            }
            if self.over {
                return None;
            }
            let mut back = self.recalled.clone();
            let stepped = tokio::select! {
                biased;
                () = recalled(&mut back) => Err(self.called_back().await),
                stepped = self.step() => stepped,
            };
            if let Err(error) = stepped {
                self.over = true;
                return Some(Err(error));
            }
        }
    }

    async fn step(&mut self) -> Result<(), ModelError> {
        if let Some(request) = self.request.take() {
            return self.begin(request).await;
        }
        let Some(session) = self.slot.as_mut().and_then(|slot| slot.as_mut()) else {
            return Err(ModelError::Dropped);
        };
        let incoming = match session.held.take() {
            Some(held) => Ok(held),
            None => session.peer.next().await,
        };
        let heard = session.peer.heard() - self.before;
        let taken = match incoming {
            Ok(_) if heard > LONGEST_REST => Err(self.too_long(too_much_beside())),
            Ok(incoming) => self.take(incoming).await,
            Err(lost) => Err(Fault::Lost(lost)),
        };
        match taken {
            Ok(()) => Ok(()),
            Err(fault) => Err(self.fail(fault).await),
        }
    }

    /// The program is of no more use: it is ended, and the next turn starts it anew.
    async fn fail(&mut self, fault: Fault) -> ModelError {
        match self.slot.as_mut().and_then(|slot| slot.take()) {
            Some(session) => ModelError::Agent(session.fail(fault).await),
            None => ModelError::Dropped,
        }
    }

    /// The program may not go on: it is ended wherever it is.
    async fn called_back(&mut self) -> ModelError {
        if let Some(session) = self.slot.as_mut().and_then(|slot| slot.take()) {
            session.end().await;
        }
        ModelError::Agent(AgentTrouble::Recalled { agent: self.agent.clone() })
    }

    async fn begin(&mut self, request: Request) -> Result<(), ModelError> {
        let Some(slot) = self.slot.as_mut() else { return Err(ModelError::Dropped) };
        let (all, count) = words::since(&request.history, 0)?;
        // A conversation that was cut is another one.
        if slot.as_ref().is_some_and(|session| session.told > count)
            && let Some(session) = slot.take()
        {
            session.end().await;
        }
        self.goal = all
            .iter()
            .rev()
            .find_map(|message| match message {
                Message::User { text } => text.lines().find(|line| !line.trim().is_empty()),
                Message::Assistant { .. } | Message::ToolResult { .. } | Message::Note { .. } => {
                    None
                }
            })
            .unwrap_or("what the agent set out to do")
            .to_owned();
        let tail = request.tail.as_deref();
        let session = match slot.as_mut() {
            Some(session) => session,
            None => {
                let session = Session::start(&self.agent, &*self.launch).await;
                slot.insert(session.map_err(ModelError::Agent)?)
            }
        };
        self.before = session.peer.heard();
        match session.choose(&request.model).await {
            Ok(true) => {}
            Ok(false) => {
                let (provider, model) = (self.agent.clone(), request.model);
                return Err(ModelError::UnknownModel { provider, model });
            }
            Err(fault) => return Err(self.fail(fault).await),
        }
        let begun = match session.told {
            0 => {
                session.list = List::of(&all);
                session.prompt(&words::whole(&request.system, &all, tail)).await
            }
            told => go_on(session, &all[told..], tail).await,
        };
        session.told = count;
        session.spoke = false;
        match begun {
            Ok(()) => Ok(()),
            Err(fault) => Err(self.fail(fault).await),
        }
    }

    async fn take(&mut self, incoming: Incoming) -> Result<(), Fault> {
        let Some(session) = self.session() else { return Ok(()) };
        match incoming {
            Incoming::Response { id, result } if session.prompt == Some(id) => {
                session.prompt = None;
                let result = match result {
                    Ok(result) => result,
                    Err(error) => return Err(Fault::Trouble(session.refusal(error))),
                };
                self.out.push_back(Ok(ModelEvent::Usage(usage(&result["usage"]))));
                match result["stopReason"].as_str() {
                    Some("max_tokens" | "max_turn_requests") => self.finish(Stop::Length),
                    Some("refusal") => {
                        self.over = true;
                        let reason = "refusal".to_owned();
                        self.out.push_back(Err(ModelError::Declined { reason }));
                    }
                    // A list that was made and left is the plan.
                    Some(_) | None if self.plan()? => {}
                    Some(_) | None => self.finish(Stop::End),
                }
            }
            Incoming::Response { .. } => {}
            Incoming::Request { id, method, mut params } => {
                if method == "session/request_permission" {
                    params["toolCall"] = session.tool_calls.whole(&params["toolCall"]);
                }
                if let Some(answer) = session.terminals.answer(&method, &params) {
                    session.peer.answer(id, answer).await?;
                } else if let Some((asked, tool, args)) = as_call(&method, &params, &session.folder)
                {
                    // Reading does not mean that the list is made.
                    if tool != "read_file" && self.plan()? {
                        if let Some(session) = self.session() {
                            session.held = Some(Incoming::Request { id, method, params });
                        }
                        return Ok(());
                    }
                    self.call(tool, &args, Waits::Request { id, asked })?;
                    self.finish(Stop::ToolCalls);
                } else {
                    session.peer.answer(id, Err(RpcError::no_method(&method))).await?;
                }
            }
            Incoming::Notice { method, params } if method == "session/update" => {
                self.update(&params["update"])?;
            }
            Incoming::Notice { .. } => {}
        }
        Ok(())
    }

    fn update(&mut self, news: &Value) -> Result<(), Fault> {
        if news["sessionUpdate"] != "plan" {
            if let (true, Some(session)) = (news["toolCallId"].is_string(), self.session()) {
                session.tool_calls.heard(news);
            }
            let event = update::read(news);
            self.grow(event.as_ref().map_or(0, length))?;
            self.out.extend(event.map(Ok));
            return Ok(());
        }
        let Some(session) = self.session() else { return Ok(()) };
        if session.list.take(&news["entries"]) {
            self.plan()?;
        }
        Ok(())
    }

    /// Ends the turn with what is new in the agent's list; whether there is anything.
    fn plan(&mut self) -> Result<bool, Fault> {
        let goal = self.goal.clone();
        let calls = self.session().map(|session| session.list.news(&goal)).unwrap_or_default();
        if calls.is_empty() {
            return Ok(false);
        }
        for args in &calls {
            self.call("plan", args, Waits::List)?;
        }
        self.finish(Stop::ToolCalls);
        Ok(true)
    }

    /// Counts what was said, which has to end some time.
    fn grow(&mut self, bytes: usize) -> Result<(), Fault> {
        self.said += bytes;
        if self.said > LONGEST_ANSWER { Err(self.too_long(too_long())) } else { Ok(()) }
    }

    fn too_long(&self, why: String) -> Fault {
        Fault::Trouble(AgentTrouble::TooLong { agent: self.agent.clone(), why })
    }

    fn session(&mut self) -> Option<&mut Session> {
        self.slot.as_mut()?.as_mut()
    }

    fn call(&mut self, tool: &'static str, args: &Value, waits: Waits) -> Result<(), Fault> {
        let (name, arguments) = (tool.to_owned(), args.to_string());
        self.grow(arguments.len())?;
        let Some(session) = self.session() else { return Ok(()) };
        session.calls += 1;
        session.open.push(Open { tool, waits });
        let id = format!("agent_{}", session.calls);
        self.out.push_back(Ok(ModelEvent::ToolCall(CallRequest::new(id, name, arguments))));
        Ok(())
    }

    fn finish(&mut self, stop: Stop) {
        self.out.push_back(Ok(ModelEvent::Done(stop)));
        self.over = true;
        if let Some(session) = self.session() {
            session.spoke = true;
        }
    }
}

/// Returns when the agent may not go on.
async fn recalled(back: &mut watch::Receiver<bool>) {
    // Without a sender nobody can say so any more.
    if back.wait_for(|back| *back).await.is_err() {
        std::future::pending().await
    }
}

/// What it spent, where it says so.
fn usage(told: &Value) -> Usage {
    let count = |name: &str| told[name].as_u64().unwrap_or(0);
    let (read, written) = (count("cachedReadTokens"), count("cachedWriteTokens"));
    Usage {
        input: count("inputTokens").saturating_add(read).saturating_add(written),
        output: count("outputTokens"),
        cache_read: read,
        cache_write: written,
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(mut slot) = self.slot.take() else { return };
        let Some(session) = slot.as_ref() else { return };
        let at_work = session.prompt.is_some() && !self.over;
        if !at_work && !session.peer.is_spoilt() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let mut back = self.recalled.clone();
        runtime.spawn(async move {
            let Some(session) = slot.as_mut() else { return };
            let spoilt = session.peer.is_spoilt();
            let left = !spoilt
                && tokio::select! {
                    biased;
                    () = recalled(&mut back) => false,
                    left = session.call_off() => left.is_ok(),
                };
            if !left && let Some(session) = slot.take() {
                session.end().await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::usage;
    use serde_json::json;

    #[test]
    fn more_tokens_than_can_be_counted_are_the_most() {
        let told =
            json!({ "inputTokens": u64::MAX, "cachedReadTokens": 1, "cachedWriteTokens": 1 });
        assert_eq!(usage(&told).input, u64::MAX);
    }
}
