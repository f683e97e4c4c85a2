//! `plancard council`: agents propose and vote in a room, and what they say is shown as it comes.

mod telling;
mod waiting;

use crate::client::Client;
use crate::doctor;
use crate::events::{Event, Events};
use crate::words::CouncilOptions;
use engine::{Checkup, Lines};
use serde_json::{Value, json};
use std::io::{BufRead, IsTerminal, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use telling::Telling;
use tokio::signal::unix::{Signal, SignalKind, signal};
use waiting::{Standing, standing};

/// How often is looked for what no event of the room tells, such as a question of a sidekick.
const LOOK: Duration = Duration::from_secs(2);

const STOPPED: &str = "Plancard stopped before the council had ended";

/// How it ended for whoever started us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    Failed,
    Cancelled,
    Waits,
    Left,
}

impl End {
    fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Cancelled => 3,
            Self::Waits => 4,
            Self::Left => 130,
        }
    }
}

/// Holds a council and shows it until it has ended or waits for a person.
pub async fn run(options: CouncilOptions, lines: &Lines) -> Result<ExitCode, String> {
    // From here on there is something to pause before leaving.
    let mut stop = Stop::listen()?;
    let CouncilOptions { task, members, folder, room, json, folders } = options;
    let (data, config) = folders.found(|name| std::env::var_os(name))?;
    let file = config.person_file();
    let client = Client::reach(&data, config, lines).await?;
    let mut telling = Telling::new(stdout(), lines.clone(), json);
    let wanted = Wanted { task, members, folder, room };
    let held = hold(&client, &file, wanted, &mut telling, &mut stop).await;
    let own = matches!(client, Client::Own { .. });
    client.end().await;
    let (end, room) = held?;
    if end == End::Left {
        eprintln!("{}", left(own, &room));
    }
    Ok(ExitCode::from(end.code()))
}

fn left(own: bool, room: &str) -> String {
    match own {
        true => format!("Paused. Resume it in the window: plancard plancard://room/{room}"),
        false => {
            format!("Left. It goes on in the running Plancard: plancard plancard://room/{room}")
        }
    }
}

/// The signals that end this command.
struct Stop {
    interrupt: Signal,
    term: Signal,
}

impl Stop {
    fn listen() -> Result<Self, String> {
        let listen = |kind| signal(kind).map_err(|error| error.to_string());
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            term: listen(SignalKind::terminate())?,
        })
    }

    async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.term.recv() => {}
        }
    }
}

/// A council that someone wants.
struct Wanted {
    task: String,
    members: Vec<String>,
    folder: Option<std::path::PathBuf>,
    room: Option<String>,
}

async fn hold(
    client: &Client,
    file: &Path,
    wanted: Wanted,
    telling: &mut Telling,
    stop: &mut Stop,
) -> Result<(End, String), String> {
    look(client, file).await?;
    let Wanted { task, members, folder, room } = wanted;
    let room = match room {
        Some(room) => client.get(&format!("/v1/rooms/{room}")).await?.ok()?,
        None => {
            let folder = folder.unwrap_or_else(|| ".".into());
            let folder = std::path::absolute(&folder).map_err(|error| error.to_string())?;
            client.post("/v1/rooms", &json!({ "workspace": folder })).await?.ok()?
        }
    };
    let (id, seq) = (words(&room, "id"), room["seq"].as_u64().unwrap_or(0));
    let at = format!("/v1/rooms/{id}");
    let named = members.join(",");
    let preview = client.get(&format!("{at}/council/preview?members={}", escaped(&named))).await?;
    telling.before(&id, &preview.ok()?);
    let body = json!({ "task": task, "members": members });
    let begun = client.post(&format!("{at}/council"), &body).await?.ok()?;
    let council = words(&begun, "council_id");
    let events = client.follow(&format!("{at}/stream"), seq).await?;
    let mut following = Following { client, at, council, events, seen: seq, asked: None };
    Ok((following.until_end(telling, stop).await?, id))
}

/// Whether this engine can hold a council with the configuration that was meant.
async fn look(client: &Client, file: &Path) -> Result<(), String> {
    let checkup = client.get("/v1/checkup").await?.ok()?;
    let checkup: Checkup = serde_json::from_value(checkup)
        .map_err(|error| format!("an answer can't be read: {error}"))?;
    if !checkup.errors.is_empty() {
        let why: Vec<String> = checkup.errors.into_iter().map(|problem| problem.message).collect();
        return Err(format!("the configuration has errors:\n{}", why.join("\n")));
    }
    if matches!(client, Client::Running { .. }) && !doctor::same(file, Path::new(&checkup.config)) {
        eprintln!("{} is not what the running Plancard uses", file.display());
    }
    Ok(())
}

