//! What an agent asks of us, as calls of tools; and what came of them, as answers.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Value, json};

use super::peer::RpcError;
use super::terminals::Terminals;

/// The tool that stands for an agent's wish to use one of its own tools.
pub const PERMISSION: &str = "agent_permission";

/// What agents call the path among their arguments, and the two ends of a move.
const NAMED_AS: [&str; 2] = ["file_path", "path"];
const MOVED_AS: [&str; 10] = [
    "from",
    "to",
    "source",
    "destination",
    "src",
    "dst",
    "old_path",
    "new_path",
    "oldPath",
    "newPath",
];

/// A request of the agent that waits for a call of ours.
#[derive(Debug, PartialEq)]
pub(super) enum Asked {
    Read {
        /// Whether it asked for a part.
        part: bool,
    },
    Write,
    Terminal,
    Permission {
        allow: Option<String>,
        reject: Option<String>,
    },
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Came {
    pub(super) text: String,
    pub(super) failed: bool,
}

/// The call that a request comes to, if it comes to one: a tool and its arguments.
pub(super) fn as_call(
    method: &str,
    params: &Value,
    folder: &Path,
) -> Option<(Asked, &'static str, Value)> {
    match method {
        "fs/read_text_file" => {
            let mut args = json!({ "path": params["path"] });
            if let Some(line) = params["line"].as_u64() {
                args["start_line"] = json!(line.max(1));
            }
            if let Some(limit) = params["limit"].as_u64() {
                args["line_count"] = json!(limit.max(1));
            }
            let part = params["limit"].is_u64();
            Some((Asked::Read { part }, "read_file", args))
        }
        "fs/write_text_file" => {
            let args = json!({ "path": params["path"], "content": params["content"] });
            Some((Asked::Write, "write_file", args))
        }
        "terminal/create" => {
            Some((Asked::Terminal, "shell", json!({ "command": command(params, folder) })))
        }
        "session/request_permission" => {
            let option = |kind: &str| {
                let options = params["options"].as_array().into_iter().flatten();
                let mut fitting = options.filter(|option| option["kind"] == kind);
                fitting.next()?["optionId"].as_str().map(str::to_owned)
            };
            // Never for always: what is always allowed is the person's to say, and is kept by us.
            let asked =
                Asked::Permission { allow: option("allow_once"), reject: option("reject_once") };
            let mut wish = wish(&params["toolCall"]);
            if let Asked::Permission { allow: None, .. } = asked {
                wish["once"] = json!(false);
            }
            Some((asked, PERMISSION, wish))
        }
        _ => None,
    }
}

/// What an agent wants to do with a tool of its own.
fn wish(tool: &Value) -> Value {
    let input = &tool["rawInput"];
    let mut paths: Vec<&str> = tool["locations"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|location| location["path"].as_str())
        .collect();
    // A change is shown as the file it is made in.
    let content = tool["content"].as_array().into_iter().flatten();
    paths
        .extend(content.filter(|piece| piece["type"] == "diff").filter_map(|d| d["path"].as_str()));
    paths.extend(NAMED_AS.iter().filter_map(|name| input[name].as_str()));
    let kind = tool["kind"].as_str().unwrap_or("other");
    if kind == "move" {
        paths.extend(MOVED_AS.iter().filter_map(|name| input[name].as_str()));
    }
    let mut told = HashSet::new();
    paths.retain(|path| told.insert(*path));
    let mut wish = json!({ "kind": kind, "paths": paths });
    if let Some(title) = tool["title"].as_str() {
        wish["title"] = json!(title);
    }
    if let Some(command) = input["command"].as_str() {
        wish["command"] = json!(command);
    } else if let Some(argv) = input["command"].as_array() {
        let words: Vec<String> = argv.iter().filter_map(Value::as_str).map(quoted).collect();
        wish["command"] = json!(words.join(" "));
    }
    if let Some(url) = input["url"].as_str() {
        wish["url"] = json!(url);
    }
    wish
}

/// The command of a new terminal. Without arguments it is what a shell is given. Variables are
/// left out: with them in front it would not be the command that was approved.
fn command(params: &Value, here: &Path) -> String {
    let program = params["command"].as_str().unwrap_or_default();
    let args: Vec<&str> =
        params["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut line = String::new();
    if let Some(folder) = params["cwd"].as_str().filter(|folder| Path::new(folder) != here) {
        line.push_str(&format!("cd {} && ", quoted(folder)));
    }
    if args.is_empty() {
        line.push_str(program);
        return line;
    }
    let words = std::iter::once(program).chain(args).map(quoted);
    line.push_str(&words.collect::<Vec<_>>().join(" "));
    line
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

impl Asked {
    /// The answer to the agent.
    pub(super) fn answer(&self, came: &Came, terminals: &mut Terminals) -> Result<Value, RpcError> {
        match self {
            Self::Permission { allow, reject } => {
                let option = if came.failed { reject } else { allow };
                Ok(match option {
                    Some(id) => json!({ "outcome": { "outcome": "selected", "optionId": id } }),
                    None => json!({ "outcome": { "outcome": "cancelled" } }),
                })
            }
            Self::Read { part } if !came.failed => file_text(&came.text, *part),
            Self::Write if !came.failed => Ok(json!({})),
            // A command that ran is a terminal, however it ended.
            Self::Terminal if !came.failed || refusal(&came.text).is_none() => {
                Ok(json!({ "terminalId": terminals.add(came) }))
            }
            Self::Read { .. } | Self::Write | Self::Terminal => {
                let words = refusal(&came.text).unwrap_or_else(|| came.text.clone());
                Err(RpcError::refused(words))
            }
        }
    }

    /// The answer when the work was called off.
    pub(super) fn called_off(&self) -> Result<Value, RpcError> {
        match self {
            Self::Permission { .. } => Ok(json!({ "outcome": { "outcome": "cancelled" } })),
            Self::Read { .. } | Self::Write | Self::Terminal => {
                Err(RpcError::refused("the work was called off"))
            }
        }
    }
}

/// The words of a call that did not run.
fn refusal(text: &str) -> Option<String> {
    // A note of the harness may follow.
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    value["code"].as_str()?;
    value["message"].as_str().map(str::to_owned)
}

/// A file as it is: what the tool tells a model beside it is not part of the file.
fn file_text(text: &str, part: bool) -> Result<Value, RpcError> {
    if text == "(the file is empty)" || text.starts_with("(there is no line ") {
        return Ok(json!({ "content": "" }));
    }
    if text.contains(" left out; read them with start_") {
        let words = "the file is too long to be read at once: read it with line and limit";
        return Err(RpcError::refused(words));
    }
    let is_note = |at: &usize| part && text[*at..].contains("; read on with start_line=");
    let note = text.rfind("[lines ").filter(is_note);
    let content = note.map_or(text, |at| &text[..at]);
    Ok(json!({ "content": content }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn came(text: &str, failed: bool) -> Came {
        Came { text: text.to_owned(), failed }
    }

    #[test]
    fn a_permission_is_given_once_and_never_for_always() {
        let always = json!([
            { "optionId": "a", "kind": "allow_always" }, { "optionId": "o", "kind": "allow_once" },
            { "optionId": "n", "kind": "reject_once" }
        ]);
        let params = json!({ "toolCall": { "kind": "edit", "title": "Edit", "locations":
            [{ "path": "/w/a.txt" }], "content": [{ "type": "diff", "path": "/w/a.txt" }] },
            "options": always });
        let (asked, tool, args) =
            as_call("session/request_permission", &params, Path::new("/w")).unwrap();
        assert_eq!(tool, PERMISSION);
        assert_eq!(args, json!({ "kind": "edit", "title": "Edit", "paths": ["/w/a.txt"] }));
        let chosen = |failed| {
            asked.answer(&came("", failed), &mut Terminals::default()).unwrap()["outcome"].clone()
        };
        assert_eq!(chosen(false), json!({ "outcome": "selected", "optionId": "o" }));
        assert_eq!(chosen(true), json!({ "outcome": "selected", "optionId": "n" }));
        let only_always = json!({ "toolCall": {}, "options": [always[0]] });
        let (asked, _, args) =
            as_call("session/request_permission", &only_always, Path::new("/w")).unwrap();
        assert_eq!(args["kind"], "other", "what is not understood is no kind");
        let answer = asked.answer(&came("", false), &mut Terminals::default()).unwrap();
        assert_eq!(answer["outcome"]["outcome"], "cancelled");
    }

    #[test]
    fn a_terminal_is_a_command_in_a_folder() {
        let line = |params: Value| command(&params, Path::new("/w"));
        assert_eq!(line(json!({ "command": "ls | wc -l", "cwd": "/w" })), "ls | wc -l");
        let params = json!({ "command": "git", "args": ["log", "it's"], "cwd": "/w/s",
            "env": [{ "name": "A", "value": "b" }] });
        assert_eq!(line(params), "cd /w/s && git log 'it'\\''s'");
    }

    #[test]
    fn a_refusal_is_an_error_and_a_failed_command_is_a_terminal() {
        let mut terminals = Terminals::default();
        let blocked = came("{\"code\":\"NOT_APPROVED\",\"message\":\"write a plan\"}\n\nHm.", true);
        let answer = Asked::Terminal.answer(&blocked, &mut terminals);
        assert_eq!(answer, Err(RpcError::refused("write a plan")));
        let failed = came("oh\n(exit code 3)", true);
        let answer = Asked::Terminal.answer(&failed, &mut terminals).unwrap();
        assert_eq!(answer, json!({ "terminalId": "t1" }));
    }

    #[test]
    fn a_file_is_given_as_it_is() {
        let text = |text: &str| file_text(text, true).map(|value| value["content"].clone());
        assert_eq!(text("(the file is empty)"), Ok(json!("")));
        assert_eq!(text("a\nb\n"), Ok(json!("a\nb\n")));
        assert_eq!(text("a\n[lines 1 to 1 of 2; read on with start_line=2]"), Ok(json!("a\n")));
        let own = "x = [lines 1 to 1 of 2; read on with start_line=2]";
        assert_eq!(file_text(own, false).unwrap()["content"], own, "a file may say so itself");
        let cut =
            "a\n[… lines 2 to 9 of 10 left out; read them with start_line=2 and line_count=8 …]\nz";
        assert!(text(cut).is_err(), "a part must not be taken for the whole");
    }
}
