//! From the configuration's words for a server to those of `tools`.

use crate::config::{Config, McpServer, McpTransport};
use crate::redact::Redactor;
use plan::Effect;
use std::path::PathBuf;
use tools::mcp::{Reach, Server};

/// Parts of names whose values nobody should read.
const SECRET: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "AUTH", "CREDENTIAL"];

/// Every server there is. Values that look like secrets are kept from everyone else.
pub(super) fn configured(config: &Config, redactor: &Redactor) -> Vec<Server> {
    let shown = &config.sandbox.read;
    hide(redactor, config.variables().iter());
    config.mcp_servers.iter().map(|(name, server)| one(name, server, shown, redactor)).collect()
}

/// One of them; all see what is `shown` to every program.
fn one(name: &str, server: &McpServer, shown: &[PathBuf], redactor: &Redactor) -> Server {
    let reach = match &server.transport {
        McpTransport::Process { command, args, env, cwd, read } => {
            hide(redactor, env.iter());
            Reach::Program {
                command: command.clone(),
                args: args.clone(),
                env: env.clone(),
                cwd: cwd.clone(),
                read: [read, shown].concat(),
            }
        }
        McpTransport::Http { url, headers } => {
            hide(redactor, headers.iter());
            Reach::Address { url: url.clone(), headers: headers.clone() }
        }
    };
    Server {
        name: name.to_owned(),
        reach,
        share: server.share,
        trusted: server.trusted,
        effects: server.effects.iter().map(|(tool, said)| (tool.clone(), effect(*said))).collect(),
    }
}

pub(crate) fn hide<'a>(
    redactor: &Redactor,
    values: impl Iterator<Item = (&'a String, &'a String)>,
) {
    for (name, value) in values {
        let name = name.to_uppercase();
        if SECRET.iter().any(|part| name.contains(part)) {
            redactor.learn(value);
            // A header has its kind in front: `Bearer …`.
            if let Some((_, token)) = value.split_once(' ') {
                redactor.learn(token);
            }
        }
    }
}

fn effect(effect: Effect) -> tools::Effect {
    match effect {
        Effect::Read => tools::Effect::Read,
        Effect::Write => tools::Effect::Write,
        Effect::Exec => tools::Effect::Exec,
        Effect::Network => tools::Effect::Network,
        // The last two are no words for a server's tool; they count as the worst.
        Effect::WriteOutside | Effect::Delegate | Effect::Control => tools::Effect::WriteOutside,
    }
}
