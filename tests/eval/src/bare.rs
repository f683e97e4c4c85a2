//! A loop with four plain tools, two sentences of instructions and no harness.

use crate::clock::Clock;
use crate::http;
use crate::proxy::Proxy;
use crate::result::Ended;
use crate::task::{Task, short};
use crate::wire::{self, Call};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

const TURNS: usize = 12;
const SHELL: Duration = Duration::from_secs(60);
const MOST: usize = 8_000;
const SYSTEM: &str = "You are a helpful assistant with access to the files of a folder. Use the \
                      tools to do what the user asks, then answer in one short sentence.";

/// Where the model is.
pub struct Place {
    pub address: String,
    pub model: String,
    pub key: Option<String>,
}

/// How a task went.
#[derive(Debug, Default)]
pub struct Went {
    pub ended: Option<Ended>,
    pub words: String,
    pub answer: String,
    pub calls: u64,
    pub malformed: u64,
    pub repeats: u64,
}

/// Does one task within the limit.
pub async fn perform(
    task: &Task,
    place: &Place,
    folder: &Path,
    proxy: &Proxy,
    clock: Clock,
) -> Went {
    let mut went = Went::default();
    let done = tokio::select! {
        done = talk(task, place, folder, &mut went) => Ok(done),
        words = clock.up(proxy) => Err(words),
    };
    match done {
        Ok(Ok(ended)) => went.ended = Some(ended),
        Ok(Err(why)) => {
            went.ended = Some(Ended::Broken);
            went.words = why;
        }
        Err(words) => {
            went.ended = Some(Ended::Time);
            went.words = words;
        }
    }
    went
}

async fn talk(task: &Task, place: &Place, folder: &Path, went: &mut Went) -> Result<Ended, String> {
    let mut messages = vec![
        json!({ "role": "system", "content": SYSTEM }),
        json!({ "role": "user", "content": task.say }),
    ];
    let mut answer_left = task.answer;
    let mut seen: HashMap<(String, String), u64> = HashMap::new();
    for _ in 0..TURNS {
        let reply = ask(place, &messages).await?;
        if !reply.text.trim().is_empty() {
            went.answer = reply.text.clone();
        }
        if reply.calls.is_empty() {
            let Some(words) = answer_left.take() else {
                went.words = short(&went.answer);
                return Ok(Ended::Rest);
            };
            messages.push(json!({ "role": "assistant", "content": reply.text }));
            messages.push(json!({ "role": "user", "content": words }));
            continue;
        }
        messages.push(said(&reply));
        for call in &reply.calls {
            went.calls += 1;
            let count = seen.entry((call.name.clone(), call.arguments.clone())).or_default();
            *count += 1;
            went.repeats = went.repeats.max(*count);
            let result = match run(call, folder).await {
                Ok(result) => result,
                Err(Failed::Malformed(why)) => {
                    went.malformed += 1;
                    why
                }
                Err(Failed::Ran(why)) => why,
            };
            messages
                .push(json!({ "role": "tool", "tool_call_id": call.id, "content": cut(result) }));
        }
    }
    went.words = format!("{TURNS} turns were used up");
    Ok(Ended::Stopped)
}

fn said(reply: &wire::Answer) -> Value {
    let calls: Vec<Value> = reply
        .calls
        .iter()
        .map(|call| {
            // What is no JSON would be refused by servers.
            let valid = serde_json::from_str::<Value>(&call.arguments).is_ok();
            let arguments = if valid { call.arguments.as_str() } else { "{}" };
            let function = json!({ "name": call.name, "arguments": arguments });
            json!({ "id": call.id, "type": "function", "function": function })
        })
        .collect();
    json!({ "role": "assistant", "content": reply.text, "tool_calls": calls })
}

async fn ask(place: &Place, messages: &[Value]) -> Result<wire::Answer, String> {
    let body = json!({
        "model": place.model,
        "messages": messages,
        "tools": tools(),
        "stream": true,
        // As small models are asked by the harness.
        "temperature": 0,
        "stream_options": { "include_usage": true },
    });
    let request = http::client()
        .post(format!("{}/chat/completions", place.address))
        .header("content-type", "application/json")
        .body(body.to_string());
    let request = match &place.key {
        Some(key) => request.header("authorization", format!("Bearer {key}")),
        None => request,
    };
    let failed = |error: reqwest::Error| format!("the model was not reached: {error}");
    let answer = request.send().await.map_err(failed)?;
    let status = answer.status();
    let bytes = answer.bytes().await.map_err(failed)?;
    if !status.is_success() {
        return Err(format!("{status}: {}", short(&String::from_utf8_lossy(&bytes))));
    }
    Ok(wire::answer(&bytes))
}

