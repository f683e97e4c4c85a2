//! `plancard council`: agents propose and vote in a room, and what they say is shown as it comes.

mod by_hand;
mod prompt;
mod telling;
mod waiting;

use crate::client::Client;
use crate::doctor;
use crate::events::{Event, Events};
use crate::words::CouncilOptions;
use by_hand::ByHand;
use engine::{Checkup, Lines};
use prompt::Choice;
use serde_json::{Value, json};
use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use telling::Telling;
use tokio::signal::unix::{Signal, SignalKind, signal};
use waiting::{Standing, at_work, standing};

/// How often is looked for what no event of the room tells, such as a question of a sidekick.
const LOOK: Duration = Duration::from_secs(2);

/// How long nothing is said before it is said who is waited for.
const QUIET: Duration = Duration::from_secs(8);

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

/// Holds a council and shows it until it has ended or waits for a person. Programs hear of its end
/// also where it could not begin.
pub async fn run(options: CouncilOptions, lines: &Lines) -> Result<ExitCode, String> {
    let json = options.json;
    let held = council(options, lines).await;
    if let (Err(why), true) = (&held, json) {
        Telling::new(stdout(), lines.clone(), json).failed(why);
    }
    held
}

async fn council(options: CouncilOptions, lines: &Lines) -> Result<ExitCode, String> {
    // From here on there is something to pause before leaving.
    let mut stop = Stop::listen()?;
    let CouncilOptions { task, members, folder, room, json, folders } = options;
    let named = folders.name_config(|name| std::env::var_os(name));
    let (data, config) = folders.found(|name| std::env::var_os(name))?;
    let file = named.then(|| config.person_file());
    let by_hand = ByHand::of(&data);
    let client = Client::reach(&data, config, lines).await?;
    let mut telling = Telling::new(stdout(), lines.clone(), json);
    let wanted = Wanted { task: task.join(" "), members, folder, room };
    let held = hold(&client, file.as_deref(), &by_hand, wanted, &mut telling, &mut stop).await;
    let own = matches!(client, Client::Own { .. });
    client.end().await;
    let (end, room) = held?;
    if end == End::Left {
        left(own, &by_hand, &room).iter().for_each(|line| eprintln!("{line}"));
    }
    Ok(ExitCode::from(end.code()))
}

