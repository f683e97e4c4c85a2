//! Where an agent's program comes from, for a person who does not have it.

use crate::config::AgentProgram;
use models::AgentTrouble;

/// Programs that can be had as packages, by the name they are started with.
const PACKAGES: [(&str, &str); 6] = [
    ("claude-code-acp", "npm install -g @zed-industries/claude-code-acp"),
    ("claude-agent-acp", "npm install -g @agentclientprotocol/claude-agent-acp"),
    ("codex-acp", "npm install -g @agentclientprotocol/codex-acp"),
    ("copilot", "npm install -g @github/copilot"),
    ("gemini", "npm install -g @google/gemini-cli"),
    ("opencode", "npm install -g opencode-ai"),
];

/// What to tell when an agent's program is not on this computer; `None` when it is.
pub fn not_installed(provider: &str, program: &AgentProgram) -> Option<AgentTrouble> {
    let command = program.command.first().map(String::as_str).unwrap_or_default();
    if tools::find_program(command).is_some() {
        return None;
    }
    let package = PACKAGES.iter().find(|(name, _)| *name == command);
    let hint = match package {
        Some((_, install)) => format!("Install it with `{install}`, or set command"),
        None => "Install it, or set command".to_owned(),
    };
    Some(AgentTrouble::NotInstalled {
        agent: provider.to_owned(),
        command: command.to_owned(),
        hint: format!("{hint} of the provider {provider} to where it is."),
    })
}
