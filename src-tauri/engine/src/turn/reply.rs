//! What a model said in one turn, and how that is recorded.

use super::asking::Asked;
use super::forced::{self, Held};
use super::telling::Telling;
use super::text_calls::Asking;
use super::think_tags::{Parted, ThinkTags};
use super::{choosing, forcing, received, submit, words};
use crate::chatter::Chatter;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::sidekicks;
use futures::StreamExt;
use models::{CallRequest, Force, Kept, ModelError, ModelEvent, Request, Stop, without_repetition};
use plan::{Command, Refusal, ReplyEnd, Text, Usage};
use serde_json::Value;
use std::sync::Arc;

/// In the name of a tool that some models take for several calls at once.
const IN_PARALLEL: &str = "multi_tool_use";

/// The calls that stand in one for several, each as it is written; the call itself where it is none.
fn apart(call: CallRequest) -> Vec<CallRequest> {
    let whole: Option<Value> = serde_json::from_str(&call.arguments).ok();
    let uses = whole.as_ref().and_then(|whole| whole["tool_uses"].as_array());
    let uses = uses.filter(|uses| call.name.contains(IN_PARALLEL) && !uses.is_empty());
    let one = |(at, one): (usize, &Value)| {
        let name = one["recipient_name"].as_str()?;
        let arguments = one["parameters"].as_object().cloned().map(Value::Object)?;
        Some(CallRequest::new(format!("{}_{at}", call.id), name, arguments.to_string()))
    };
    let calls: Option<Vec<CallRequest>> =
        uses.and_then(|uses| uses.iter().enumerate().map(one).collect());
    calls.unwrap_or_else(|| vec![call.clone()])
}

/// Stands for the tool of a call that its server could not read and that names none.
pub(super) const UNREAD_CALL: &str = "unread_call";

/// What a token takes, where nobody counted.
const BYTES_PER_TOKEN: usize = 4;

/// What a model said in one turn.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    thinking: String,
    calls: Vec<CallRequest>,
    kept: Option<Kept>,
    usage: models::Usage,
    stop: Option<Stop>,
}

impl Said {
    pub(crate) fn usage(&self) -> &models::Usage {
        &self.usage
    }

    /// A call that the server of the model could not read, by the tool that it names. What it cost
    /// is not told, so it is reckoned from the bytes of the request.
    pub(super) fn of_unread_call(
        offered: &[String],
        message: &str,
        written: &str,
        request: usize,
    ) -> Self {
        let told = if written.trim().is_empty() { message } else { written };
        let at = |name: &&String| told.find(name.as_str());
        let named = offered.iter().filter(|name| at(name).is_some()).min_by_key(at);
        let name = named.map_or(UNREAD_CALL, String::as_str);
        // Nobody may ever take these for arguments.
        let raw = match models::repair(told, models::Whole::Yes) {
            Err(_) => told.to_owned(),
            Ok(_) => format!("not read by the server: {told}"),
        };
        let tokens = |bytes: usize| (bytes / BYTES_PER_TOKEN) as u64;
        let (input, output) = (tokens(request), tokens(told.len()));
        Self {
            calls: vec![CallRequest::new("unread_0", name, raw)],
            usage: models::Usage { input, output, ..models::Usage::default() },
            stop: Some(Stop::ToolCalls),
            ..Self::default()
        }
    }

    /// Whether it repeated itself without end and was cut off.
    pub(super) fn repeats(&self) -> bool {
        self.stop == Some(Stop::Repetition)
    }

    fn ended(&self) -> ReplyEnd {
        match self.stop {
            Some(Stop::Repetition) => ReplyEnd::Repeating,
            Some(Stop::Length) => ReplyEnd::Cut,
            Some(Stop::End | Stop::ToolCalls | Stop::Paused) | None => ReplyEnd::Whole,
        }
    }

    /// Leaves out what was only said again. What was kept belongs to other words.
    fn shorten(&mut self) {
        self.text = without_repetition(&self.text);
        self.thinking = without_repetition(&self.thinking);
        if let Some(last) = self.calls.last_mut() {
            last.arguments = without_repetition(&last.arguments);
        }
        self.kept = None;
    }

