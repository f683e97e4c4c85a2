//! What the evaluation was asked to do.

use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::clock::Pace;
use crate::task::{Kind, Task};
use crate::tasks::TASKS;

const USAGE: &str = "cargo xtask eval: gives a model small real tasks and counts what comes of them

Which model:
  --address URL         the address of a model server, such as http://127.0.0.1:8080/v1
  --type TYPE           what it speaks: chatcompletion (default), anthropic or openai (Responses)
  --config FILE         a plancard.yaml with the provider instead; its base_url must be written out
  --model NAME          the model; with --config as provider/model. Default: the first it lists
  --key-env NAME        the variable with the key, with --address
  --window N            its context window in tokens (16384)

Which tasks:
  --tasks A,B           only these
  --only-kind KIND      only this kind
  --minutes N           the most a task may take (4)
  --turns N             the most requests to the model in a task (40)
  --pace IN,OUT         count that time by tokens: so many read and written in a second. For a
                        machine that has other work to do

How:
  --run NAME            the name of the run: target/eval/NAME.jsonl. Tasks in it are skipped
  --again               start the run over
  --bare                a loop with four plain tools instead of Plancard
  --bin PATH            another build of the server program
  --record DIR          where recordings go (target/eval/recordings/RUN)
  --folder DIR          in place of target/eval

Afterwards:
  --report RUN…         show runs side by side and leave
  --keep-fixtures RUN DIR   copy recordings worth keeping to DIR and leave
  --list                list the tasks and leave
  --help                this text

Keys in the system's keyring are out of reach: the evaluation stands between Plancard and the
model, at another address than the one they are bound to. Use --key-env.";

/// What to do.
#[derive(Debug)]
pub enum Wanted {
    Run(Box<Options>),
    Report { folder: PathBuf, runs: Vec<String> },
    Keep { folder: PathBuf, run: String, to: PathBuf },
    List,
    Help,
}

/// How the model is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaks {
    Chat,
    Anthropic,
    Responses,
}

/// Where the model is.
#[derive(Debug, Clone)]
pub enum Source {
    Address { url: String, speaks: Speaks, key_env: Option<String> },
    Config(PathBuf),
}

/// One run.
#[derive(Debug)]
pub struct Options {
    pub source: Source,
    pub model: Option<String>,
    pub window: u64,
    pub tasks: Vec<Task>,
    pub limit: Duration,
    pub turns: u64,
    pub pace: Option<Pace>,
    pub run: String,
    pub again: bool,
    pub bare: bool,
    pub bin: Option<PathBuf>,
    pub record: PathBuf,
    pub folder: PathBuf,
}

/// The help text.
pub fn usage() -> &'static str {
    USAGE
}

/// Reads the arguments.
pub fn read(args: impl Iterator<Item = OsString>) -> Result<Wanted, String> {
    let mut parser = Parser::from_args(args);
    let said = |error: lexopt::Error| format!("{error}\n\n{USAGE}");
    let mut given = Given::default();
    while let Some(arg) = parser.next().map_err(said)? {
        let text = |parser: &mut Parser| parser.value().and_then(|v| v.string()).map_err(said);
        match arg {
            Arg::Long("address") => given.address = Some(text(&mut parser)?),
            Arg::Long("type") => given.speaks = Some(text(&mut parser)?),
            Arg::Long("config") => given.config = Some(text(&mut parser)?.into()),
            Arg::Long("model") => given.model = Some(text(&mut parser)?),
            Arg::Long("key-env") => given.key_env = Some(text(&mut parser)?),
            Arg::Long("window") => given.window = Some(number(&text(&mut parser)?)?),
            Arg::Long("tasks") => given.tasks = Some(text(&mut parser)?),
            Arg::Long("only-kind") => given.kind = Some(text(&mut parser)?),
            Arg::Long("minutes") => given.minutes = Some(number(&text(&mut parser)?)?),
            Arg::Long("turns") => given.turns = Some(number(&text(&mut parser)?)?),
            Arg::Long("pace") => given.pace = Some(pace(&text(&mut parser)?)?),
            Arg::Long("run") => given.run = Some(text(&mut parser)?),
            Arg::Long("again") => given.again = true,
            Arg::Long("bare") => given.bare = true,
            Arg::Long("bin") => given.bin = Some(text(&mut parser)?.into()),
            Arg::Long("record") => given.record = Some(text(&mut parser)?.into()),
            Arg::Long("folder") => given.folder = Some(text(&mut parser)?.into()),
            Arg::Long("report") => given.report = true,
            Arg::Long("keep-fixtures") => given.keep = true,
            Arg::Long("list") => return Ok(Wanted::List),
            Arg::Long("help") | Arg::Short('h') => return Ok(Wanted::Help),
            Arg::Value(word) if given.report || given.keep => {
                given.words.push(word.string().map_err(said)?);
            }
            Arg::Short(_) | Arg::Long(_) | Arg::Value(_) => {
                return Err(format!("{}\n\n{USAGE}", arg.unexpected()));
            }
        }
    }
    given.wanted()
}

#[derive(Default)]
struct Given {
    address: Option<String>,
    speaks: Option<String>,
    config: Option<PathBuf>,
    model: Option<String>,
    key_env: Option<String>,
    window: Option<u64>,
    tasks: Option<String>,
    kind: Option<String>,
    minutes: Option<u64>,
    turns: Option<u64>,
    pace: Option<Pace>,
    run: Option<String>,
    again: bool,
    bare: bool,
    bin: Option<PathBuf>,
    record: Option<PathBuf>,
    folder: Option<PathBuf>,
    report: bool,
    keep: bool,
    words: Vec<String>,
}

