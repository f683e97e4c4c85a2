//! What one turn is asked with.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::{
    ModelError, Protocol, Snapshot, Thinking, anthropic, gemini, openai_chat, openai_responses,
    schema_text::ordered,
};

/// Everything a model needs for its next turn.
#[derive(Debug, Clone)]
pub struct Request {
    /// The model's name at its provider.
    pub model: String,
    /// The standing instructions.
    pub system: Arc<str>,
    /// The conversation so far.
    pub history: Snapshot,
    /// Words sent after the history and not kept in it, such as the plan as it stands now.
    pub tail: Option<String>,
    /// What the model may call.
    pub tools: ToolSet,
    /// The most tokens it may write.
    pub max_output: Option<u32>,
    /// How much it may think; without it, as the provider likes.
    pub thinking: Option<Thinking>,
    /// What the answer has to be; without it, whatever the model likes.
    pub force: Option<Force>,
}

/// What an answer has to be, where the provider can see to it.
#[derive(Debug, Clone, PartialEq)]
pub enum Force {
    /// A call of this tool.
    Tool(String),
    /// Words that are JSON of this schema: the arguments of this tool.
    Schema {
        /// The tool whose arguments they are.
        tool: String,
        /// The JSON schema.
        schema: Value,
    },
    /// Words that are JSON: one call of a tool on offer, or an answer. For servers that can hold a
    /// model to a schema beside its tools; others are asked as if nothing was forced.
    Call(OneCall),
}

/// The name of the call that is an answer in words.
pub const ANSWER: &str = "answer";

/// Which calls an answer may be.
#[derive(Debug, Clone, PartialEq)]
pub struct OneCall {
    /// The tools that may be called, with the schema of their arguments.
    pub tools: Vec<(String, Value)>,
    /// Whether it may be an answer in words instead.
    pub answer: bool,
}

impl OneCall {
    /// The JSON schema: `{"name", "arguments"}`. The answer has the form of a call, too, for a
    /// model that has begun with calls goes on with what looks like one.
    pub(crate) fn schema(&self) -> String {
        let call = |(name, schema): &(String, Value)| {
            let (name, arguments) = (Value::from(name.as_str()), ordered(schema));
            let fields = format!(r#"{{"name":{{"const":{name}}},"arguments":{arguments}}}"#);
            let rest = r#""required":["name","arguments"],"additionalProperties":false"#;
            format!(r#"{{"type":"object","properties":{fields},{rest}}}"#)
        };
        let mut all: Vec<String> = self.tools.iter().map(call).collect();
        if self.answer {
            let text = json!({
                "type": "object",
                "properties": { "text": { "type": "string" } },
                "required": ["text"]
            });
            all.push(call(&(ANSWER.to_owned(), text)));
        }
        format!(r#"{{"anyOf":[{}]}}"#, all.join(","))
    }
}

impl Request {
    /// The tools as they are offered: none where the answer is to be words of a schema, since
    /// many servers can hold a model to one of the two only.
    pub(crate) fn offered(&self) -> Bytes {
        match &self.force {
            Some(Force::Schema { .. }) => Bytes::new(),
            Some(Force::Tool(_) | Force::Call(_)) | None => self.tools.encoded(),
        }
    }

    /// Refuses a conversation or tools that are encoded for another protocol.
    pub(crate) fn check(&self, protocol: Protocol) -> Result<(), ModelError> {
        if self.history.protocol() == protocol && self.tools.protocol() == protocol {
            return Ok(());
        }
        Err(ModelError::BadRequest {
            message: "the conversation is kept in another provider's form".into(),
        })
    }
}

/// A tool as the model is told about it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name the model calls it by.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub schema: Value,
}

/// A list of tools, encoded once and shared by every request that offers them.
#[derive(Debug, Clone)]
pub struct ToolSet {
    protocol: Protocol,
    names: Arc<[String]>,
    specs: Arc<[ToolSpec]>,
    /// The `tools` field with its comma, or nothing.
    encoded: Bytes,
}

impl ToolSet {
    /// Encodes the tools for a protocol.
    pub fn new(protocol: Protocol, tools: &[ToolSpec]) -> Self {
        let each = |one: fn(&ToolSpec) -> Value| -> Vec<Value> { tools.iter().map(one).collect() };
        let list = match protocol {
            Protocol::OpenAiChat => each(openai_chat::encode_tool),
            Protocol::OpenAiResponses => each(openai_responses::encode_tool),
            Protocol::Anthropic => anthropic::mark_last(each(anthropic::encode_tool)),
            Protocol::Gemini => {
                vec![json!({ "functionDeclarations": each(gemini::encode_tool) })]
            }
            // The rehearsal knows its calls from the scenario, and an agent has tools of its own.
            Protocol::Rehearsal | Protocol::Acp => Vec::new(),
        };
        // An empty list is refused by some servers.
        let encoded = match tools.is_empty() || list.is_empty() {
            true => Bytes::new(),
            false => format!(r#""tools":{},"#, Value::Array(list)).into(),
        };
        let names = tools.iter().map(|tool| tool.name.clone()).collect();
        Self { protocol, names, specs: tools.into(), encoded }
    }

    /// The protocol the tools are encoded in.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The names of the tools.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The tools as they were given.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// The tools as a provider is told about them.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.encoded).into_owned()
    }

    pub(crate) fn encoded(&self) -> Bytes {
        self.encoded.clone()
    }
}
