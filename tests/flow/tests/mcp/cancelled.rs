//! What a cancelled plan leaves behind, listed: no process, no call and no folder.

use crate::{Mark, hostile};
use flow::{Heard, Place, Serve};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use support::{Reply, Script, ScriptedModel, plan_write, plan_write_with, wait_for};

/// Where the program and what it starts may put something, below its home.
const FOLDERS: [&str; 4] = ["tmp", "run", "data", "work"];
/// The folder with copies and the hashes of a server's tools are kept, and the process that ends
/// what a killed program leaves stays as long as the program.
const KEPT: [&str; 3] = ["data/copies", "data/mcp-tools.json", "plancard-warden"];

/// How a call to a server is told in the log.
const SERVED: &str = "schema:";

/// The real program with a home, a temporary and a runtime folder and a repository of its own.
struct Site {
    place: Place,
    serve: Serve,
    mark: Mark,
    room: String,
    /// What there was before anybody worked.
    before: Listing,
    _model: ScriptedModel,
}

/// All that can be listed of what the program made and started.
#[derive(Debug, Clone, Default, PartialEq)]
struct Listing {
    /// Names of the processes below it, and of those that carry the mark.
    processes: Vec<String>,
    /// Files and folders.
    files: BTreeSet<String>,
    /// Control groups of its commands.
    groups: Vec<String>,
    mounts: String,
}

impl Site {
    async fn new(mark: Mark, script: impl Into<Script>) -> Self {
        let model = ScriptedModel::start(script).await;
        let place = Place::with_model(&model, &hostile(&mark, "", ", effects: { hang: write }"));
        for folder in ["tmp", "run", "work"] {
            std::fs::create_dir(place.home().join(folder)).unwrap();
        }
        let work = place.home().join("work");
        std::fs::write(work.join("note.txt"), "hello").unwrap();
        for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "first"]] {
            let mut git = std::process::Command::new("git");
            git.args(["-c", "user.name=t", "-c", "user.email=t@t"]).args(args);
            assert!(git.current_dir(&work).status().unwrap().success());
        }
        let mut command = place.serve();
        command.env("TMPDIR", place.home().join("tmp"));
        command.env("XDG_RUNTIME_DIR", place.home().join("run"));
        let serve = Serve::listening(command).await;
        let made = serve.client.post("/v1/rooms", json!({ "workspace": work })).await.ok();
        let room = made["id"].as_str().unwrap().to_owned();
        let before = Listing::default();
        let mut site = Self { place, serve, mark, room, before, _model: model };
        site.before = site.listing();
        site
    }

    fn listing(&self) -> Listing {
        let mut listing = Listing { processes: self.processes(), ..Listing::default() };
        for folder in FOLDERS {
            files_in(self.place.home(), Path::new(folder), &mut listing.files);
        }
        let own = format!(".{}.", self.serve.id());
        groups_of(Path::new("/sys/fs/cgroup"), &own, &mut listing.groups);
        let mounts = format!("/proc/{}/mountinfo", self.serve.id());
        listing.mounts = std::fs::read_to_string(mounts).unwrap();
        listing
    }

    fn processes(&self) -> Vec<String> {
        let parents: BTreeMap<u32, u32> =
            numbers().filter_map(|id| Some((id, parent(id)?))).collect();
        let above = |id: &u32| std::iter::successors(Some(*id), |id| parents.get(id).copied());
        let below = parents.keys().filter(|id| above(id).skip(1).any(|up| up == self.serve.id()));
        let marked = self.mark.processes().into_iter().map(|_| self.mark.0.clone());
        below.filter_map(|id| name(*id)).chain(marked).collect()
    }

    /// What there is that was not there before, and what was there and is not any more.
    fn changed(&self) -> Vec<String> {
        let Listing { processes, files, groups, mounts } = self.listing();
        let new = files.symmetric_difference(&self.before.files).cloned();
        let mounts = (mounts != self.before.mounts).then_some(mounts);
        let all = processes.into_iter().chain(new).chain(groups).chain(mounts);
        all.filter(|one| !KEPT.contains(&one.as_str())).collect()
    }

    async fn say(&self, text: &str) {
        let path = format!("/v1/rooms/{}/messages", self.room);
        self.serve.client.post(&path, json!({ "text": text })).await.ok();
    }

    async fn sidekicks(&self) -> Vec<Value> {
        let listed = self.serve.client.get(&format!("/v1/rooms/{}/sidekicks", self.room)).await;
        listed.ok()["items"].as_array().unwrap().clone()
    }

    /// Everything that happened in a room up to the first event of a name that holds these words.
    async fn heard(&self, room: &str, event: &str, words: &str) -> Vec<Heard> {
        let path = format!("/v1/rooms/{room}/stream");
        let mut feed = self.serve.client.follow(&path, None).await;
        let fits = |heard: &Heard| heard.name == event && heard.data.to_string().contains(words);
        feed.until(words, fits).await
    }

    async fn cancel(&self) {
        let path = format!("/v1/rooms/{}/plan/cancel", self.room);
        self.serve.client.press(&path).await.ok();
        let mut last = Vec::new();
        let is_clear = async || {
            let changed = self.changed();
            if changed != last {
                println!("left: {changed:#?}");
                last = changed;
            }
            last.is_empty()
        };
        wait_for(is_clear, "nothing to be left").await;
    }
}

