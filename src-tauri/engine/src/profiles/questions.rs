//! What a model is asked in a check, and whether it did it.

use super::answer::Answer;
use models::{Force, ToolSpec};
use serde_json::{Value, json};

/// The standing instructions of every question.
pub(super) const SYSTEM: &str = "You are a helpful assistant. Use the tools you are given.";

/// One question.
pub(super) struct Question {
    pub(super) words: &'static str,
    pub(super) tools: Vec<ToolSpec>,
    pub(super) force: Option<Force>,
    /// Tokens that a good answer needs at most.
    pub(super) most: u32,
}

impl Question {
    fn new(words: &'static str, tools: Vec<ToolSpec>) -> Self {
        Self { words, tools, force: None, most: 300 }
    }
}

/// One word, without any tool.
pub(super) fn plain() -> Question {
    Question::new("Answer with the word ready.", Vec::new())
}

pub(super) const NOTE: &str = "note";

/// One call of a tiny tool.
pub(super) fn one_call() -> Question {
    Question::new("Call the tool note with the text \"ready\".", vec![note()])
}

pub(super) const READ: &str = "read_file";

/// A tool that nobody would call here; who calls too much would rather take the other one.
pub(super) fn forced_call() -> Question {
    let force = Some(Force::Tool(READ.to_owned()));
    Question { force, ..Question::new("Say hello.", vec![note(), read_file()]) }
}

/// Two calls that have nothing to do with each other.
pub(super) fn two_calls() -> Question {
    let words = "Read the files a.txt and b.txt. Make both calls of read_file in one answer.";
    Question::new(words, vec![read_file()])
}

/// Words that are held to a schema; nothing else asks for JSON.
pub(super) fn held_to_schema() -> Question {
    let schema = object(
        json!({ "colour": { "type": "string" }, "legs": { "type": "integer" } }),
        &["colour", "legs"],
    );
    let force = Some(Force::Schema { tool: "answer".to_owned(), schema });
    let words = "Which colour is grass, and how many legs does a cat have?";
    Question { force, ..Question::new(words, Vec::new()) }
}

/// Whether the words are what the schema says.
pub(super) fn keeps_schema(answer: &Answer) -> bool {
    let value: Option<Value> = serde_json::from_str(answer.text.trim()).ok();
    value.is_some_and(|value| value["colour"].is_string() && value["legs"].is_u64())
}

pub(super) const WRITE_PLAN: &str = "write_plan";

/// A plan in the form with one field.
pub(super) fn simple_plan() -> Question {
    let steps = json!({ "type": "array", "items": { "type": "string" } });
    let schema = object(json!({ "steps": steps }), &["steps"]);
    let tool = tool(WRITE_PLAN, "Write a plan. Each step is one short sentence.", schema);
    let words = "Write a plan of three steps with write_plan: make the file a.txt, make the file \
                 b.txt, list the folder.";
    Question { most: 400, ..Question::new(words, vec![tool]) }
}

/// Whether the arguments are a plan in that form.
pub(super) fn is_simple_plan(arguments: &Value) -> bool {
    has_steps(arguments, |step| words_in(step) || words_in(&step["text"]))
}

pub(super) const PLAN: &str = "plan";

/// A plan in the full form, by the tool that able models get.
pub(super) fn full_plan(tool: ToolSpec) -> Question {
    let words = "Write a plan with the plan tool. Its goal: two files. Its steps: make the file \
                 a.txt, make the file b.txt, list the folder.";
    Question { most: 800, ..Question::new(words, vec![tool]) }
}

/// Whether the arguments are a plan in the full form, with nothing to be mended.
pub(super) fn is_full_plan(arguments: &Value) -> bool {
    let is_step = |step: &Value| words_in(step) || words_in(&step["text"]);
    arguments["action"] == "write" && words_in(&arguments["goal"]) && has_steps(arguments, is_step)
}

fn has_steps(arguments: &Value, is_step: impl Fn(&Value) -> bool) -> bool {
    let steps = arguments["steps"].as_array();
    steps.is_some_and(|steps| steps.len() >= 2 && steps.iter().all(is_step))
}

fn words_in(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

fn note() -> ToolSpec {
    let schema = object(json!({ "text": { "type": "string" } }), &["text"]);
    tool(NOTE, "Keep a note.", schema)
}

fn read_file() -> ToolSpec {
    let schema = object(json!({ "path": { "type": "string" } }), &["path"]);
    tool(READ, "Read one file.", schema)
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": false,
    })
}

fn tool(name: &str, description: &str, schema: Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), schema }
}
