//! What the scripted model answers to one request.

use std::time::Duration;

use serde_json::Value;

/// One answer of the model: words, tool calls, or an error, and how it travels.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) usage: Option<Usage>,
    pub(crate) finish: Option<String>,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) travel: Travel,
}

/// A tool call; its arguments are text, because a model may write anything there.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub name: String,
    pub arguments: String,
}

/// Tokens the model says it used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub input: u64,
    pub output: u64,
}

/// An HTTP answer that is not a stream.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub status: u16,
    pub body: String,
    pub headers: Vec<(String, String)>,
}

/// How the answer gets to the client.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Travel {
    pub delay: Duration,
    pub piece: Option<usize>,
    pub hold_after: Option<usize>,
    pub cut_after: Option<usize>,
}

impl Reply {
    /// The model says words and ends its turn.
    pub fn text(words: impl Into<String>) -> Self {
        Self { text: words.into(), ..Self::default() }
    }

    /// The model calls one tool.
    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        Self::default().and_call(name, arguments)
    }

    /// The model calls several tools in one turn.
    pub fn calls<N: Into<String>>(calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        calls
            .into_iter()
            .fold(Self::default(), |reply, (name, arguments)| reply.and_call(name, arguments))
    }

    /// The model calls a tool with arguments that need not be JSON.
    pub fn call_raw(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self {
            calls: vec![Call { name: name.into(), arguments: arguments.into() }],
            ..Self::default()
        }
    }

    /// The server answers with an HTTP status, a body and headers, and no stream.
    pub fn status(code: u16, body: impl Into<String>, headers: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        Self {
            refusal: Some(Refusal {
                status: code,
                body: body.into(),
                headers: headers.iter().map(owned).collect(),
            }),
            ..Self::default()
        }
    }

    /// Adds words, which are streamed before the tool calls.
    pub fn and_text(mut self, words: &str) -> Self {
        self.text.push_str(words);
        self
    }

    /// Adds a tool call to the same turn.
    pub fn and_call(mut self, name: impl Into<String>, arguments: Value) -> Self {
        self.calls.push(Call { name: name.into(), arguments: arguments.to_string() });
        self
    }

    /// Adds the words and tool calls of another reply to the same turn.
    pub fn and(mut self, other: Reply) -> Self {
        self.text.push_str(&other.text);
        self.calls.extend(other.calls);
        self
    }

    /// Says how many tokens went in and came out.
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Some(Usage { input, output });
        self
    }

    /// Gives another reason for the end of the turn, such as `length`.
    pub fn finish(mut self, reason: impl Into<String>) -> Self {
        self.finish = Some(reason.into());
        self
    }

    /// Drops the connection after this many bytes of the body.
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.travel.cut_after = Some(bytes);
        self
    }

    /// Stops after this many events until the next `release` of the model; the first event is
    /// the opening of the message, each word is one, and a call begins with one of its own.
    pub fn hold_after(mut self, events: usize) -> Self {
        self.travel.hold_after = Some(events);
        self
    }

    /// Sends the body in pieces of this many bytes, splitting events and characters.
    pub fn chunked(mut self, bytes: usize) -> Self {
        self.travel.piece = Some(bytes.max(1));
        self
    }

    /// Waits this long before the first byte of the answer.
    pub fn delay(mut self, time: Duration) -> Self {
        self.travel.delay = time;
        self
    }
}
