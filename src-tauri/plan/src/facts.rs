//! What is known of a call before it runs. Worked out by the tools, judged by the gate.

use serde::{Deserialize, Serialize};

/// What a call does to the world.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Only looks.
    Read,
    /// Changes files in the workspace.
    Write,
    /// Changes something outside the workspace.
    WriteOutside,
    /// Runs a program.
    Exec,
    /// Leaves the machine.
    Network,
    /// Hands work to another agent.
    Delegate,
    /// Talks to the harness: plan, ask_user.
    Control,
}

impl Effect {
    /// Whether the world may be different afterwards.
    pub fn changes_things(self) -> bool {
        match self {
            Self::Read | Self::Control => false,
            Self::Write | Self::WriteOutside | Self::Exec | Self::Network | Self::Delegate => true,
        }
    }
}

/// Who says what a call does to the world, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Our own catalogue.
    Catalogue,
    /// The person, by an override.
    Person,
    /// A server that the person trusts.
    Server,
    /// Nobody whose word counts.
    Nobody,
}

/// A simple command of a call, as it will run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The folder it runs in, from the workspace on, which is empty; `None` where nobody knows.
    pub folder: Option<String>,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Whether these are its very words: a pattern stands for the names of files.
    pub literal: bool,
}

impl SimpleCommand {
    /// Whether it only leads to another folder, which the commands after it are told with.
    pub fn is_cd(&self) -> bool {
        self.argv.first().is_some_and(|program| program == "cd")
    }
}

/// One thing a call touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file or folder, resolved.
    Path {
        /// Relative to the workspace, or absolute when outside.
        path: String,
        /// Whether it lies outside the workspace.
        outside: bool,
    },
    /// A command line.
    Command {
        /// As written, after a `cd` where it begins in another folder than the workspace.
        text: String,
        /// Its simple commands, when all of it was understood.
        simple: Option<Vec<SimpleCommand>>,
    },
    /// A host on the network.
    Host(String),
    /// A tool of an MCP server, by what the server says it is.
    Tool {
        /// `schema:` and the hash of its description and schema.
        schema: String,
        /// Whether it is another one than was allowed before.
        changed: bool,
    },
}

impl Target {
    /// The words a rule is matched against.
    pub fn words(&self) -> &str {
        match self {
            Self::Path { path, .. } => path,
            Self::Command { text, .. } => text,
            Self::Host(host) => host,
            Self::Tool { schema, .. } => schema,
        }
    }

    /// Whether it is a command line.
    pub fn is_command(&self) -> bool {
        matches!(self, Self::Command { .. })
    }

    /// Whether it lies outside the workspace, or might: a path that was not resolved counts.
    pub fn is_outside(&self) -> bool {
        match self {
            Self::Path { path, outside } => {
                *outside || path.starts_with('/') || path.split('/').any(|part| part == "..")
            }
            Self::Command { .. } | Self::Host(_) | Self::Tool { .. } => false,
        }
    }
}

/// Everything the gate needs to know of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The tool; `server.tool` for one of an MCP server.
    pub tool: String,
    /// Other tools of ours that would do the same. What is said of one of them is said of this.
    pub also: Vec<String>,
    /// Whether there is such a tool.
    pub known: bool,
    /// What it does to the world.
    pub effect: Effect,
    /// Who says so.
    pub source: Source,
    /// What it touches.
    pub targets: Vec<Target>,
    /// Whether programs can be confined here.
    pub sandbox: bool,
    /// Whether a person said yes to this very call.
    pub allowed: bool,
}

impl Facts {
    /// The same, with the most that it might do where nobody knows.
    pub fn sound(&self) -> Self {
        let effect = match self.source {
            Source::Catalogue | Source::Person | Source::Server => self.effect,
            Source::Nobody => Effect::WriteOutside,
        };
        Self { effect, ..self.clone() }
    }

    /// What it does to the world: what is said of it, or more where its targets show more.
    pub fn reach(&self) -> Effect {
        let outside = self.targets.iter().any(Target::is_outside);
        let hosts = self.targets.iter().any(|target| matches!(target, Target::Host(_)));
        match self.effect {
            Effect::Write if outside => Effect::WriteOutside,
            Effect::Exec if hosts => Effect::Network,
            effect @ (Effect::Read
            | Effect::Write
            | Effect::WriteOutside
            | Effect::Exec
            | Effect::Network
            | Effect::Delegate
            | Effect::Control) => effect,
        }
    }

    /// The same as a call of each tool that it is like.
    pub fn as_each_tool(&self) -> impl Iterator<Item = Self> {
        let tools = std::iter::once(&self.tool).chain(&self.also);
        tools.map(|tool| Self { tool: tool.clone(), also: Vec::new(), ..self.clone() })
    }

    /// What the tool always touches and this call does not name. Calls of our own name it; what an
    /// agent does itself it may leave out.
    pub fn left_out(&self) -> Option<&'static str> {
        let (least, what) = match self.tool.as_str() {
            "fetch" => (1, "where"),
            "read_file" | "write_file" | "edit_file" | "delete_file" => (1, "which file"),
            "move_file" => (2, "from where to where"),
            _ => return None,
        };
        (self.targets.len() < least).then_some(what)
    }

    /// The call in parts that can be granted one by one: each target, and each simple command.
    pub fn parts(&self) -> Vec<Self> {
        if self.targets.is_empty() {
            return vec![self.clone()];
        }
        let mut parts = Vec::new();
        for target in &self.targets {
            let targets = match target {
                Target::Command { simple: Some(simple), .. } if simple.len() > 1 => {
                    let command = |command: &SimpleCommand| Target::Command {
                        text: command.argv.join(" "),
                        simple: Some(vec![command.clone()]),
                    };
                    simple.iter().map(command).collect()
                }
                Target::Path { .. }
                | Target::Command { .. }
                | Target::Host(_)
                | Target::Tool { .. } => vec![target.clone()],
            };
            let part = |target| Self { targets: vec![target], ..self.clone() };
            parts.extend(targets.into_iter().map(part));
        }
        parts
    }

    /// Whether it only leads to another folder.
    pub fn is_cd(&self) -> bool {
        match self.targets.as_slice() {
            [Target::Command { simple: Some(simple), .. }] => {
                simple.iter().all(SimpleCommand::is_cd)
            }
            _ => false,
        }
    }

    /// Whether it calls an MCP server.
    pub fn is_served(&self) -> bool {
        self.targets.iter().any(|target| matches!(target, Target::Tool { .. }))
    }

    /// Whether it runs a program that nothing confines.
    pub fn is_loose(&self) -> bool {
        !self.sandbox && (self.runs_command() || self.effect == Effect::Exec)
    }

    /// Whether it runs a command line.
    pub fn runs_command(&self) -> bool {
        self.targets.iter().any(Target::is_command)
    }
}
