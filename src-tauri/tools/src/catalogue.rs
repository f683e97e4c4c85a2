//! What each tool does, for people: its strongest effect, what it touches, and
//! a sentence. The gate goes by the facts of each call; this is what they can be.

use crate::facts::Effect;
use crate::tool::{ALL, Builtin};

/// One tool for a list that people read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The most it does by itself.
    pub effect: Effect,
    /// What it touches.
    pub touches: &'static str,
    /// What it does.
    pub does: &'static str,
}

/// Every built-in tool, in the order a model is told about them.
pub fn catalogue() -> Vec<Entry> {
    ALL.iter().map(|tool| entry(*tool)).collect()
}

fn entry(tool: Builtin) -> Entry {
    let name = tool.spec().name;
    let (effect, touches, does) = match tool {
        Builtin::ReadFile => (Effect::Read, "a file", "Reads a text file, or some lines of it."),
        Builtin::ListDir => (Effect::Read, "a folder", "Lists the names in a folder."),
        Builtin::Glob => (Effect::Read, "a folder", "Finds files by a pattern of their names."),
        Builtin::Search => {
            (Effect::Read, "a folder", "Finds lines that match a regular expression.")
        }
        Builtin::WriteFile => (Effect::Write, "a file", "Writes a whole file."),
        Builtin::EditFile => (Effect::Write, "a file", "Replaces a text in a file by another."),
        Builtin::CreateDirectory => (Effect::Write, "a folder", "Makes a folder."),
        Builtin::MoveFile => {
            (Effect::Write, "two paths", "Moves or renames a file or folder; replaces nothing.")
        }
        Builtin::DeleteFile => (Effect::Write, "a path", "Moves a file or folder to the trash."),
        Builtin::Shell => (
            Effect::Exec,
            "a command, and the hosts it names",
            "Runs a command in the sandbox; one that only looks counts as reading, one that asks \
             for the network as network.",
        ),
        Builtin::JobOutput => {
            (Effect::Read, "nothing", "Shows what a command in the background has said.")
        }
        Builtin::JobStop => (Effect::Read, "nothing", "Ends a command in the background."),
        Builtin::ReadOutput => (Effect::Read, "nothing", "Reads on in an output that was cut."),
        Builtin::Fetch => (Effect::Network, "a host", "Gets the text at an address on the web."),
    };
    Entry { name, effect, touches, does }
}
