//! Who answers: the providers of models, those built in and those a person adds.

use std::collections::BTreeMap;
use std::path::PathBuf;

use models::Protocol;

/// How a provider is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderKind {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI.
    OpenAi,
    /// Any other address that speaks OpenAI's chat completions.
    ChatCompletion,
    /// Google's Gemini.
    Gemini,
    /// xAI.
    Xai,
    /// A local Ollama.
    Ollama,
    /// A local LM Studio.
    LmStudio,
    /// The built-in provider that plays scenario files, offline.
    Rehearsal,
    /// A program that speaks the Agent Client Protocol.
    CommandLineAgent(AgentProgram),
}

/// A program that is an agent, and how far it may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentProgram {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Added to its environment.
    pub env: BTreeMap<String, String>,
    /// Hosts that it may reach.
    pub hosts: Vec<String>,
    /// Folders and files outside the workspace that it may read.
    pub read: Vec<PathBuf>,
}

impl AgentProgram {
    /// Takes what was written in place of the usual.
    fn with(&mut self, given: Self) {
        if !given.command.is_empty() {
            self.command = given.command;
        }
        self.env.extend(given.env);
        if !given.hosts.is_empty() {
            self.hosts = given.hosts;
        }
        if !given.read.is_empty() {
            self.read = given.read;
        }
    }
}

/// Which of OpenAI's two protocols a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenAiApi {
    /// Responses.
    Responses,
    /// Chat Completions.
    Chat,
}

impl OpenAiApi {
    /// The word for it in a file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Chat => "chat",
        }
    }
}

/// One provider of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderConfig {
    /// How it is spoken to.
    pub kind: ProviderKind,
    /// The protocol, where a person chose between OpenAI's two.
    pub api: Option<OpenAiApi>,
    /// Where it is.
    pub base_url: Option<String>,
    /// The environment variable that holds the key; without it, the keyring.
    pub key_env: Option<String>,
}

impl ProviderConfig {
    /// The protocol it speaks.
    ///
    /// OpenAI speaks Responses at its own address. All others are taken to speak Chat
    /// Completions, which every server that calls itself compatible knows.
    pub fn protocol(&self) -> Protocol {
        let usual = match self.kind {
            ProviderKind::Anthropic => return Protocol::Anthropic,
            ProviderKind::Gemini => return Protocol::Gemini,
            ProviderKind::Rehearsal => return Protocol::Rehearsal,
            ProviderKind::CommandLineAgent(_) => return Protocol::Acp,
            ProviderKind::OpenAi if self.is_at_openai() => OpenAiApi::Responses,
            ProviderKind::OpenAi
            | ProviderKind::ChatCompletion
            | ProviderKind::Xai
            | ProviderKind::Ollama
            | ProviderKind::LmStudio => OpenAiApi::Chat,
        };
        match self.api.unwrap_or(usual) {
            OpenAiApi::Responses => Protocol::OpenAiResponses,
            OpenAiApi::Chat => Protocol::OpenAiChat,
        }
    }

    /// Whether the address is OpenAI's own, in any of its regions.
    fn is_at_openai(&self) -> bool {
        let rest = self.base_url.as_deref().and_then(|url| url.strip_prefix("https://"));
        let host = rest.and_then(|rest| rest.split(['/', ':', '?']).next()).unwrap_or_default();
        host == "api.openai.com" || host.ends_with(".api.openai.com")
    }

    /// Whether it serves models that others made, under their names.
    pub(super) fn hosts_others(&self) -> bool {
        match self.kind {
            ProviderKind::ChatCompletion
            | ProviderKind::Ollama
            | ProviderKind::LmStudio
            | ProviderKind::CommandLineAgent(_) => true,
            ProviderKind::OpenAi => self.base_url.as_deref() != usual_address("openai"),
            ProviderKind::Anthropic
            | ProviderKind::Gemini
            | ProviderKind::Xai
            | ProviderKind::Rehearsal => false,
        }
    }