/// A council that is followed.
struct Following<'a> {
    client: &'a Client,
    at: String,
    council: String,
    events: Events,
    /// The sequence of the newest event that was told.
    seen: u64,
    /// The revision and hash of the plan that the person was asked about.
    asked: Option<(Value, Value)>,
}

impl Following<'_> {
    async fn until_end(&mut self, telling: &mut Telling, stop: &mut Stop) -> Result<End, String> {
        loop {
            let look = tokio::select! {
                event = self.events.next() => {
                    let event = event.ok_or(STOPPED)?;
                    self.tell(&event, telling).await?;
                    waiting::may_stand(&event.name)
                }
                () = stop.asked() => return Ok(End::Left),
                () = tokio::time::sleep(LOOK) => true,
            };
            if look && let Some(end) = self.stands(telling, stop).await? {
                return Ok(end);
            }
        }
    }

    async fn tell(&mut self, event: &Event, telling: &mut Telling) -> Result<(), String> {
        let council = match telling.wants_council(&event.name) {
            true => Some(self.get("/council").await?),
            false => None,
        };
        telling.event(event, council.as_ref());
        self.seen = event.data["seq"].as_u64().unwrap_or(self.seen);
        Ok(())
    }

    /// Tells all that led to what a room was seen to be.
    async fn catch_up(&mut self, room: &Value, telling: &mut Telling) -> Result<(), String> {
        let newest = room["seq"].as_u64().unwrap_or(0);
        while self.seen < newest {
            let event = self.events.next().await.ok_or(STOPPED)?;
            self.tell(&event, telling).await?;
        }
        Ok(())
    }

    async fn get(&self, rest: &str) -> Result<Value, String> {
        self.client.get(&format!("{}{rest}", self.at)).await?.ok()
    }

    /// How it stands: over, or waiting for a person.
    async fn stands(
        &mut self,
        telling: &mut Telling,
        stop: &mut Stop,
    ) -> Result<Option<End>, String> {
        let room = self.get("").await?;
        let asks = self.client.get("/v1/asks").await?.ok()?;
        self.catch_up(&room, telling).await?;
        let (end, why) = match standing(&room, &asks, &self.council) {
            Standing::GoesOn => return Ok(None),
            Standing::Done => (End::Done, None),
            Standing::Failed => (End::Failed, None),
            Standing::Cancelled => (End::Cancelled, None),
            Standing::Approval => {
                let plan = &room["plan"];
                let shown = (plan["revision"].clone(), plan["hash"].clone());
                if self.asked.as_ref() != Some(&shown) && asks_here(telling) {
                    match self.approved(telling, &shown, stop).await? {
                        Some(true) => {
                            self.asked = Some(shown);
                            return Ok(None);
                        }
                        Some(false) => {}
                        None => return Ok(Some(End::Left)),
                    }
                }
                (End::Waits, Some("The plan waits for your approval.".to_owned()))
            }
            Standing::Waits(why) => (End::Waits, Some(why)),
        };
        let council = self.get("/council").await?;
        let last = self.get("/messages?limit=1").await?;
        telling.end(end.code(), why.as_deref(), &room, &council, &last["items"][0]);
        Ok(Some(end))
    }

    /// Whether the person at the terminal says yes; `None` when they leave.
    async fn approved(
        &self,
        telling: &mut Telling,
        shown: &(Value, Value),
        stop: &mut Stop,
    ) -> Result<Option<bool>, String> {
        telling.ask("Approve this plan? [y/N] ");
        let answer = tokio::task::spawn_blocking(|| says_yes(&mut stdin().lock()));
        let yes = tokio::select! {
            yes = answer => yes.unwrap_or(false),
            () = stop.asked() => return Ok(None),
        };
        if yes {
            let body = json!({ "revision": shown.0, "hash": shown.1 });
            self.client.post(&format!("{}/plan/approve", self.at), &body).await?.ok()?;
        }
        Ok(Some(yes))
    }
}

/// Whether there is a person who can be asked.
fn asks_here(telling: &Telling) -> bool {
    !telling.json && stdin().is_terminal() && stdout().is_terminal()
}

/// Whether a line says yes; an end of the input, or anything else, says no.
fn says_yes(input: &mut impl BufRead) -> bool {
    let mut line = String::new();
    let read = input.read_line(&mut line).is_ok();
    read && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

fn words(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

/// A text as it may stand behind the question mark of an address.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.,".contains(&byte);
    let one = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_approves() {
        for (line, yes) in [
            ("y\n", true),
            ("YES\n", true),
            ("\n", false),
            ("", false),
            ("no\n", false),
            ("yep", false),
        ] {
            assert_eq!(says_yes(&mut line.as_bytes()), yes, "{line:?}");
        }
    }

    #[test]
    fn names_with_odd_characters_stay_whole_in_an_address() {
        assert_eq!(escaped("a,my agent&x"), "a,my%20agent%26x");
    }
}
