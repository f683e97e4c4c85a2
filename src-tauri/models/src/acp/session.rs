//! One life of an agent's program: greeted, prompted, called off, ended.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::asked::{Asked, as_call};
use super::choice::Choice;
use super::launch::{Launch, Launched, Program};
use super::list::List;
use super::peer::{Incoming, Lost, Peer, RpcError};
use super::terminals::Terminals;
use super::tool_calls::ToolCalls;
use super::trouble::AgentTrouble;
use crate::plain;

/// The version of the protocol we speak.
const VERSION: u64 = 1;
/// How long an agent may take until it has introduced itself.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it may take to leave off.
const LEAVING: Duration = Duration::from_secs(3);
/// The code of an error that asks for a login.
const LOGIN: i64 = -32000;

/// A program that was greeted, and what goes on between us.
pub(super) struct Session {
    pub(super) agent: String,
    pub(super) peer: Peer,
    program: Box<dyn Program>,
    pub(super) folder: PathBuf,
    id: String,
    /// The ways to log in that it offers.
    logins: Vec<String>,
    choice: Choice,
    /// The prompt that it works on.
    pub(super) prompt: Option<u64>,
    /// The calls that the last turn ended with, in order.
    pub(super) open: Vec<Open>,
    /// How many messages of the conversation it knows of.
    pub(super) told: usize,
    /// Whether its last turn is in the conversation.
    pub(super) spoke: bool,
    /// Notes that came while it was at work, for the next prompt.
    pub(super) notes: Vec<String>,
    pub(super) list: List,
    /// A request that waits until the list before it is in the plan.
    pub(super) held: Option<Incoming>,
    pub(super) terminals: Terminals,
    pub(super) tool_calls: ToolCalls,
    /// Counts calls, so that each has its own id.
    pub(super) calls: u64,
}

/// A call that waits for its result.
pub(super) struct Open {
    pub(super) tool: &'static str,
    pub(super) waits: Waits,
}

/// Who waits for a call.
pub(super) enum Waits {
    /// A request of the agent.
    Request { id: Value, asked: Asked },
    /// Nobody: its list became a plan.
    List,
}

/// Why a session can't go on.
pub(super) enum Fault {
    Lost(Lost),
    Trouble(AgentTrouble),
}

impl From<Lost> for Fault {
    fn from(lost: Lost) -> Self {
        Self::Lost(lost)
    }
}

impl Session {
    /// Starts the program and opens a session with it.
    pub(super) async fn start(agent: &str, launch: &dyn Launch) -> Result<Self, AgentTrouble> {
        let Launched { stdin, stdout, program } = launch.launch().await?;
        let mut session = Self {
            agent: agent.to_owned(),
            peer: Peer::new(stdout, stdin),
            program,
            folder: launch.folder().to_owned(),
            id: String::new(),
            logins: Vec::new(),
            choice: Choice::default(),
            prompt: None,
            open: Vec::new(),
            told: 0,
            spoke: false,
            notes: Vec::new(),
            list: List::default(),
            held: None,
            terminals: Terminals::default(),
            tool_calls: ToolCalls::default(),
            calls: 0,
        };
        let greeted = tokio::time::timeout(PATIENCE, session.greet(launch.folder())).await;
        match greeted {
            Ok(Ok(())) => Ok(session),
            Ok(Err(fault)) => Err(session.fail(fault).await),
            Err(_) => {
                let why = format!("it did not introduce itself within {} s", PATIENCE.as_secs());
                let fault = AgentTrouble::NotStarted { agent: agent.to_owned(), why };
                Err(session.fail(Fault::Trouble(fault)).await)
            }
        }
    }

