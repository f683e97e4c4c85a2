//! Long outputs of tools and steps, kept whole beside the log and read again by their hash.

use crate::engine::Engine;
use crate::history::{Blobs, whole};
use crate::journal::Journal;
use crate::live::JournalBlobs;
use models::Protocol;
use plan::{OUTPUT_CHARS, Step, StepState};
use std::fmt;
use std::sync::Arc;

/// Reads what calls gave back in full.
pub(crate) struct StoredOutputs(pub(crate) Arc<dyn Journal>);

impl tools::Outputs for StoredOutputs {
    fn text(&self, id: &str) -> Option<String> {
        JournalBlobs(&*self.0).text(id)
    }
}

impl fmt::Debug for StoredOutputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoredOutputs")
    }
}

/// A long output as it is stored: its id and its bytes.
pub(crate) fn stored(full: String) -> (String, Vec<u8>) {
    (blake3::hash(full.as_bytes()).to_hex().to_string(), full.into_bytes())
}

/// How much of what came of a step is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputForm {
    /// Of a long one the beginning, and how to read on.
    ByReference,
    /// All of it, to a program that has no tool of ours to read on with.
    Whole,
}

impl OutputForm {
    /// To a model that speaks this.
    pub(crate) fn by(protocol: Protocol) -> Self {
        match protocol {
            Protocol::OpenAiChat
            | Protocol::OpenAiResponses
            | Protocol::Anthropic
            | Protocol::Gemini => Self::ByReference,
            Protocol::Rehearsal | Protocol::Acp => Self::Whole,
        }
    }

    /// To an agent, or to the model that is chosen for it.
    pub(crate) fn to(engine: &Engine, agent: &str, model: Option<&str>) -> Self {
        let config = &engine.shared.config.current().config;
        let agent = config.agent(agent).cloned().unwrap_or_else(|| config.default_agent());
        let model = model.and_then(|name| config.model(name, Some(&agent)).ok());
        let provider = config.providers.get(&model.unwrap_or(agent.model).provider);
        provider.map_or(Self::ByReference, |provider| Self::by(provider.protocol()))
    }

    /// What came of a step that is done, where that is more than its one line.
    pub(crate) fn of(self, engine: &Engine, step: &Step) -> Option<String> {
        let StepState::Done { .. } = step.state else { return None };
        let summary = step.summary.as_ref()?;
        let mut text = match self {
            Self::ByReference => summary.told(OUTPUT_CHARS),
            Self::Whole => whole(summary, &JournalBlobs(engine.journal())),
        };
        if let Some(room) = step.sidekick.filter(|_| !step.refined)
            && let Ok(live) = engine.live(room)
            && let Some(own) = &live.lock().room.sidekick
        {
            text.extend(own.ended.as_ref().map(|ended| ended.remarks.as_str()));
        }
        Some(text)
    }
}
