//! One server that is up: requests to it, each with a limit, and its end.

use super::bounded::LONGEST_LINE;
use super::calls::{Calls, Limits, Listener, News};
use super::error::McpError;
use super::handler::Handler;
use super::measured::TOO_LONG;
use super::output;
use super::resources;
use super::said::Said;
use super::start;
use super::tool::McpTool;
use crate::cut::first_words;
use crate::output::Output;
use crate::program::Program;
use rmcp::ServiceError;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ReadResourceRequest,
    ReadResourceRequestParams, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleClient, RunningService};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a server may take to hear that it should stop, or that we leave.
const FAREWELL: Duration = Duration::from_secs(1);

/// The most that is said of its tools in all its life.
const MOST_NOTED: usize = 50;

/// A server that is up. Dropping it ends its processes.
pub struct Connection {
    pub(super) server: String,
    pub(super) peer: Peer<RoleClient>,
    pub(super) calls: Arc<Calls>,
    pub(super) stale: Arc<AtomicBool>,
    pub(super) too_long: Arc<AtomicBool>,
    pub(super) said: Said,
    /// What was said of its tools, each thing once.
    pub(super) noted: Mutex<BTreeSet<String>>,
    pub(super) service: Mutex<Option<RunningService<RoleClient, Handler>>>,
    /// A program's processes; an address has none.
    pub(super) program: Mutex<Option<Program>>,
    pub(super) since: Instant,
}

impl Connection {
    /// Calls a tool that was listed.
    pub(super) async fn call(
        &self,
        tool: &McpTool,
        args: &Map<String, Value>,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Result<Output, McpError> {
        if tool.ours && tool.name == resources::LIST {
            return Ok(output::of_resources(&self.resources(limits).await?));
        }
        if tool.ours {
            let params = ReadResourceRequestParams::new(resources::uri(&self.server, args)?);
            let request = ReadResourceRequest::new(params).into();
            let answer = self.request(request, limits, Some(listener)).await?;
            let ServerResult::ReadResourceResult(read) = answer else {
                return Err(self.refused("its answer can't be read"));
            };
            return Ok(output::of_resource(&read.contents));
        }
        let params = CallToolRequestParams::new(tool.name.clone()).with_arguments(args.clone());
        let request = CallToolRequest::new(params).into();
        let answer = self.request(request, limits, Some(listener)).await?;
        // Nothing to say is not an error, but it looks like nothing else.
        if let ServerResult::EmptyResult(_) = answer {
            return Ok(output::of_call(&CallToolResult::default()));
        }
        let ServerResult::CallToolResult(result) = answer else {
            return Err(self.refused("its answer can't be read"));
        };
        Ok(output::of_call(&result))
    }

    /// Asks for something and waits: for the answer, the limit, or a person.
    pub(super) async fn request(
        &self,
        request: ClientRequest,
        limits: &Limits,
        listener: Option<&dyn Listener>,
    ) -> Result<ServerResult, McpError> {
        let (entry, mut news) = self.calls.begin();
        let options = PeerRequestOptions::no_options();
        let sent = self.peer.send_cancellable_request(request, options).await;
        let mut handle = sent.map_err(|error| self.problem(&error))?;
        entry.is_known_as(handle.progress_token.clone());
        let mut deadline = Instant::now() + limits.timeout;
        loop {
            tokio::select! {
                // The answer first: what is said after it is for nobody.
                biased;
                answer = &mut handle.rx => {
                    let gone = |_| ServiceError::TransportClosed;
                    return answer.map_err(gone).flatten().map_err(|error| self.problem(&error));
                }
                () = limits.cancel.cancelled() => {
                    self.give_up(handle, "cancelled").await;
                    return Err(McpError::Cancelled);
                }
                () = tokio::time::sleep_until(deadline) => {
                    self.give_up(handle, "the time limit").await;
                    return Err(McpError::TimedOut { after: limits.timeout });
                }
                Some(news) = news.recv() => match (news, listener) {
                    (News::Progress(progress), Some(listener)) => listener.progress(progress),
                    (News::Asked { question, reply }, Some(listener)) => {
                        let since = Instant::now();
                        tokio::select! {
                            answer = listener.asked(&question) => drop(reply.send(answer)),
                            () = limits.cancel.cancelled() => {}
                            () = self.peer_gone() => {}
                        }
                        // Waiting for a person counts against no limit.
                        deadline += since.elapsed();
                    }
                    (News::Progress(_) | News::Asked { .. }, None) => {}
                },
            }
        }
    }

    /// Tells the server that nobody waits any more.
    async fn give_up(&self, handle: RequestHandle<RoleClient>, why: &str) {
        // One that does not even read is ended by whoever gave it up.
        let _ = tokio::time::timeout(FAREWELL, handle.cancel(Some(why.to_owned()))).await;
    }

    /// Returns when the server is gone; it is looked at now and then, for a
    /// person who is asked is never in a hurry.
    async fn peer_gone(&self) {
        while !self.is_closed() {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Whether the server is gone.
    pub fn is_closed(&self) -> bool {
        self.peer.is_transport_closed()
    }

    /// Whether it was cut off in the middle of a message without an end.
    pub(super) fn is_cut(&self) -> bool {
        self.too_long.load(Ordering::Acquire)
    }

    /// Whether the server said since the last look that its tools changed.
    pub fn is_stale(&self) -> bool {
        self.stale.swap(false, Ordering::AcqRel)
    }

    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// Whether nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.calls.count() == 0
    }

    pub(super) fn has_tools(&self) -> bool {
        self.peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some())
    }

    pub(super) fn has_resources(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| info.capabilities.resources.is_some())
    }

