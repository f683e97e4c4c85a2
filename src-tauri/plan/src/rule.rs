//! A standing permission or prohibition: `tool` or `tool(pattern)`, globs in both.

use crate::below::{self, Below};
use crate::{CommandPattern, Effect, Facts, SimpleCommand, Target, plain_programs};
use globset::{Glob, GlobBuilder};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::Ipv6Addr;

/// What a rule says.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// Let it pass.
    Allow,
    /// Ask a person.
    Ask,
    /// Never.
    Deny,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Rule {
    /// What it says.
    pub action: RuleAction,
    /// Which tools, as a glob.
    pub tool: String,
    /// Which paths, commands or hosts, as a glob; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

impl Rule {
    /// Reads `shell(git push *)`, `write_file(docs/**)`, `fetch`; `None` when it makes no sense.
    pub fn parse(action: RuleAction, text: &str) -> Option<Self> {
        let text = text.trim();
        let (tool, target) = match text.split_once('(') {
            Some((tool, rest)) => (tool.trim_end(), Some(rest.strip_suffix(')')?.to_owned())),
            None => (text, None),
        };
        let target_is_glob = target.as_deref().is_none_or(|target| Glob::new(target).is_ok());
        if tool.is_empty() || Glob::new(tool).is_err() || !target_is_glob {
            return None;
        }
        Some(Self { action, tool: tool.to_owned(), target })
    }

    /// Whether it is about commands in one folder.
    pub(crate) fn names_folder(&self) -> bool {
        let pattern = self.target.as_deref().map(CommandPattern::of_rule);
        pattern.is_some_and(|pattern| pattern.folder.is_some())
    }

    /// The same in a workspace, in which paths are named from its folder on.
    pub fn in_workspace(self, folder: &str) -> Self {
        let folder = folder.trim_end_matches('/');
        let inside = self.target.as_deref().and_then(|target| target.strip_prefix(folder));
        let inside = inside.and_then(|rest| rest.strip_prefix('/')).filter(|rest| !rest.is_empty());
        match inside.filter(|_| !folder.is_empty()).map(str::to_owned) {
            Some(inside) => Self { target: Some(inside), ..self },
            None => self,
        }
    }

    /// The rule that covers exactly what this call touches, where there is one.
    pub fn exactly(action: RuleAction, facts: &Facts) -> Option<Self> {
        let [target] = facts.targets.as_slice() else { return None };
        let words = match target {
            Target::Host(host) if is_address(host) => host.clone(),
            Target::Path { path: words, .. }
            | Target::Host(words)
            | Target::Tool { schema: words, .. }
            | Target::Command { text: words, simple: None } => globset::escape(words),
            Target::Command { simple: Some(simple), .. } => {
                let mut commands = simple.iter().filter(|command| !command.is_cd());
                let only = commands.next().filter(|_| commands.next().is_none())?;
                CommandPattern::exactly(only)?.to_string()
            }
        };
        let target = Some(words);
        let mut tools: Vec<String> =
            facts.as_each_tool().map(|one| globset::escape(&one.tool)).collect();
        let tool = match tools.len() {
            1 => tools.remove(0),
            _ => format!("{{{}}}", tools.join(",")),
        };
        let rule = Self { action, tool, target };
        facts.as_each_tool().all(|one| rule.matches(&one)).then_some(rule)
    }

    /// Whether it speaks of this call. A permission must cover all that is
    /// touched; a prohibition or a question needs only one part of it.
    pub fn matches(&self, facts: &Facts) -> bool {
        if !glob_matches(&self.tool, &facts.tool) {
            return false;
        }
        let changed = |target: &Target| matches!(target, Target::Tool { changed: true, .. });
        let Some(pattern) = &self.target else {
            // What a person allowed by its name alone is not what it is now.
            return self.action != RuleAction::Allow || !facts.targets.iter().any(changed);
        };
        match self.action {
            RuleAction::Allow => {
                !facts.targets.is_empty()
                    && facts.targets.iter().all(|target| covers(pattern, target))
            }
            RuleAction::Ask | RuleAction::Deny => {
                facts.targets.iter().any(|target| concerns(pattern, target)) || self.is_below(facts)
            }
        }
    }

    /// Whether the call takes a folder away or to another place, and this rule is about something
    /// in it.
    pub(crate) fn is_below(&self, facts: &Facts) -> bool {
        self.target.as_deref().is_some_and(|pattern| {
            glob_matches(&self.tool, &facts.tool) && below::is_taken(pattern, facts, Below::Named)
        })
    }
}

impl Rule {
    /// Whether nobody can say if this rule, which forbids or asks, speaks of the call: a command
    /// that was not understood or starts what is not looked at, a folder in which there may be
    /// anything, a call that does not name what it touches.
    pub fn may_hide_in(&self, facts: &Facts) -> bool {
        let Some(pattern) = &self.target else { return false };
        let meant = CommandPattern::of_rule(pattern);
        let words = meant.literal_words();
        // What only looks starts nothing.
        let is_plain = |command: &SimpleCommand| {
            command.literal
                && (facts.effect == Effect::Read || plain_programs::is_plain(&command.argv, &words))
        };
        let may_hide = |command: &SimpleCommand| !is_plain(command) || meant.may_mean(command);
        let is_unclear = |target: &Target| match target {
            Target::Command { simple, .. } => {
                simple.as_ref().is_none_or(|simple| simple.iter().any(may_hide))
            }
            Target::Path { .. } | Target::Host(_) | Target::Tool { .. } => false,
        };
        glob_matches(&self.tool, &facts.tool)
            && (facts.targets.iter().any(is_unclear)
                || facts.left_out().is_some()
                || below::is_taken(pattern, facts, Below::Possible))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            Some(target) => write!(f, "{}({target})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

fn covers(pattern: &str, target: &Target) -> bool {
    match target {
        // A pattern of the workspace permits nothing outside it.
        Target::Path { path, .. } => {
            (pattern.starts_with('/') || !target.is_outside()) && path_matches(pattern, path)
        }
        Target::Host(host) => host_matches(pattern, host),
        // One that changed is covered only by its very hash.
        Target::Tool { schema, changed: true } => pattern == schema,
        Target::Tool { schema, changed: false } => glob_matches(pattern, schema),
        // A command that was not understood is covered only by its very words.
        Target::Command { text, simple: None } => {
            pattern == text || pattern == globset::escape(text)
        }
        Target::Command { simple: Some(simple), .. } => {
            let pattern = CommandPattern::of_rule(pattern);
            // The folder says where it leads.
            let covered = |command: &SimpleCommand| {
                pattern.covers(command) || pattern.folder.is_some() && command.is_cd()
            };
            simple.iter().any(|command| pattern.covers(command)) && simple.iter().all(covered)
        }
    }
}

fn concerns(pattern: &str, target: &Target) -> bool {
    match target {
        Target::Path { path, .. } => path_matches(pattern, path),
        Target::Host(host) => {
            let on_any_port = without_port(host);
            host_matches(pattern, host)
                || on_any_port.is_some_and(|name| {
                    host_matches(pattern, name) || pattern == format!("[{name}]")
                })
        }
        Target::Tool { schema, .. } => glob_matches(pattern, schema),
        Target::Command { text, simple } => {
            let pattern = CommandPattern::of_rule(pattern);
            let mut commands = simple.iter().flatten();
            pattern.concerns_text(text) || commands.any(|command| pattern.concerns(command))
        }
    }
}

/// Whether a host matches a glob. An address in brackets is that address, and no glob.
fn host_matches(pattern: &str, host: &str) -> bool {
    if is_address(pattern) { pattern == host } else { glob_matches(pattern, host) }
}

/// The name of a host that is given with a port: a prohibition without one is for all of them.
fn without_port(host: &str) -> Option<&str> {
    let (name, port) = host.rsplit_once(':')?;
    let name = match name.strip_prefix('[') {
        Some(address) => address.strip_suffix(']')?,
        None => name,
    };
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    (is_port && (host.starts_with('[') || !name.contains(':'))).then_some(name)
}

/// Whether it is such as `[::1]:8080`.
fn is_address(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    inner.is_some_and(|(address, _)| address.parse::<Ipv6Addr>().is_ok())
}

/// Whether words match a glob in which `*` crosses slashes.
pub fn glob_matches(pattern: &str, words: &str) -> bool {
    Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(words))
}

/// Whether a path matches a glob in which only `**` crosses slashes.
pub fn path_matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./");
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .is_ok_and(|glob| glob.compile_matcher().is_match(path))
}
