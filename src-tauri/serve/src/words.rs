//! The words that `plancard` understands.

use crate::folders::Folders;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

/// The address when none is given: any free port on loopback.
const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// What a program gets back after a wrong usage, as shells have it.
const USAGE: u8 = 2;

const USES: &str = "plancard [LINK]\n       plancard <COMMAND>";

const WINDOW: &str = "\
Without a command, or with a plancard:// link, it opens the window.
PLANCARD_DATA and PLANCARD_CONFIG name another data folder and configuration.";

const TOKEN: &str = "\
The token is taken from PLANCARD_TOKEN, or made and kept in the data folder.
What it may do is taken from PLANCARD_RIGHTS (read,supervise,run,approve), else from api.rights in
the configuration, else it is read,supervise,run: it approves only where that is named.";

const CHECKED: &str = "It ends with 0 where there are no errors, else with 1.";

const COUNCIL: &str = "\
Agents propose and vote. The winner's answer becomes the plan of a room and runs as its plan mode
says. Nothing is approved by itself: on a terminal it asks you, elsewhere it leaves the plan waiting.
Ctrl-C cancels nothing. A council in a running Plancard goes on. Otherwise it stands paused, and it
prints how you go on, in the window or with `plancard serve`.

Exit codes:
  0    done, or decided and shown
  1    failed, or it could not start
  2    wrong usage
  3    cancelled
  4    waits for your approval or an answer of yours, or is paused
  130  left with Ctrl-C";

/// A plan you approve, and an agent that keeps to it
#[derive(Parser)]
#[command(name = "plancard", version, after_help = WINDOW, override_usage = USES)]
struct Words {
    #[command(subcommand)]
    task: Task,
}

/// What there is to do.
#[derive(Subcommand)]
pub enum Task {
    /// Run without a window: rooms, plans and questions over a local API
    #[command(after_help = TOKEN)]
    Serve(ServeOptions),
    /// Check the sandbox, the configuration, and whether each model answers
    Doctor(DoctorOptions),
    /// Let several agents propose and vote, and the winner act
    #[command(after_help = COUNCIL)]
    Council(CouncilOptions),
    /// Look at a configuration
    #[command(subcommand)]
    Config(ConfigTask),
    /// Print a script that completes these commands in a shell
    Completions {
        /// The shell that reads it
        shell: Shell,
    },
}

/// What `plancard serve` was asked to do.
#[derive(clap::Args)]
pub struct ServeOptions {
    /// Where to listen; any free port when absent
    #[arg(long, value_name = "127.0.0.1:PORT", default_value_t = ANY_PORT, hide_default_value = true, value_parser = loopback)]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub folders: Folders,
}

/// What `plancard doctor` was asked to do.
#[derive(clap::Args)]
pub struct DoctorOptions {
    /// Ask only this model; all models of all agents when absent
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub folders: Folders,
}

/// What `plancard council` was asked to do.
#[derive(clap::Args)]
pub struct CouncilOptions {
    /// What the council is about, in quotes or without
    #[arg(required = true, value_parser = some_words)]
    pub task: Vec<String>,
    /// The agents that sit in it; all that can, at most 5, when absent
    #[arg(long, value_name = "AGENT,AGENT", value_delimiter = ',')]
    pub members: Vec<String>,
    /// The folder of a new room for it; this one when absent
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Hold it in this room instead
    #[arg(long, value_name = "ID", conflicts_with = "folder")]
    pub room: Option<String>,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub folders: Folders,
}

fn some_words(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("say what the council is about".to_owned()),
        words => Ok(words.to_owned()),
    }
}

/// What there is to do with a configuration.
#[derive(Subcommand)]
pub enum ConfigTask {
    /// Print every error and warning with file and line; starts nothing
    #[command(after_help = CHECKED)]
    Check {
        /// The configuration; PLANCARD_CONFIG, else the app's folder
        file: Option<PathBuf>,
    },
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    match text.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(address),
        Ok(_) => Err("it is not a loopback address; use 127.0.0.1:PORT".to_owned()),
        Err(error) => Err(format!("{error}; use 127.0.0.1:PORT")),
    }
}

/// What these words ask for; else what the program ends with, after it was said.
pub fn read(args: &[OsString]) -> Result<Task, ExitCode> {
    let name = OsString::from("plancard");
    let words = std::iter::once(&name).chain(args);
    let error = match Words::try_parse_from(words) {
        Ok(words) => return Ok(words.task),
        Err(error) => error,
    };
    if !error.use_stderr() {
        // Whoever asked for help may have closed the pipe.
        let _ = error.print();
        return Err(ExitCode::SUCCESS);
    }
    let said = error.to_string();
    let none = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    let said = if none { "a command is missing" } else { beginning(&said) };
    eprintln!("plancard: {said}\n\n{}", help_about(args));
    Err(ExitCode::from(USAGE))
}

/// What is wrong. The rest is the usage, or where to find it, and the help says both.
fn beginning(said: &str) -> &str {
    let rest = ["\n\nUsage:", "\n\nFor more"].into_iter().filter_map(|mark| said.find(mark)).min();
    let said = &said[..rest.unwrap_or(said.len())];
    said.strip_prefix("error: ").unwrap_or(said)
}

/// The help of the command that the words begin with.
fn help_about(args: &[OsString]) -> String {
    let mut command = Words::command();
    command.build();
    let mut about = &mut command;
    for word in args {
        if about.find_subcommand(word).is_none() {
            break;
        }
        about = about.find_subcommand_mut(word).expect("it was just found");
    }
    about.render_help().to_string()
}

/// Prints what a shell reads to complete our commands.
pub fn complete(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Words::command(), "plancard", &mut script);
    crate::say(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_hold_together() {
        Words::command().debug_assert();
    }

    #[test]
    fn only_loopback_is_an_address_to_listen_on() {
        assert_eq!(loopback("127.0.0.1:80"), Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, 80))));
        for other in ["0.0.0.0:0", "192.168.1.1:80", "80", ""] {
            assert!(loopback(other).is_err_and(|why| why.ends_with("use 127.0.0.1:PORT")));
        }
    }

    #[test]
    fn help_is_about_the_command_that_was_meant() {
        let help =
            |words: &[&str]| help_about(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(help(&["serve", "--port"]).contains("--listen"));
        let all = help(&["sreve"]);
        assert!(all.contains("serve") && all.contains("completions"), "{all}");
    }
}