    /// Finds the calls that came as words.
    pub(super) async fn read(
        &mut self,
        engine: &Engine,
        live: &LiveRoom,
        force: Option<&Force>,
        asking: Option<Asking>,
    ) -> Result<(), EngineError> {
        if !self.calls.is_empty() {
            return Ok(());
        }
        let read = match (forced::read(force, &self.text), asking) {
            (Some(Held::Call(call)), Some(asking)) => {
                // A report of work widens nothing, and its words may well be those of a file.
                let said = forced::after_thinking(&self.text);
                let quoted = !forcing::is_report(&call.name)
                    && asking.is_quoted(engine, live, said, &call).await?;
                (!quoted).then(|| (String::new(), vec![call]))
            }
            (Some(Held::Answer(words)), _) => Some((words, Vec::new())),
            (None, Some(asking)) => match asking.read(engine, live, &self.text, self.stop).await? {
                Some(read) => Some(read),
                None => asking.plan(engine, live, &self.text, self.stop).await?,
            },
            (Some(Held::Call(_)) | None, None) => None,
        };
        if let Some((words, calls)) = read {
            // What was kept belongs to other words.
            (self.text, self.calls, self.kept) = (words, calls, None);
        }
        Ok(())
    }
}

/// Hears a whole reply, telling its words as they come.
pub(super) async fn listen(
    asked: &Asked,
    request: Request,
    mut telling: Option<Telling<'_>>,
) -> Result<Said, ModelError> {
    let mut stream = asked.model.stream(request).await?;
    let (mut said, mut tags) = (Said::default(), ThinkTags::default());
    let hear = |said: &mut Said, telling: &mut Option<Telling<'_>>, part: Parted| {
        said.thinking.push_str(&part.thinking);
        said.text.push_str(&part.words);
        if let Some(telling) = telling {
            telling.thought(&part.thinking);
            telling.text(&part.words);
        }
    };
    while let Some(event) = stream.next().await {
        match event? {
            ModelEvent::Text(delta) => hear(&mut said, &mut telling, tags.next(&delta)),
            ModelEvent::Thinking(thinking) => {
                let part = Parted { thinking, ..Parted::default() };
                hear(&mut said, &mut telling, part);
            }
            ModelEvent::ToolCall(call) => said.calls.push(call),
            ModelEvent::Kept(kept) => said.kept = Some(kept),
            ModelEvent::Usage(usage) => said.usage = usage,
            ModelEvent::Done(stop) => {
                hear(&mut said, &mut telling, tags.end());
                said.stop = Some(stop);
                if said.repeats() {
                    said.shorten();
                }
                telling.into_iter().for_each(Telling::end);
                return Ok(said);
            }
        }
    }
    Err(ModelError::Dropped)
}

/// Records what was said, and what follows from words alone.
pub(super) async fn record(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
    said: Said,
    seen: u64,
) -> Result<(), EngineError> {
    let usage = cost(asked, &said.usage);
    if asked.hands_over && choosing::wants_to_plan(engine, live, &said.calls) {
        return set_aside(engine, live, asked, usage, seen);
    }
    let mut blobs = Vec::new();
    let mut keep = |text: String| {
        let (text, blob) = Text::split(engine.shared.redactor.clean(text));
        blobs.extend(blob);
        text
    };
    let workspace = live.lock().room.folder().to_owned();
    let mut said = said;
    if said.calls.iter().any(|call| call.name.contains(IN_PARALLEL)) {
        // What was kept belongs to another call.
        said.calls = said.calls.into_iter().flat_map(apart).collect();
        said.kept = None;
    }
    let ended = said.ended();
    let cut = ended != ReplyEnd::Whole;
    let calls = said.calls.into_iter();
    let calls = calls.map(|call| received::call(engine, &workspace, call, cut, &mut keep));
    let calls: Vec<plan::CallRequest> = calls.collect();
    let only_words = calls.is_empty().then(|| said.text.clone());
    let sealed = said.kept.and_then(|kept| sealed(engine, &kept)).map(&mut keep);
    let command = Command::Reply {
        model: asked.name.to_string(),
        text: keep(said.text),
        thinking: (!said.thinking.is_empty()).then(|| keep(said.thinking)),
        calls,
        kept: sealed,
        usage,
        seen,
        ended,
    };
    store(engine, live, asked, command, blobs, usage)?;
    match only_words {
        Some(_) if ended == ReplyEnd::Repeating => {
            sidekicks::repeated_itself(engine, live);
            words::heard(engine, live, asked, "")
        }
        Some(said) => words::heard(engine, live, asked, &said),
        None => Ok(()),
    }
}