fn numbers() -> impl Iterator<Item = u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn parent(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

/// The program that a process runs.
fn name(process: u32) -> Option<String> {
    let program = std::fs::read_to_string(format!("/proc/{process}/cmdline")).ok()?;
    let program = program.split('\0').next().unwrap_or_default();
    Some(program.rsplit('/').next().unwrap_or_default().to_owned())
}

fn files_in(home: &Path, folder: &Path, files: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(home.join(folder)).into_iter().flatten().flatten() {
        let path = folder.join(entry.file_name());
        files.insert(path.display().to_string());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            files_in(home, &path, files);
        }
    }
}

/// The groups in the one of a program, which has its number in the name.
fn groups_of(folder: &Path, program: &str, groups: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let path = entry.path().display().to_string();
        let (_, of_program) = path.split_once("/plancard-").unwrap_or_default();
        if of_program.contains(program) && of_program.contains('/') {
            groups.push(path);
        }
        groups_of(&entry.path(), program, groups);
    }
}

/// A command that uses its temporary folders and ends with nobody's leave.
fn lingering(mark: &Mark) -> String {
    let run = format!("exec -a {} sleep 300", mark.0);
    format!("mktemp -d; touch /dev/shm/x ~/x; (setsid bash -c '{run}' &); bash -c '{run}'")
}

fn hang() -> Reply {
    Reply::call("hostile__hang", json!({}))
}

#[tokio::test]
async fn a_cancel_in_the_middle_of_a_call_with_a_job_beside_it_leaves_nothing() {
    let mark = Mark::fresh();
    let job = json!({ "command": lingering(&mark), "background": true });
    let script = vec![plan_write("g", &["a"]), Reply::call("shell", job), hang()];
    let site = Site::new(mark, script).await;
    site.say("go").await;
    site.heard(&site.room, "call_began", SERVED).await;
    let running = || site.processes().iter().filter(|name| **name == site.mark.0).count();
    wait_for(async || running() >= 3, "the job and the server").await;
    assert!(site.changed().iter().any(|one| one.starts_with("work/.git/")), "stand-ins for git");
    site.cancel().await;
    let heard = site.heard(&site.room, "call_ended", "cancelled").await;
    let calls = |name: &str| -> BTreeSet<String> {
        let named = heard.iter().filter(|heard| heard.name == name);
        named.map(|heard| heard.data["call"].to_string()).collect()
    };
    let (began, ended) = (calls("call_began"), calls("call_ended"));
    assert!(began.len() == 2 && began.is_subset(&ended), "{heard:#?}");
}

#[tokio::test]
async fn a_cancel_while_sidekicks_work_in_copies_leaves_nothing() {
    let mark = Mark::fresh();
    let write = |path: &str| Reply::call("write_file", json!({ "path": path, "content": "x" }));
    let job = json!({ "command": lingering(&mark), "background": true });
    let waits = json!({ "command": lingering(&mark) });
    let first = vec![write("1.md"), Reply::call("shell", job), Reply::call("shell", waits)];
    let steps = json!([
        { "text": "part 1", "tool": "write_file", "target": "1.md" },
        { "text": "part 2", "tool": "write_file", "target": "2.md" },
    ]);
    let script = Script::by_room([
        ("part 1", first),
        ("part 2", vec![write("2.md"), hang()]),
        ("go", vec![plan_write_with("g", steps, json!({ "mode": "parallel" })), Reply::text("ok")]),
    ]);
    let site = Site::new(mark, script).await;
    site.say("go").await;
    wait_for(async || site.sidekicks().await.len() == 2, "two sidekicks").await;
    for sidekick in site.sidekicks().await {
        let second = sidekick["task"].to_string().contains("part 2");
        let words = if second { SERVED } else { "sleep 300" };
        site.heard(sidekick["id"].as_str().unwrap(), "call_began", words).await;
    }
    let running = || site.processes().iter().filter(|name| **name == site.mark.0).count();
    wait_for(async || running() >= 5, "the job, the command and the server").await;
    let copies = |one: &String| one.starts_with("data/copies/") && one.ends_with("/work");
    assert_eq!(site.changed().iter().filter(|one| copies(one)).count(), 2);
    site.cancel().await;
    for sidekick in site.sidekicks().await {
        assert_eq!(sidekick["state"], "stopped", "{sidekick}");
    }
}