    /// The built-in provider whose models it serves under the same names.
    pub(super) fn maker(&self) -> Option<&'static str> {
        match self.kind {
            ProviderKind::Anthropic => Some("anthropic"),
            ProviderKind::OpenAi if !self.hosts_others() => Some("openai"),
            ProviderKind::Gemini => Some("gemini"),
            ProviderKind::Xai => Some("xai"),
            ProviderKind::Rehearsal => Some("rehearsal"),
            ProviderKind::OpenAi
            | ProviderKind::ChatCompletion
            | ProviderKind::Ollama
            | ProviderKind::LmStudio
            | ProviderKind::CommandLineAgent(_) => None,
        }
    }

    /// The key without which it cannot be reached: a host needs an address,
    /// and a program needs a command.
    pub(super) fn missing(&self) -> Option<&'static str> {
        match &self.kind {
            ProviderKind::ChatCompletion => self.base_url.is_none().then_some("base_url"),
            ProviderKind::CommandLineAgent(program) => {
                program.command.is_empty().then_some("command")
            }
            ProviderKind::Anthropic
            | ProviderKind::OpenAi
            | ProviderKind::Gemini
            | ProviderKind::Xai
            | ProviderKind::Ollama
            | ProviderKind::LmStudio
            | ProviderKind::Rehearsal => None,
        }
    }

    /// Takes what was written in place of the usual.
    pub(super) fn with(
        mut self,
        base_url: Option<String>,
        key_env: Option<String>,
        given: AgentProgram,
    ) -> Self {
        self.base_url = base_url.or(self.base_url);
        self.key_env = key_env.or(self.key_env);
        if let ProviderKind::CommandLineAgent(program) = &mut self.kind {
            program.with(given);
        }
        self
    }
}

/// The words a file may use for a kind, each with the built-in provider of that
/// kind; the first word of a kind is the one messages name.
const TYPES: [(&str, &str); 13] = [
    ("anthropic", "anthropic"),
    ("claude", "anthropic"),
    ("openai", "openai"),
    ("chatcompletion", "chatcompletion"),
    ("openai_compatible", "chatcompletion"),
    ("gemini", "gemini"),
    ("xai", "xai"),
    ("grok", "xai"),
    ("ollama", "ollama"),
    ("lmstudio", "lmstudio"),
    ("rehearsal", "rehearsal"),
    ("command_line", "command_line"),
    ("acp", "command_line"),
];

/// Programs that speak the Agent Client Protocol, by the name people give them.
const COMMAND_LINE_AGENTS: [(&str, &[&str]); 6] = [
    ("claude_code", &["claude-code-acp"]),
    ("codex", &["codex-acp"]),
    ("copilot", &["copilot", "--acp"]),
    ("gemini_cli", &["gemini", "--acp"]),
    ("goose", &["goose", "acp"]),
    ("opencode", &["opencode", "acp"]),
];

/// What a backend type or a provider's `type` stands for: the name of the
/// built-in provider, and its kind.
pub(super) fn kind_of(word: &str) -> Option<(&'static str, ProviderKind)> {
    if let Some((name, command)) = COMMAND_LINE_AGENTS.iter().find(|(name, _)| *name == word) {
        let command = command.iter().map(|part| (*part).to_owned()).collect();
        let program = AgentProgram { command, ..AgentProgram::default() };
        return Some((name, ProviderKind::CommandLineAgent(program)));
    }
    let (_, name) = TYPES.iter().find(|(known, _)| *known == word)?;
    let kind = match *name {
        "anthropic" => ProviderKind::Anthropic,
        "openai" => ProviderKind::OpenAi,
        "chatcompletion" => ProviderKind::ChatCompletion,
        "gemini" => ProviderKind::Gemini,
        "xai" => ProviderKind::Xai,
        "ollama" => ProviderKind::Ollama,
        "lmstudio" => ProviderKind::LmStudio,
        "rehearsal" => ProviderKind::Rehearsal,
        "command_line" => ProviderKind::CommandLineAgent(AgentProgram::default()),
        _ => return None,
    };
    Some((name, kind))
}

/// Every word [`kind_of`] knows.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    let words = TYPES.iter().map(|(word, _)| *word);
    words.chain(COMMAND_LINE_AGENTS.iter().map(|(word, _)| *word))
}

/// The same in a message.
pub(super) fn kind_words() -> String {
    kinds().collect::<Vec<_>>().join(", ")
}

fn usual_address(name: &str) -> Option<&'static str> {
    match name {
        "anthropic" => Some("https://api.anthropic.com/v1"),
        "openai" => Some("https://api.openai.com/v1"),
        "gemini" => Some("https://generativelanguage.googleapis.com/v1beta"),
        "xai" => Some("https://api.x.ai/v1"),
        "ollama" => Some("http://127.0.0.1:11434/v1"),
        "lmstudio" => Some("http://127.0.0.1:1234/v1"),
        _ => None,
    }
}

/// The providers that are always there.
pub(super) fn built_in() -> BTreeMap<String, ProviderConfig> {
    let names = ["anthropic", "openai", "gemini", "xai", "ollama", "lmstudio", "rehearsal"];
    let kinds = names.into_iter().filter_map(kind_of);
    kinds.map(|(name, kind)| (name.to_owned(), usual(kind, name))).collect()
}

/// A provider of a kind at its usual address, with its key in the keyring.
pub(super) fn usual(kind: ProviderKind, name: &str) -> ProviderConfig {
    let base_url = usual_address(name).map(str::to_owned);
    ProviderConfig { kind, api: None, base_url, key_env: None }
}