fn left(own: bool, by_hand: &ByHand, room: &str) -> Vec<String> {
    match own {
        true => {
            let mut lines = by_hand.resume(room, String::new()).how(room);
            lines[0] = format!("Paused. {}", lines[0]);
            lines
        }
        false => vec![format!(
            "Left. It goes on in the running Plancard: plancard plancard://room/{room}"
        )],
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
    file: Option<&Path>,
    by_hand: &ByHand,
    wanted: Wanted,
    telling: &mut Telling,
    stop: &mut Stop,
) -> Result<(End, String), String> {
    look(client, file).await?;
    let Wanted { task, members, folder, room } = wanted;
    let at = room.as_ref().map_or("/v1".to_owned(), |room| format!("/v1/rooms/{room}"));
    let named = escaped(&members.join(","));
    let preview = client.get(&format!("{at}/council/preview?members={named}")).await?.ok()?;
    // It is refused before a room is made for it.
    if let Some(problem) = preview["problem"].as_str() {
        return Err(problem.to_owned());
    }
    let room = match room {
        Some(_) => client.get(&at).await?.ok()?,
        None => new_room(client, folder).await?,
    };
    let (id, seq) = (words(&room, "id"), room["seq"].as_u64().unwrap_or(0));
    let at = format!("/v1/rooms/{id}");
    telling.before(&id, &preview);
    let body = json!({ "task": task, "members": members });
    let begun = client.post(&format!("{at}/council"), &body).await?.ok()?;
    let council = words(&begun, "council_id");
    let events = client.follow(&format!("{at}/stream"), seq).await?;
    let mut following = Following {
        client,
        by_hand,
        at,
        council,
        events,
        seen: seq,
        asked: Value::Null,
        told: Instant::now(),
        quiet: false,
    };
    Ok((following.until_end(telling, stop).await?, id))
}

/// A room in this folder, or the one that commands start in.
async fn new_room(client: &Client, folder: Option<std::path::PathBuf>) -> Result<Value, String> {
    let named = folder.is_some();
    let folder = folder.unwrap_or_else(|| ".".into());
    let folder = std::path::absolute(&folder).map_err(|error| error.to_string())?;
    let answer = client.post("/v1/rooms", &json!({ "workspace": folder })).await?;
    let unfit = !named && answer.body["error"]["code"] == "BAD_WORKSPACE";
    let hint = if unfit { " (with --folder DIR)" } else { "" };
    answer.ok().map_err(|why| format!("{why}{hint}"))
}

/// Whether this engine can hold a council with the configuration that was meant.
async fn look(client: &Client, file: Option<&Path>) -> Result<(), String> {
    let checkup = client.get("/v1/checkup").await?.ok()?;
    let checkup: Checkup = serde_json::from_value(checkup)
        .map_err(|error| format!("an answer can't be read: {error}"))?;
    if !checkup.errors.is_empty() {
        let why: Vec<String> =
            checkup.errors.iter().map(|problem| doctor::line("error", problem)).collect();
        return Err(format!("the configuration has errors:\n{}", why.join("\n")));
    }
    doctor::tell_unused(client, file, &checkup);
    Ok(())
}

/// A council that is followed.
struct Following<'a> {
    client: &'a Client,
    by_hand: &'a ByHand,
    at: String,
    council: String,
    events: Events,
    /// The sequence of the newest event that was told.
    seen: u64,
    /// What the person was last asked about.
    asked: Value,
    /// When something was last told, and whether it was said since who is waited for.
    told: Instant,
    quiet: bool,
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
        if telling.event(event, council.as_ref()) {
            (self.told, self.quiet) = (Instant::now(), false);
        }
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
        let id = words(&room, "id");
        let (end, waits) = match standing(&room, &asks, &self.council) {
            Standing::GoesOn => {
                self.tell_who(&room, telling);
                return Ok(None);
            }
            Standing::Done => (End::Done, None),
            Standing::Failed => (End::Failed, None),
            Standing::Cancelled => (End::Cancelled, None),
            Standing::Approval(ask) => {
                let choice = Choice::approval(&self.at, &room["plan"], &ask);
                match self.answered(telling, choice, stop).await? {
                    Answered::Yes => return Ok(None),
                    Answered::No => {}
                    Answered::Left => return Ok(Some(End::Left)),
                }
                (End::Waits, Some(self.by_hand.approval(&id, &room["plan"])))
            }
            Standing::Asks(ask) => {
                match self.answered(telling, Choice::question(&ask), stop).await? {
                    Answered::Yes => return Ok(None),
                    Answered::No => {}
                    Answered::Left => return Ok(Some(End::Left)),
                }
                // An engine of our own ends with this command.
                let stops = matches!(self.client, Client::Own { .. });
                (End::Waits, Some(self.by_hand.question(&id, &ask, stops)))
            }
            Standing::Paused(why) => (End::Waits, Some(self.by_hand.resume(&id, why))),
            Standing::SentBack => (End::Waits, Some(self.by_hand.words(&id))),
        };
        let council = self.get("/council").await?;
        let last = self.get("/messages?limit=1").await?;
        telling.end(end.code(), waits.as_ref(), &room, &council, &last["items"][0]);
        Ok(Some(end))
    }

    /// Says who is waited for, once in every long silence.
    fn tell_who(&mut self, room: &Value, telling: &mut Telling) {
        let who = at_work(room);
        if telling.json || self.quiet || self.told.elapsed() < QUIET || who.is_empty() {
            return;
        }
        let are = if who.len() == 1 { "is" } else { "are" };
        telling.line(&format!("{} {are} at work …", who.join(", ")));
        self.quiet = true;
    }

    /// Asks the person at the terminal, if there is one, and carries out what they choose.
    async fn answered(
        &mut self,
        telling: &mut Telling,
        choice: Choice,
        stop: &mut Stop,
    ) -> Result<Answered, String> {
        if self.asked == choice.about || !asks_here(telling) {
            return Ok(Answered::No);
        }
        choice.lines.iter().for_each(|line| telling.line(line));
        loop {
            telling.ask(&choice.question_line());
            let read = tokio::task::spawn_blocking(|| {
                let mut line = String::new();
                stdin().read_line(&mut line).map(|bytes| (bytes > 0).then_some(line))
            });
            let line = tokio::select! {
                line = read => line.ok().and_then(Result::ok).flatten().unwrap_or_default(),
                () = stop.asked() => return Ok(Answered::Left),
            };
            if line.trim().is_empty() {
                self.asked = choice.about;
                return Ok(Answered::No);
            }
            let Some((path, body)) = choice.request(&line) else { continue };
            match self.client.post(&path, &body).await?.ok() {
                Ok(_) => {
                    self.asked = choice.about;
                    return Ok(Answered::Yes);
                }
                Err(why) => telling.line(&why),
            }
        }
    }
}

/// What became of a question at the terminal.
enum Answered {
    Yes,
    No,
    Left,
}

/// Whether there is a person who can be asked.
fn asks_here(telling: &Telling) -> bool {
    !telling.json && stdin().is_terminal() && stdout().is_terminal()
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
    fn names_with_odd_characters_stay_whole_in_an_address() {
        assert_eq!(escaped("a,my agent&x"), "a,my%20agent%26x");
    }
}