/// Keeps nothing of a turn but its cost: the planning model is asked instead.
fn set_aside(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
    usage: Usage,
    seen: u64,
) -> Result<(), EngineError> {
    // Whoever follows the turn forgets its words.
    live.chatter.send(Chatter::Thinking { after: seen });
    let turns = {
        let inner = live.lock();
        let plan = inner.room.active_plan();
        let caps = plan.map_or(&asked.config.config.caps, |plan| &plan.frame.caps);
        caps.planning_turns
    };
    let command = Command::SetAside { model: asked.name.to_string(), usage, seen, turns };
    store(engine, live, asked, command, Vec::new(), usage)
}

/// Records a turn; of one that is no longer wanted, only the cost.
fn store(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
    command: Command,
    blobs: Vec<(String, Vec<u8>)>,
    usage: Usage,
) -> Result<(), EngineError> {
    match submit(engine, live, command, blobs) {
        Ok(_) => Ok(()),
        Err(EngineError::Refused(Refusal::Stale)) => {
            let model = asked.name.to_string();
            submit(engine, live, Command::Spend { model, usage }, Vec::new())?;
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// What is kept for the provider, unless it holds a known secret: it is good only
/// as it came, so it can't be cleaned.
fn sealed(engine: &Engine, kept: &Kept) -> Option<String> {
    let text = serde_json::to_string(kept).ok()?;
    (!engine.shared.redactor.knows(&text)).then_some(text)
}

pub(super) fn cost(asked: &Asked, usage: &models::Usage) -> Usage {
    let prices = asked.config.config.facts(&asked.name).prices;
    let cost = prices.map_or(0, |price| price.of(usage));
    Usage {
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cost_micros: cost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_calls_in_one_are_taken_apart_as_they_are_written() {
        let call = |arguments: &str| {
            let call = CallRequest::new("c", "multi_tool_use.parallel", arguments);
            let calls = apart(call).into_iter();
            calls.map(|call| (call.id, call.name, call.arguments)).collect::<Vec<_>>()
        };
        let two = r#"{"tool_uses":[
            {"recipient_name":"functions.read_file","parameters":{"path":"a"}},
            {"recipient_name":"list_dir","parameters":{}}]}"#;
        let made = |id: &str, name: &str, arguments: &str| {
            (id.to_owned(), name.to_owned(), arguments.to_owned())
        };
        let expected =
            [made("c_0", "functions.read_file", r#"{"path":"a"}"#), made("c_1", "list_dir", "{}")];
        assert_eq!(call(two), expected);
        for other in [r#"{"tool_uses":[]}"#, r#"{"tool_uses":[{"parameters":{}}]}"#, "{"] {
            assert_eq!(call(other), [made("c", "multi_tool_use.parallel", other)]);
        }
    }

    #[test]
    fn a_call_that_its_server_could_not_read_is_one_that_nobody_can_run() {
        let offered = ["read_file".to_owned(), "write_file".to_owned()];
        for (message, written, tool) in [
            ("Failed.", "<function=write_file>{\"path\":\"read_file\"}</function>", "write_file"),
            ("Failed to parse input at pos 3: <tool_call>", "", UNREAD_CALL),
            ("no", "{\"path\": \"a\"}", UNREAD_CALL),
            ("no", "{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}", "read_file"),
        ] {
            let said = Said::of_unread_call(&offered, message, written, 400);
            let call = &said.calls[0];
            assert_eq!(call.name, tool, "{written}");
            assert!(models::repair(&call.arguments, models::Whole::Yes).is_err(), "{written}");
            assert_eq!(said.usage.input, 100);
        }
    }
}
