//! Agents that are programs: one process a room, confined, gone when the room's work is.
//!
//! In strict mode, and wherever a plan waits for a person, such a program can only look: what it
//! changes, it changes through calls of ours, which the gate judges. One that may do less than
//! when it was started is ended in the middle of what it does, and another takes over.

mod hint;
mod launching;
mod permission;

pub use hint::not_installed;
pub(crate) use permission::{allowed, detail, facts};

use crate::config::{AgentProgram, Config, ModelRef, ProviderKind};
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::reach::Reach;
use launching::Launching;
use models::{Acp, AgentTrouble, Model, ModelError};
use plan::{Event, RoomId};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tools::{Profile, Workspace};

/// The agents at work.
pub(crate) struct Agents {
    rooms: Mutex<HashMap<RoomId, InRoom>>,
    /// Rooms whose work was stopped: their agents end when nothing runs there.
    over: Mutex<HashSet<RoomId>>,
    /// An empty folder, to try an agent in.
    scratch: PathBuf,
}

/// An agent in a room.
#[derive(Clone)]
struct InRoom {
    purpose: Purpose,
    model: Arc<Acp>,
}

/// What an agent was started for; for anything else it is started anew.
#[derive(Clone, PartialEq)]
struct Purpose {
    provider: String,
    program: AgentProgram,
    folder: String,
    shared: Vec<PathBuf>,
    profile: Profile,
}

/// The program behind a model's name, if it is one.
pub(crate) fn program_of<'a>(config: &'a Config, name: &ModelRef) -> Option<&'a AgentProgram> {
    match &config.providers.get(&name.provider)?.kind {
        ProviderKind::CommandLineAgent(program) => Some(program),
        ProviderKind::Anthropic
        | ProviderKind::OpenAi
        | ProviderKind::ChatCompletion
        | ProviderKind::Gemini
        | ProviderKind::Xai
        | ProviderKind::Ollama
        | ProviderKind::LmStudio
        | ProviderKind::Rehearsal => None,
    }
}

impl Agents {
    pub(crate) fn new(data: &Path) -> Self {
        let scratch = data.join("agents").join("empty");
        Self { rooms: Mutex::default(), over: Mutex::default(), scratch }
    }

    /// The agent of a room. One that was started for something else is ended first.
    pub(crate) async fn model(
        &self,
        engine: &Engine,
        live: &LiveRoom,
        provider: &str,
        program: &AgentProgram,
    ) -> Result<Arc<dyn Model>, ModelError> {
        loop {
            let profile = Reach::now(engine, live).program;
            let folder = live.lock().room.folder().to_owned();
            let (name, program) = (provider.to_owned(), program.clone());
            let shared = crate::turn::shared_with(engine, live);
            let purpose = Purpose { provider: name, program, folder, shared, profile };
            let other = {
                let mut rooms = self.rooms();
                match rooms.get(&live.id) {
                    Some(known) if known.purpose == purpose => return Ok(known.model.clone()),
                    Some(_) => rooms.remove(&live.id),
                    None => None,
                }
            };
            if let Some(other) = other {
                other.model.end().await;
            }
            let workspace =
                crate::turn::workspace(live).map_err(|error| not_started(provider, &error))?;
            let model = self.agent(engine, &purpose, workspace);
            self.rooms().insert(live.id, InRoom { purpose, model });
            // Whoever changed that before it was put there found nothing to call back: look again.
        }
    }

    /// An agent in an empty folder, to see whether it answers.
    pub(crate) fn on_trial(
        &self,
        engine: &Engine,
        provider: &str,
        program: &AgentProgram,
    ) -> Result<Arc<Acp>, ModelError> {
        let made = std::fs::create_dir_all(&self.scratch)
            .map_err(|error| not_started(provider, &error))
            .and_then(|()| {
                Workspace::open(&self.scratch).map_err(|error| not_started(provider, &error))
            });
        let purpose = Purpose {
            provider: provider.to_owned(),
            program: program.clone(),
            folder: self.scratch.display().to_string(),
            shared: Vec::new(),
            profile: Profile::Look,
        };
        Ok(self.agent(engine, &purpose, made?))
    }

    fn agent(&self, engine: &Engine, purpose: &Purpose, workspace: Workspace) -> Arc<Acp> {
        let mut program = purpose.program.clone();
        crate::mcp::hide(&engine.shared.redactor, program.env.iter());
        program.read.extend(crate::turn::listed_to_read(engine));
        let launching = Launching {
            provider: purpose.provider.clone(),
            program,
            workspace,
            shared: purpose.shared.clone(),
            profile: purpose.profile,
            workspaces: engine.shared.worked.workspaces(),
            private_hosts: engine
                .shared
                .config
                .current()
                .config
                .network
                .private_hosts
                .clone()
                .into(),
            hidden: Arc::clone(&engine.shared.own_folders),
        };
        Arc::new(Acp::new(&purpose.provider, Arc::new(launching)))
    }

    /// Takes note of what happened: when a person stops the work, its agent goes, too, and one
    /// that may write goes at once when no program may any more.
    pub(crate) fn heard(
        &self,
        engine: &Engine,
        live: &LiveRoom,
        events: &[Event],
        may: Profile,
    ) -> bool {
        let back = {
            let mut rooms = self.rooms();
            let writes = rooms.get(&live.id).is_some_and(|known| known.purpose.profile.may_write());
            if writes && !may.may_write() { rooms.remove(&live.id) } else { None }
        };
        if let Some(known) = back {
            let recall = async move { known.model.recall().await };
            engine.shared.tasks.spawn_on(recall, &engine.shared.runtime);
        }
        let stops = |event: &Event| {
            let turn = matches!(event, Event::Trouble { code, .. } if code == "STOPPED");
            turn || matches!(
                event,
                Event::PlanCancelled { .. } | Event::RoomArchived { archived: true }
            )
        };
        let stopped = events.iter().any(stops) && self.rooms().contains_key(&live.id);
        if stopped {
            self.over().insert(live.id);
        }
        stopped
    }

    /// Ends the agent of a room whose work was stopped.
    pub(crate) async fn end_if_over(&self, live: &LiveRoom) {
        if self.over().remove(&live.id) {
            self.end(live.id).await;
        }
    }

    /// Ends the agent of a room; returns when no process of it is left.
    pub(crate) async fn end(&self, room: RoomId) {
        let known = self.rooms().remove(&room);
        if let Some(known) = known {
            known.model.end().await;
        }
    }

    /// Ends every agent.
    pub(crate) async fn end_all(&self) {
        let all: Vec<InRoom> = self.rooms().drain().map(|(_, known)| known).collect();
        futures::future::join_all(all.iter().map(|known| known.model.end())).await;
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<RoomId, InRoom>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn over(&self) -> MutexGuard<'_, HashSet<RoomId>> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_started(agent: &str, why: &impl ToString) -> ModelError {
    let (agent, why) = (agent.to_owned(), why.to_string());
    ModelError::Agent(AgentTrouble::NotStarted { agent, why })
}