    async fn greet(&mut self, folder: &Path) -> Result<(), Fault> {
        let hello = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": {
                "fs": { "readTextFile": true, "writeTextFile": true },
                "terminal": true,
            },
            "clientInfo": {
                "name": "plancard", "title": "Plancard", "version": env!("CARGO_PKG_VERSION"),
            },
        });
        let hello = self.ask("initialize", hello).await?;
        if hello["protocolVersion"] != VERSION {
            let theirs = plain::short(plain::one_line(&hello["protocolVersion"].to_string()));
            let (agent, ours) = (self.agent.clone(), VERSION);
            return Err(Fault::Trouble(AgentTrouble::OtherVersion { agent, theirs, ours }));
        }
        let logins = hello["authMethods"].as_array().into_iter().flatten();
        self.logins =
            logins.filter_map(|method| method["name"].as_str()).map(str::to_owned).collect();
        let opened = json!({ "cwd": folder, "mcpServers": [] });
        let opened = self.ask("session/new", opened).await?;
        let Some(id) = opened["sessionId"].as_str() else {
            let lost = Lost::Unreadable("an answer to session/new without a session".to_owned());
            return Err(Fault::Lost(lost));
        };
        self.id = id.to_owned();
        self.choice = Choice::read(&opened);
        Ok(())
    }

    /// Asks something and waits for the answer; used while nothing else goes on.
    async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Fault> {
        let asked = self.peer.request(method, params).await?;
        loop {
            match self.peer.next().await? {
                Incoming::Response { id, result } if id == asked => {
                    return result.map_err(|error| Fault::Trouble(self.refusal(error)));
                }
                // No agent asks this: it is our own question that comes back.
                Incoming::Request { method: echo, .. } if echo == method => {
                    let (agent, why) =
                        (self.agent.clone(), "it repeats what it is told".to_owned());
                    return Err(Fault::Trouble(AgentTrouble::OtherProtocol { agent, why }));
                }
                Incoming::Request { id, method, .. } => {
                    self.peer.answer(id, Err(RpcError::no_method(&method))).await?;
                }
                Incoming::Response { .. } | Incoming::Notice { .. } => {}
            }
        }
    }

    /// Has it use a model; whether it knows it.
    pub(super) async fn choose(&mut self, model: &str) -> Result<bool, Fault> {
        if self.prompt.is_some() || self.choice.is_met(model) {
            return Ok(true);
        }
        if !self.choice.offers(model) {
            return Ok(false);
        }
        let setting = &self.choice.setting;
        let wish = json!({ "sessionId": self.id, "configId": setting, "value": model });
        self.ask("session/set_config_option", wish).await?;
        self.choice.chosen = Some(model.to_owned());
        Ok(true)
    }

    /// Gives it something to do.
    pub(super) async fn prompt(&mut self, text: &str) -> Result<(), Fault> {
        let prompt = json!({ "sessionId": self.id, "prompt": [{ "type": "text", "text": text }] });
        self.prompt = Some(self.peer.request("session/prompt", prompt).await?);
        Ok(())
    }

    /// Calls off what it is doing, and waits until it has left off.
    pub(super) async fn call_off(&mut self) -> Result<(), Fault> {
        let Some(prompt) = self.prompt else { return Ok(()) };
        let left = tokio::time::timeout(LEAVING, self.leave_off(prompt)).await;
        left.unwrap_or_else(|_| {
            let (agent, seconds) = (self.agent.clone(), LEAVING.as_secs());
            Err(Fault::Trouble(AgentTrouble::Silent { agent, seconds }))
        })
    }

    async fn leave_off(&mut self, prompt: u64) -> Result<(), Fault> {
        self.peer.notify("session/cancel", json!({ "sessionId": self.id })).await?;
        for open in std::mem::take(&mut self.open) {
            if let Waits::Request { id, asked } = open.waits {
                self.peer.answer(id, asked.called_off()).await?;
            }
        }
        loop {
            let incoming = match self.held.take() {
                Some(held) => held,
                None => self.peer.next().await?,
            };
            match incoming {
                Incoming::Response { id, .. } if id == prompt => {
                    self.prompt = None;
                    return Ok(());
                }
                Incoming::Request { id, method, params } => {
                    let answer = match as_call(&method, &params, &self.folder) {
                        Some((asked, _, _)) => asked.called_off(),
                        None => self
                            .terminals
                            .answer(&method, &params)
                            .unwrap_or_else(|| Err(RpcError::no_method(&method))),
                    };
                    self.peer.answer(id, answer).await?;
                }
                Incoming::Response { .. } | Incoming::Notice { .. } => {}
            }
        }
    }

    /// An error that it answered with.
    pub(super) fn refusal(&self, error: RpcError) -> AgentTrouble {
        let agent = self.agent.clone();
        if error.code != LOGIN {
            let message = plain::short(plain::one_line(&error.message));
            return AgentTrouble::Refused { agent, message };
        }
        let how = match self.logins.is_empty() {
            true => String::new(),
            false => format!(" ({})", plain::short(plain::one_line(&self.logins.join(", ")))),
        };
        AgentTrouble::NeedsLogin { agent, how }
    }

    /// Ends the program and says what went wrong.
    pub(super) async fn fail(self, fault: Fault) -> AgentTrouble {
        let (agent, greeted) = (self.agent.clone(), !self.id.is_empty());
        let said = self.end().await;
        let said = match said.is_empty() {
            true => String::new(),
            false => {
                let lines = said.lines().map(plain::one_line).filter(|line| !line.is_empty());
                format!("; it said:\n{}", lines.collect::<Vec<_>>().join("\n"))
            }
        };
        match fault {
            Fault::Trouble(trouble) => trouble,
            Fault::Lost(Lost::Unreadable(why)) if greeted => {
                AgentTrouble::Unreadable { agent, why }
            }
            Fault::Lost(Lost::Unreadable(why)) => {
                AgentTrouble::OtherProtocol { agent, why: format!("it says {why}") }
            }
            Fault::Lost(Lost::Closed) if greeted => AgentTrouble::Ended { agent, said },
            Fault::Lost(Lost::Closed) => {
                let why = format!("it ended before it had introduced itself{said}");
                AgentTrouble::NotStarted { agent, why }
            }
        }
    }

    /// Ends the program; what it last said on its error output.
    pub(super) async fn end(self) -> String {
        self.program.end().await
    }
}
