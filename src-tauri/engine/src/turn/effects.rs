//! One cleared call: intent on disk, then the effect, then the receipt.

use super::calls::Cleared;
use super::quoting::quoted;
use super::submit;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::guarded;
use crate::live::LiveRoom;
use crate::outputs::{self, StoredOutputs};
use crate::reach::Reach;
use crate::redact::Redactor;
use crate::sidekicks::{self, Given};
use plan::{
    Call, CallId, CallState, Change, ChangeKind, Command, Outcome, Picture, Refusal, Target, Text,
    without_middle,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tools::{Image, Output, RunContext, ToolError, Workspace};

/// Targets named in an intent, and how much of each.
const TOUCHES: usize = 20;
const TOUCH_CHARS: usize = 200;

pub(crate) async fn run(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    call: Cleared,
) -> Result<(), EngineError> {
    let mut note = None;
    if sidekicks::may_change_files(&call.facts) {
        match sidekicks::give_copy(engine, live, Some(call.id)).await? {
            Given::Same => {}
            Given::Copy(words) => note = Some(words),
            Given::Over => return Ok(()),
            Given::Refused(words) => {
                let words = super::calls::refused("NO_COPY", &words);
                return super::calls::end(engine, live, call.id, Outcome::Failed, words);
            }
        }
    }
    crate::council::give_copy(engine, live, call.id).await?;
    // Copies and reads take their time: what was allowed before them may not be any more.
    if !super::judging::may_run(engine, live, &call.facts) {
        return Ok(());
    }
    let effect = call.facts.effect;
    let touches = call.facts.targets.iter().take(TOUCHES);
    let touches = touches.map(|target| touch(engine, target)).collect();
    let how = match sidekicks::served_step(engine, live) {
        Some((room, step)) => plan::how_for(&room, step.as_ref(), &call.facts),
        None => plan::how(&live.lock().room, &call.facts),
    };
    let begin = Command::BeginCall { call: call.id, effect, touches, how };
    let begun = match submit(engine, live, begin, Vec::new()) {
        Ok(begun) => begun,
        // Paused or cancelled a moment ago: it never begins.
        Err(EngineError::Refused(
            Refusal::NoSuchCall | Refusal::NotRunning { .. } | Refusal::NotApproved,
        )) => {
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    if effect.changes_things() {
        begun.stored().await?;
    }
    let started = Instant::now();
    let done = match call.facts.is_served() {
        true => crate::mcp::perform(engine, live, &call).await,
        false if call.tool == models::PERMISSION => crate::agents::allowed(),
        false if call.tool == sidekicks::SPAWN => {
            sidekicks::perform(engine, live, call.id, &call.args).await
        }
        false => perform(engine, live, &call).await,
    };
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let clean =
        |change: Change| Change { path: engine.shared.redactor.clean(change.path), ..change };
    let changed = done.changed.into_iter().map(clean).collect();
    let mut text = quoted(engine.shared.redactor.clean(done.text));
    let full = done.full.map(|full| outputs::stored(engine.shared.redactor.clean(full)));
    if let Some((id, _)) = &full {
        text += &format!(
            "\n[it was cut; read_output with the id {id} shows any lines of what was kept]"
        );
    }
    for note in note.iter().chain(&call.notes) {
        text += &format!("\n{note}");
    }
    if effect.changes_things()
        && done.outcome == Outcome::Cancelled
        && cut_off(engine, live, call.id)
    {
        text += "\nThe app was closed, which cut it off. Look what it did before you do it again.";
    }
    let was_cut = full.is_some();
    let (result, blob) = Text::split(text);
    let mut blobs: Vec<(String, Vec<u8>)> = blob.into_iter().chain(full).collect();
    // A file that holds a secret is not kept: its hash would not fit what may be shown.
    let kept = done.contents.into_iter().filter(|text| !engine.shared.redactor.knows(text));
    let (images, pictures) = pictures(&engine.shared.redactor, done.images);
    blobs.extend(pictures);
    blobs.extend(
        kept.map(|text| (blake3::hash(text.as_bytes()).to_hex().to_string(), text.into_bytes())),
    );
    let (call, outcome) = (call.id, done.outcome);
    let end = |nudge| Command::EndCall { call, outcome, result, nudge, changed, images, ms };
    match super::calls::end_one(engine, live, call, outcome, end, blobs) {
        // The model may ask for the rest at once, and that is read from disk.
        Ok(ended) if was_cut => ended.stored().await.map(drop),
        Ok(_) | Err(EngineError::Refused(Refusal::NoSuchCall)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Takes note of a call that the end of the app cut off; whether that is what ended it.
fn cut_off(engine: &Engine, live: &LiveRoom, call: CallId) -> bool {
    let mut inner = live.lock();
    let Some(words) = inner.room.call(call).map(Call::words) else { return false };
    let cut = engine.shared.stopping.is_cancelled();
    inner.cut.extend(cut.then_some(words));
    cut
}

/// What came of a tool.
pub(crate) struct Performed {
    pub(crate) outcome: Outcome,
    pub(crate) text: String,
    pub(crate) changed: Vec<Change>,
    /// Texts whose hashes the changes name.
    pub(crate) contents: Vec<String>,
    /// All of the text, where it was cut.
    pub(crate) full: Option<String>,
    /// What it showed.
    pub(crate) images: Vec<Image>,
}

/// Runs a tool until it ends or is no longer wanted.
pub(crate) async fn perform(engine: &Engine, live: &Arc<LiveRoom>, call: &Cleared) -> Performed {
    let Cleared { id, tool, args, facts, profile, notes: _ } = call;
    let workspace = match workspace(live) {
        Ok(workspace) => workspace,
        Err(error) => return failed(&error),
    };
    let cancel = CancellationToken::new();
    let context = RunContext {
        profile: *profile,
        allowed_by: super::judging::allowed_by(engine, live),
        cancel: cancel.clone(),
        timeout: time_limit(engine, live, tool),
        judged: Some(facts.targets.iter().filter_map(path).collect()),
        hidden: Arc::clone(&engine.shared.own_folders),
        extra_read: listed_to_read(engine).into(),
        workspaces: engine.shared.worked.workspaces(),
        shared: shared_with(engine, live).into(),
        private_hosts: engine.shared.config.current().config.network.private_hosts.clone().into(),
        shell: live.shell.clone(),
        outputs: Arc::new(StoredOutputs(Arc::clone(&engine.shared.journal))),
        secrets: Arc::new(engine.shared.redactor.clone()),
    };
    let limit = context.timeout;
    let run = engine.shared.toolbox.run(tool, args, &workspace, &context);
    tokio::pin!(run);
    let ran = tokio::select! {
        ran = &mut run => ran,
        () = doomed(engine, live, *id) => {
            cancel.cancel();
            run.await
        }
        // A command keeps its own time, and its output up to then; a disk that
        // does not answer can't be waited for.
        () = tokio::time::sleep(limit), if tool != "shell" => {
            cancel.cancel();
            Err(ToolError::TimedOut { after: limit, so_far: None })
        }
    };
    match ran {
        Ok(output) => Performed::of(output),
        Err(error @ ToolError::BadArguments { .. }) => {
            let words = super::calls::bad_arguments(live, tool, &error.to_string(), args);
            Performed { text: words, ..failed(&error) }
        }
        Err(error) => failed(&error),
    }
}

/// The path that a call was judged by.
fn path(target: &Target) -> Option<String> {
    match target {
        Target::Path { path, .. } => Some(path.clone()),
        Target::Command { .. } | Target::Host(_) | Target::Tool { .. } => None,
    }
}

/// Returns when a call under way must be stopped: by what happened here, or because a room above
/// may change nothing any more.
pub(crate) async fn doomed(engine: &Engine, live: &LiveRoom, call: CallId) {
    let mut changed = live.changed.subscribe();
    let is_doomed = || {
        let (doomed, changes) = {
            let room = &live.lock().room;
            let state = room.call(call).map(|call| &call.state);
            let changes =
                matches!(state, Some(CallState::Running(effect)) if effect.changes_things());
            (room.is_doomed(call), changes)
        };
        doomed || (changes && !Reach::above(engine, live).changes)
    };
    let gone = async {
        while !is_doomed() {
            if changed.changed().await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = gone => {}
        () = engine.shared.stopping.cancelled() => {}
    }
}

/// Pictures by their hashes, and what is stored; one that holds a known secret is not.
fn pictures(redactor: &Redactor, images: Vec<Image>) -> (Vec<Picture>, Vec<(String, Vec<u8>)>) {
    let shown =
        images.into_iter().filter(|image| !redactor.knows(&String::from_utf8_lossy(&image.bytes)));
    let stored = shown.map(|Image { mime, bytes }| {
        let blob = blake3::hash(&bytes).to_hex().to_string();
        let length = bytes.len() as u64;
        let picture = Picture { mime: mime.to_owned(), blob: blob.clone(), bytes: length };
        (picture, (blob, bytes))
    });
    stored.unzip()
}

/// What a copy of the workspace reads beside itself: the objects of the repository that it is of
/// and, where that lies in the copy of a room above, those that this one reads in turn.
pub(crate) fn shared_with(engine: &Engine, live: &LiveRoom) -> Vec<PathBuf> {
    let mut read = PathBuf::from(live.lock().room.folder());
    let mut shared: Vec<PathBuf> = read_in_copy(live, &read).into_iter().collect();
    let mut parent = sidekicks::parent_of(live);
    while let Some(room) = parent.and_then(|room| engine.live(room).ok()) {
        read = shared.last().unwrap_or(&read).clone();
        shared.extend(read_in_copy(&room, &read));
        parent = sidekicks::parent_of(&room);
    }
    shared
}

/// The objects that are read for what lies in the copy of a room.
fn read_in_copy(live: &LiveRoom, path: &Path) -> Option<PathBuf> {
    let inner = live.lock();
    let copy = inner.room.copy.as_ref().filter(|copy| path.starts_with(&copy.folder))?;
    copy.shares.as_ref().map(PathBuf::from)
}

/// Folders outside every workspace that the person lets commands read.
pub(crate) fn listed_to_read(engine: &Engine) -> Vec<PathBuf> {
    engine.shared.config.current().config.sandbox.read.clone()
}

/// The room's folder, opened once.
pub(crate) fn workspace(live: &LiveRoom) -> Result<Workspace, ToolError> {
    let mut inner = live.lock();
    if let Some(workspace) = &inner.workspace {
        return Ok(workspace.clone());
    }
    let folder = inner.room.folder().to_owned();
    let workspace = match &inner.room.copy {
        Some(_) => Workspace::open_copy(&folder, Path::new(&inner.room.workspace))?,
        None => Workspace::open(&folder)?,
    };
    // The path was resolved when the room was made: it must still lead to itself. The room may be
    // older than what is known of folders with keys, or its folder may have become one.
    if workspace.root() != Path::new(&folder) || guarded::trouble(workspace.root()).is_some() {
        return Err(ToolError::NoWorkspace { folder });
    }
    inner.workspace = Some(workspace.clone());
    Ok(workspace)
}

pub(crate) fn time_limit(engine: &Engine, live: &LiveRoom, tool: &str) -> Duration {
    let plan_caps = live.lock().room.active_plan().map(|plan| Arc::clone(&plan.frame));
    let config = engine.shared.config.current();
    let caps = plan_caps.as_ref().map_or(&config.config.caps, |frame| &frame.caps);
    let seconds = if tool == "shell" { caps.shell_seconds } else { caps.tool_seconds };
    Duration::from_secs(u64::from(seconds))
}

impl Performed {
    /// What a tool gave back.
    pub(crate) fn of(output: Output) -> Self {
        let mut text = output.text;
        if !output.changes_known {
            text += "\n(what it changed in the workspace is not known)";
        }
        Self {
            outcome: if output.failed { Outcome::Failed } else { Outcome::Ok },
            text,
            changed: output.changed.iter().map(change).collect(),
            contents: output.contents,
            full: output.full,
            images: output.images,
        }
    }

    /// A failure that changed nothing, in words.
    pub(crate) fn failed(text: String) -> Self {
        Self {
            outcome: Outcome::Failed,
            text,
            changed: Vec::new(),
            contents: Vec::new(),
            full: None,
            images: Vec::new(),
        }
    }
}

fn failed(error: &ToolError) -> Performed {
    let cancelled = matches!(error, ToolError::Cancelled { .. });
    let outcome = if cancelled { Outcome::Cancelled } else { Outcome::Failed };
    Performed {
        outcome,
        text: super::calls::refused(error.code(), &error.to_string()),
        changed: error.changed().iter().map(change).collect(),
        contents: Vec::new(),
        full: error.so_far().and_then(|output| output.full.clone()),
        images: Vec::new(),
    }
}

/// A change as the log keeps it.
pub(crate) fn change(change: &tools::Change) -> Change {
    Change {
        path: change.path.clone(),
        kind: match change.kind {
            tools::ChangeKind::Created => ChangeKind::Created,
            tools::ChangeKind::Modified => ChangeKind::Modified,
            tools::ChangeKind::Deleted => ChangeKind::Deleted,
        },
        before: change.before.clone(),
        after: change.after.clone(),
    }
}

/// What a call touches as the log keeps it: without secrets, and only then cut.
fn touch(engine: &Engine, target: &Target) -> String {
    let words = engine.shared.redactor.clean(target.words().to_owned());
    without_middle(&words, TOUCH_CHARS).unwrap_or(words)
}