impl Given {
    fn wanted(self) -> Result<Wanted, String> {
        let folder = self.folder.clone().unwrap_or_else(|| PathBuf::from("target/eval"));
        if self.report {
            if self.words.is_empty() {
                return Err("--report needs the names of runs".into());
            }
            return Ok(Wanted::Report { folder, runs: self.words });
        }
        if self.keep {
            let [run, to] = self.words.as_slice() else {
                return Err("--keep-fixtures needs a run and a folder".into());
            };
            return Ok(Wanted::Keep { folder, run: run.clone(), to: to.into() });
        }
        let source = self.source()?;
        let tasks = self.chosen()?;
        let run =
            self.run.unwrap_or_else(|| if self.bare { "bare" } else { "plancard" }.to_owned());
        if run.contains(['/', '\\']) || run.starts_with('.') {
            return Err(format!("`{run}` is no name of a run: it names a file"));
        }
        let record = self.record.unwrap_or_else(|| folder.join("recordings").join(&run));
        Ok(Wanted::Run(Box::new(Options {
            source,
            model: self.model,
            window: self.window.unwrap_or(16_384),
            tasks,
            limit: Duration::from_secs(60 * self.minutes.unwrap_or(4)),
            turns: self.turns.unwrap_or(40),
            pace: self.pace,
            run,
            again: self.again,
            bare: self.bare,
            bin: self.bin,
            record,
            folder,
        })))
    }

    fn source(&self) -> Result<Source, String> {
        match (&self.address, &self.config) {
            (Some(_), Some(_)) => Err("take --address or --config, not both".into()),
            (None, None) => Err(format!("which model? Give --address or --config\n\n{USAGE}")),
            (None, Some(file)) => {
                if self.model.is_none() {
                    return Err("--config needs --model provider/model".into());
                }
                if self.bare {
                    return Err("--bare needs --address: it knows no configuration".into());
                }
                Ok(Source::Config(file.clone()))
            }
            (Some(url), None) => {
                let speaks = match self.speaks.as_deref().unwrap_or("chatcompletion") {
                    "chatcompletion" | "chat" => Speaks::Chat,
                    "anthropic" => Speaks::Anthropic,
                    "openai" | "responses" => Speaks::Responses,
                    other => return Err(format!("--type can't be `{other}`\n\n{USAGE}")),
                };
                if self.bare && speaks != Speaks::Chat {
                    return Err("--bare speaks chatcompletion only".into());
                }
                let url = url.trim_end_matches('/').to_owned();
                Ok(Source::Address { url, speaks, key_env: self.key_env.clone() })
            }
        }
    }

    fn chosen(&self) -> Result<Vec<Task>, String> {
        let mut tasks = TASKS.to_vec();
        if let Some(names) = &self.tasks {
            let names: Vec<&str> = names.split(',').map(str::trim).collect();
            if let Some(unknown) =
                names.iter().find(|name| !tasks.iter().any(|task| task.name == **name))
            {
                return Err(format!("there is no task `{unknown}`; --list shows them"));
            }
            tasks.retain(|task| names.contains(&task.name));
        }
        if let Some(kind) = &self.kind {
            if !Kind::ALL.iter().any(|known| known.name() == kind) {
                return Err(format!("there is no kind `{kind}`; --list shows them"));
            }
            tasks.retain(|task| task.kind.name() == kind);
        }
        Ok(tasks)
    }
}

fn pace(text: &str) -> Result<Pace, String> {
    let (read, written) =
        text.split_once(',').ok_or_else(|| format!("`{text}` is no pace such as 50,13"))?;
    Ok(Pace { read: number(read)? as f64, written: number(written)? as f64 })
}

fn number(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("`{text}` is not a number from 1")),
        Ok(number) => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Wanted, String> {
        read(text.split_whitespace().map(OsString::from))
    }

    #[test]
    fn tasks_are_chosen_by_name_and_kind() {
        let Ok(Wanted::Run(options)) =
            words("--address http://127.0.0.1:1/v1/ --tasks capital,two-files --only-kind make")
        else {
            panic!("it is a run");
        };
        let names: Vec<&str> = options.tasks.iter().map(|task| task.name).collect();
        assert_eq!(names, ["two-files"]);
        assert_eq!(options.limit.as_secs(), 240);
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
        for (text, expected) in [
            ("", "which model?"),
            ("--address a --config b", "not both"),
            ("--config b", "--config needs --model"),
            ("--address a --tasks nothing", "there is no task `nothing`"),
            ("--address a --only-kind nothing", "there is no kind `nothing`"),
            ("--address a --minutes 0", "not a number from 1"),
            ("--address a --pace 5", "no pace such as 50,13"),
            ("--address a --bare --type anthropic", "chatcompletion only"),
            ("--address a --run ../x", "no name of a run"),
            ("--report", "needs the names"),
            ("--keep-fixtures one", "a run and a folder"),
            ("--wrong", "--wrong"),
        ] {
            let Err(why) = words(text) else { panic!("`{text}` is taken") };
            assert!(why.contains(expected), "{text}: {why}");
        }
    }
}
