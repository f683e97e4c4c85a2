//! Every tool there is, for the settings screen: what it does and how far it goes.

use crate::engine::Engine;
use crate::turn::effect_of;
use plan::Effect;

/// One tool.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, ts_rs::TS)]
pub struct ToolEntry {
    /// Its name, as rules and steps use it.
    pub name: String,
    /// The most it does by itself; each call is judged by what it touches.
    pub effect: Effect,
    /// What it touches.
    pub touches: String,
    /// What it does.
    pub does: String,
}

/// The tools the harness answers itself.
const OWN: [(&str, Effect, &str, &str); 13] = [
    ("plan", Effect::Control, "the plan", "Writes, follows and changes the plan of the room."),
    (
        "submit_plan",
        Effect::Control,
        "the plan",
        "Puts a plan before the person and waits for their answer.",
    ),
    ("write_plan", Effect::Control, "the plan", "Writes a plan: plan's simple form."),
    ("step_done", Effect::Control, "the plan", "Reports that the current step is done."),
    ("step_failed", Effect::Control, "the plan", "Reports that the current step can't be done."),
    (
        "ask_user",
        Effect::Control,
        "the person",
        "Asks the person something and waits for the answer.",
    ),
    (
        crate::sidekicks::SPAWN,
        Effect::Delegate,
        "another agent",
        "Hands a task to a sidekick, who works in the background.",
    ),
    (
        "sidekick_complete",
        Effect::Control,
        "the room that asked",
        "Ends a sidekick and says what came of its task.",
    ),
    (
        plan::council::ANSWER,
        Effect::Control,
        "the council",
        "Gives a council member's answer and ends its turn.",
    ),
    (
        plan::council::VOTE,
        Effect::Control,
        "the council",
        "Votes for a council member's answer and ends the turn.",
    ),
    (
        plan::council::SUBMIT,
        Effect::Control,
        "the council",
        "Says that the work of a council is done.",
    ),
    (
        plan::council::RESTART,
        Effect::Control,
        "the council",
        "Starts another attempt of a council.",
    ),
    (crate::council::START, Effect::Control, "the council", "Hands a task to a council of agents."),
];

impl Engine {
    /// The tools and what they do, the harness's own first.
    pub fn catalogue(&self) -> Vec<ToolEntry> {
        let entry = |name: &str, effect, touches: &str, does: &str| ToolEntry {
            name: name.to_owned(),
            effect,
            touches: touches.to_owned(),
            does: does.to_owned(),
        };
        let own = OWN.map(|(name, effect, touches, does)| entry(name, effect, touches, does));
        let tools = tools::catalogue();
        let tools = tools
            .iter()
            .map(|tool| entry(tool.name, effect_of(tool.effect), tool.touches, tool.does));
        own.into_iter().chain(tools).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::config::{ConfigPlace, ConfigStore};
    use crate::journal::FolderLock;

    #[tokio::test]
    async fn every_tool_a_model_is_told_about_is_in_the_catalogue() {
        let home = tempfile::tempdir().unwrap();
        let config = ConfigStore::open(ConfigPlace::Folder(home.path().join("config")));
        let lock = FolderLock::take(&home.path().join("data")).unwrap();
        let engine = Engine::start(Options::new(lock, config)).unwrap().engine;
        let catalogue = engine.catalogue();
        let listed: Vec<&str> = catalogue.iter().map(|entry| entry.name.as_str()).collect();
        let told = crate::turn::tool_names(&engine.shared.toolbox);
        assert_eq!(listed, told);
        for entry in &catalogue {
            assert!(entry.does.ends_with('.') && !entry.touches.is_empty(), "{entry:?}");
        }
    }
}
