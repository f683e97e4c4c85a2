//! Who does something. The surface supplies it; it is never read from a payload.

use serde::{Deserialize, Serialize};

/// What kind of party acts.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A human being, or a token that stands for one.
    Person,
    /// The room's own agent.
    Agent,
    /// A background agent.
    Sidekick,
    /// The code around the model.
    Harness,
}

/// Where an action came in.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// The app's window.
    Window,
    /// The tray menu.
    Tray,
    /// A desktop notification.
    Notification,
    /// The command line.
    Cli,
    /// The local API.
    Api,
    /// A tool call in a model's turn.
    Turn,
    /// The engine itself.
    Engine,
}

/// Someone, and the way they came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Actor {
    /// What kind of party.
    pub kind: ActorKind,
    /// Which one: a token's name, an agent's name.
    pub principal: String,
    /// How they came in.
    pub surface: Surface,
}

impl Actor {
    /// A person at a surface.
    pub fn person(principal: &str, surface: Surface) -> Self {
        Self { kind: ActorKind::Person, principal: principal.to_owned(), surface }
    }

    /// An agent in its own turn.
    pub fn agent(name: &str) -> Self {
        Self { kind: ActorKind::Agent, principal: name.to_owned(), surface: Surface::Turn }
    }

    /// A background agent in its own turn.
    pub fn sidekick(name: &str) -> Self {
        Self { kind: ActorKind::Sidekick, principal: name.to_owned(), surface: Surface::Turn }
    }

    /// The code around the model.
    pub fn harness() -> Self {
        Self { kind: ActorKind::Harness, principal: "harness".to_owned(), surface: Surface::Engine }
    }

    /// Whether this is a person.
    pub fn is_person(&self) -> bool {
        self.kind == ActorKind::Person
    }
}