    /// Says something of it, once in its life and not without end.
    pub(super) fn note(&self, words: &str) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < MOST_NOTED && noted.insert(words.to_owned()) {
            self.said.note(words);
        }
    }

    /// Ends it and returns when nothing of it is left.
    pub async fn end(&self) {
        let take = |service: &Mutex<_>| {
            let mut service = service.lock().unwrap_or_else(PoisonError::into_inner);
            Option::<RunningService<RoleClient, Handler>>::take(&mut service)
        };
        let service = take(&self.service);
        let program = self.program.lock().unwrap_or_else(PoisonError::into_inner).take();
        match program {
            Some(program) => {
                program.end().await;
                drop(service);
            }
            // An address is told, so that it can forget the session.
            None => {
                if let Some(mut service) = service {
                    let _ = service.close_with_timeout(FAREWELL).await;
                }
            }
        }
    }

    /// Why it is gone: what it was ended for, or what it said last.
    pub(super) fn last_words(&self) -> String {
        self.ended_for().unwrap_or_else(|| self.said.end())
    }

    /// What it was ended for, which its own words do not say.
    fn ended_for(&self) -> Option<String> {
        let program = self.program.lock().unwrap_or_else(PoisonError::into_inner);
        Some(program.as_ref().and_then(Program::exceeded)?.why())
    }

    pub(super) fn refused(&self, message: &str) -> McpError {
        McpError::Refused { server: self.server.clone(), message: message.to_owned() }
    }

    fn problem(&self, error: &ServiceError) -> McpError {
        let server = self.server.clone();
        if let Some(why) = self.ended_for() {
            return McpError::Gone { server, why };
        }
        let unread = matches!(error, ServiceError::McpError(one) if one.code.0 == TOO_LONG);
        if unread || self.is_cut() {
            return McpError::TooLong { server, most: LONGEST_LINE };
        }
        if let ServiceError::McpError(refused) = error {
            let message = first_words(&refused.message, 1_000).to_owned();
            return McpError::Refused { server, message };
        }
        let said = self.said.end();
        let closed = matches!(error, ServiceError::TransportClosed);
        let why = match said.is_empty() {
            false if closed => said,
            true if closed => "it said nothing".to_owned(),
            true | false if let ServiceError::TransportSend(failed) = error => {
                start::told(&*failed.error)
            }
            true | false => error.to_string(),
        };
        McpError::Gone { server, why }
    }
}