fn tools() -> Value {
    let tool = |name: &str, about: &str, fields: &[(&str, &str)]| {
        let properties: serde_json::Map<String, Value> = fields
            .iter()
            .map(|(name, about)| {
                (name.to_string(), json!({ "type": "string", "description": about }))
            })
            .collect();
        let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        let parameters =
            json!({ "type": "object", "properties": properties, "required": required });
        let function = json!({ "name": name, "description": about, "parameters": parameters });
        json!({ "type": "function", "function": function })
    };
    json!([
        tool("read_file", "Read a file.", &[("path", "path of the file")]),
        tool(
            "write_file",
            "Write a file.",
            &[("path", "path of the file"), ("content", "all of its text")]
        ),
        tool("list_dir", "List the files of a folder.", &[("path", "path of the folder")]),
        tool("shell", "Run a shell command.", &[("command", "the command")]),
    ])
}

enum Failed {
    /// Nobody can tell what was meant.
    Malformed(String),
    /// It was understood and did not work.
    Ran(String),
}

async fn run(call: &Call, folder: &Path) -> Result<String, Failed> {
    let args: Value = serde_json::from_str(&call.arguments)
        .map_err(|error| Failed::Malformed(format!("error: the arguments are no JSON: {error}")))?;
    let field = |name: &str| {
        args[name].as_str().ok_or_else(|| Failed::Malformed(format!("error: `{name}` is missing")))
    };
    let ran = |error: std::io::Error| Failed::Ran(format!("error: {error}"));
    match call.name.as_str() {
        "read_file" => std::fs::read(inside(folder, field("path")?)?)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(ran),
        "write_file" => {
            let path = inside(folder, field("path")?)?;
            let content = field("content")?;
            let above = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(above)
                .and_then(|()| std::fs::write(&path, content))
                .map(|()| "written".to_owned())
                .map_err(ran)
        }
        "list_dir" => {
            let entries = std::fs::read_dir(inside(folder, field("path")?)?).map_err(ran)?;
            let mut names: Vec<String> = entries
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            Ok(names.join("\n"))
        }
        "shell" => shell(field("command")?, folder).await,
        other => Err(Failed::Malformed(format!("error: there is no tool `{other}`"))),
    }
}

/// A path in the folder; what would lead out is an error of the call.
fn inside(folder: &Path, path: &str) -> Result<PathBuf, Failed> {
    let path = Path::new(path);
    let path = path.strip_prefix(folder).unwrap_or(path);
    let leads_out =
        path.is_absolute() || path.components().any(|part| part == Component::ParentDir);
    if leads_out {
        return Err(Failed::Ran("error: the path is outside of the folder".to_owned()));
    }
    Ok(folder.join(path))
}

async fn shell(command: &str, folder: &Path) -> Result<String, Failed> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).current_dir(folder).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(SHELL, shell.output())
        .await
        .map_err(|_| Failed::Ran("error: the command took too long".to_owned()))?
        .map_err(|error| Failed::Ran(format!("error: {error}")))?;
    let out = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code().unwrap_or(-1);
    Ok(format!("{out}{errors}(exit code {code})"))
}

fn cut(text: String) -> String {
    if text.chars().count() <= MOST { text } else { text.chars().take(MOST).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_outside_of_the_folder_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in ["../x", "/etc/hostname"] {
            let arguments = json!({ "path": path }).to_string();
            let call = Call { id: "1".into(), name: "read_file".into(), arguments };
            let Err(Failed::Ran(why)) = run(&call, folder.path()).await else {
                panic!("{path} was read");
            };
            assert!(why.contains("outside"), "{why}");
        }
    }

    #[tokio::test]
    async fn commands_run_in_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let arguments = json!({ "command": "echo hi > made.txt; cat made.txt" }).to_string();
        let call = Call { id: "1".into(), name: "shell".into(), arguments };
        let Ok(result) = run(&call, folder.path()).await else { panic!("it failed") };
        assert_eq!(result, "hi\n(exit code 0)");
        assert!(folder.path().join("made.txt").is_file());
    }
}
