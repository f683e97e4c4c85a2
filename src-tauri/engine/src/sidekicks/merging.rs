//! What becomes of a sidekick's copy when it has ended: merged, one after the other in each
//! workspace, or dropped. Where one was stopped, what its own sidekicks had finished is offered.
//!
//! Every try compares anew, so it may be broken off anywhere and begun again. What can't be taken
//! over is kept until a person has said what to do.

use super::serving::part_of;
use super::{conflicts, finished, is_held, parent_of};
use crate::council::talks_above;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::goals;
use crate::live::LiveRoom;
use crate::reach::Reach;
use crate::turn;
use plan::{
    Ask, AskId, AskKind, Change, Command, Detail, OwnCopy, Plan, PlanState, RoomKind, SidekickEnd,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tools::copy::{self, ByTools, Choice, Comparison, CopyError, Decided, Taken};
use tools::{ToolError, Workspace};

/// As many changes are written down; a step that changed more shows these.
const MOST_CHANGES: usize = 5_000;
/// How often it is compared anew when files change under its hands.
const TRIES: usize = 20;

impl Engine {
    /// Sees to the copy of a sidekick that has ended; whether it has one.
    pub(super) fn settle_copy(&self, live: &Arc<LiveRoom>) -> bool {
        if !live.lock().room.has_copy_to_settle() {
            return false;
        }
        let (engine, live) = (self.clone(), Arc::clone(live));
        let work = async move {
            let _one = live.settling.lock().await;
            if let Err(error) = settle(&engine, &live).await {
                tracing::error!(room = %live.id, %error, "a copy could not be merged");
            }
        };
        self.shared.tasks.spawn_on(work, &self.shared.runtime);
        true
    }

    /// Who has ended with a copy waits with it for those below, whose changes go there.
    pub(super) fn settle_above(&self, live: &LiveRoom) {
        let mut parent = parent_of(live);
        while let Some(above) = parent.and_then(|room| self.live(room).ok()) {
            self.settle_copy(&above);
            parent = parent_of(&above);
        }
    }

    /// Tells of a sidekick whose copy was given up, when nothing of it is being taken over any more.
    pub(super) fn report_dropped(&self, live: &Arc<LiveRoom>) {
        let (engine, live) = (self.clone(), Arc::clone(live));
        let work = async move {
            drop(live.settling.lock().await);
            if let Err(error) = engine.report(&live) {
                tracing::error!(room = %live.id, %error, "a sidekick's end could not be told");
            }
        };
        self.shared.tasks.spawn_on(work, &self.shared.runtime);
    }

    /// Removes a copy that its room works in no more.
    pub(super) fn clear_copy(&self, live: &Arc<LiveRoom>) {
        let (engine, live) = (self.clone(), Arc::clone(live));
        let work = async move {
            let _one = live.settling.lock().await;
            let seq = live.lock().room.seq;
            // A start that finds the copy claimed would look for it.
            if live.stored_beyond(seq.saturating_sub(1)).await && live.lock().room.copy.is_none() {
                engine.remove_copy(live.id).await;
            }
        };
        self.shared.tasks.spawn_on(work, &self.shared.runtime);
    }
}

async fn settle(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    if !is_quiet(engine, live).await || !live.lock().room.has_copy_to_settle() {
        return Ok(());
    }
    let folder = live.lock().room.folder().to_owned();
    live.shell.stopped().await;
    engine.shared.agents.end(live.id).await;
    engine.shared.mcp.leave(&folder).await;
    // What was chosen, and whether that is all, are read together.
    let (own, workspace, who, ended, asked) = {
        let inner = live.lock();
        let room = &inner.room;
        let RoomKind::Sidekick { codename, .. } = &room.kind else { return Ok(()) };
        let ended = room.sidekick.as_ref().and_then(|sidekick| sidekick.ended.as_ref());
        let (Some(own), Some(ended)) = (&room.copy, ended) else { return Ok(()) };
        if !room.has_copy_to_settle() {
            return Ok(());
        }
        let (workspace, asked) = (room.workspace.clone(), !room.asks.is_empty());
        (own.clone(), workspace, codename.clone(), ended.clone(), asked)
    };
    let done = ended.end == SidekickEnd::Completed;
    if ended.given_up && !done {
        return drop_copy(engine, live);
    }
    finished::end_below(engine, live);
    if finished::is_settling(engine, live) {
        return Ok(());
    }
    let only = (!done).then(|| finished::below(engine, live));
    if only.as_ref().is_some_and(BTreeSet::is_empty) {
        return drop_copy(engine, live);
    }
    // Its work is kept until there is somewhere to put it.
    if asked || is_held(engine, live) || turn::pause_if_gone(engine, live).await? {
        return Ok(());
    }
    let mut by_tools = ByTools { changed: own.wrote.clone(), removed: own.removed.clone() };
    // What its own took over was looked at then.
    let below = finished::below(engine, live);
    by_tools.removed.extend(below.iter().cloned());
    by_tools.changed.extend(below);
    let copy = engine.shared.copies.folder(live.id);
    let place = Place { copy, into: workspace, only, without: own.without.clone(), by_tools };
    if !done && !own.wanted {
        return match place.compare(engine).await {
            Ok((found, _)) => match found.all_paths() {
                paths if paths.is_empty() => drop_copy(engine, live),
                paths => finished::offer(engine, live, &own, &ended, &who, &paths),
            },
            Err(CopyError::Cancelled) => Ok(()),
            Err(error) => ask(engine, live, &own, &who, Problem::of(error.to_string())),
        };
    }
    match allowed(engine, live) {
        Allowed::Yes => merge(engine, live, &own, &place, &who).await,
        // It is settled when that goes on.
        Allowed::Later => Ok(()),
        Allowed::No => {
            let problem = "nothing may be changed in the room above without an approved plan";
            ask(engine, live, &own, &who, Problem::of(problem))
        }
    }
}

/// Whether the rooms above let something be changed now.
enum Allowed {
    Yes,
    /// When the plan that waits for a person has been approved, or a council is over.
    Later,
    No,
}

fn allowed(engine: &Engine, live: &LiveRoom) -> Allowed {
    if Reach::above(engine, live).changes {
        return Allowed::Yes;
    }
    if talks_above(engine, live) {
        return Allowed::Later;
    }
    let mut parent = parent_of(live);
    while let Some(above) = parent.and_then(|room| engine.live(room).ok()) {
        let waits = |plan: &Plan| plan.state == PlanState::AwaitingApproval;
        if above.lock().room.active_plan().is_some_and(waits) {
            return Allowed::Later;
        }
        parent = parent_of(&above);
    }
    Allowed::No
}

/// Waits until nothing runs in a room; `false` when the app stops first.
pub(super) async fn is_quiet(engine: &Engine, live: &LiveRoom) -> bool {
    let mut changed = live.changed.subscribe();
    let quiet = async {
        while live.lock().room.running_calls().next().is_some() {
            if changed.changed().await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = quiet => true,
        () = engine.shared.stopping.cancelled() => false,
    }
}

async fn merge(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    own: &OwnCopy,
    place: &Place,
    who: &str,
) -> Result<(), EngineError> {
    let turn_to_merge = engine.shared.copies.turn(&place.into);
    let _turn = turn_to_merge.lock().await;
    let mut taken = Taken::default();
    for _ in 0..TRIES {
        match try_to_merge(engine, live, own, place, who, &mut taken).await? {
            Tried::Merged => return finish(engine, live, taken, false),
            Tried::Asked => return finish(engine, live, taken, true),
            Tried::Changed => {}
            Tried::Failed(problem) => {
                finish(engine, live, taken, true)?;
                return ask(engine, live, own, who, problem);
            }
        }
    }
    finish(engine, live, taken, true)?;
    ask(engine, live, own, who, Problem::of("the files changed all the time"))
}

/// What came of one try.
enum Tried {
    Merged,
    /// Someone has to answer first, or nobody wants it any more.
    Asked,
    /// Files changed under its hands.
    Changed,
    Failed(Problem),
}

/// Why a copy could not be taken over.
struct Problem {
    words: String,
    /// The paths that may not be written, where it is that.
    protected: Vec<String>,
}

impl Problem {
    fn of(words: impl Into<String>) -> Self {
        Self { words: words.into(), protected: Vec::new() }
    }
}

async fn try_to_merge(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    own: &OwnCopy,
    place: &Place,
    who: &str,
    taken: &mut Taken,
) -> Result<Tried, EngineError> {
    let (found, protected) = match place.compare(engine).await {
        Ok(found) => found,
        Err(error) => return Ok(tried(error)),
    };
    let (choices, open) = conflicts::answered(&found.conflicts, &own.chosen);
    if !open.is_empty() {
        conflicts::ask(engine, live, who, &open)?;
        return Ok(Tried::Asked);
    }
    if !protected.is_empty() {
        let words = ToolError::Protected { path: protected.join("`, `") }.to_string();
        return Ok(Tried::Failed(Problem { words, protected }));
    }
    let mut paths: Vec<String> = found.paths().into_iter().map(str::to_owned).collect();
    let chosen = choices.iter().filter(|(_, choice)| *choice == Choice::Theirs);
    paths.extend(chosen.map(|(path, _)| path.clone()));
    paths.truncate(MOST_CHANGES);
    // A council may have begun since it was allowed.
    if talks_above(engine, live) {
        return Ok(Tried::Asked);
    }
    let paths = paths.into_iter().map(|path| engine.shared.redactor.clean(path)).collect();
    // The files wait for this, as for the intent of any other change.
    let begin = Command::BeginMerge { paths };
    match turn::submit(engine, live, begin, Vec::new()) {
        Ok(begun) => drop(begun.stored().await?),
        Err(EngineError::Refused(_)) => return Ok(Tried::Asked),
        Err(error) => return Err(error),
    }
    let cancel = CancellationToken::new();
    let taking = place.take(found, choices, who, &cancel, taken);
    tokio::pin!(taking);
    let took = tokio::select! {
        took = &mut taking => took,
        () = given_up(engine, live) => {
            cancel.cancel();
            taking.await
        }
    };
    Ok(took.map_or_else(tried, |()| Tried::Merged))
}

fn tried(error: CopyError) -> Tried {
    match &error {
        CopyError::Cancelled => Tried::Asked,
        CopyError::Changed { .. } => Tried::Changed,
        CopyError::TooMany { .. }
        | CopyError::TooLarge { .. }
        | CopyError::Nested { .. }
        | CopyError::Repository { .. }
        | CopyError::Name { .. }
        | CopyError::Tool(_) => Tried::Failed(Problem::of(error.to_string())),
    }
}

/// Returns when nobody wants the copy any more, a council begins above, or the app stops.
async fn given_up(engine: &Engine, live: &LiveRoom) {
    let mut changed = live.changed.subscribe();
    let gone = async {
        while live.lock().room.copy.is_some() && !talks_above(engine, live) {
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

/// Asks what is to become of work that could not be taken over: it is kept until then.
fn ask(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    own: &OwnCopy,
    who: &str,
    problem: Problem,
) -> Result<(), EngineError> {
    let Problem { words: problem, protected } = problem;
    tracing::warn!(room = %live.id, problem, "a copy could not be merged");
    let clean = |words: String| engine.shared.redactor.clean(words);
    let problem = clean(problem);
    let (rest, answers): (_, &[&str]) = match protected.is_empty() {
        true => ("", &[Ask::TRY_AGAIN, Ask::LEAVE_OUT]),
        false => {
            (", or take everything else over", &[Ask::TRY_AGAIN, Ask::TAKE_REST, Ask::LEAVE_OUT])
        }
    };
    let text = format!(
        "{who} is done, but what it changed could not be taken over: {problem}. Its files are \
         kept in {}. Put that right and try again, or leave them out{rest}.",
        own.folder
    );
    let mut about = vec![Detail::new(Ask::PROBLEM, problem)];
    about.extend(protected.into_iter().map(|path| Detail::new(Ask::PROTECTED, clean(path))));
    question(engine, live, text, answers, about)
}

/// Asks a person about a copy, with the answers to choose from.
pub(super) fn question(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    text: String,
    answers: &[&str],
    detail: Vec<Detail>,
) -> Result<(), EngineError> {
    let ask = about(engine, live, text, answers, detail);
    turn::submit(engine, live, Command::RaiseAsk { ask }, Vec::new())?;
    goals::note(engine, live);
    Ok(())
}

/// A question about a sidekick, with the answers to choose from.
pub(super) fn about(
    engine: &Engine,
    live: &LiveRoom,
    text: String,
    answers: &[&str],
    detail: Vec<Detail>,
) -> Ask {
    let options = answers.iter().map(|answer| Detail::new("option", *answer));
    let (plan_id, step_id) = part_of(engine, live).unzip();
    Ask {
        id: AskId(crate::fresh_id()),
        kind: AskKind::Question,
        plan_id,
        step_id,
        call_id: None,
        text,
        detail: options.chain(detail).collect(),
        created_at: engine.shared.clock.now(),
    }
}

/// Writes down what was taken over.
fn finish(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    taken: Taken,
    partly: bool,
) -> Result<(), EngineError> {
    let kept = taken.contents.into_iter().filter(|text| !engine.shared.redactor.knows(text));
    let blobs = kept
        .map(|text| (blake3::hash(text.as_bytes()).to_hex().to_string(), text.into_bytes()))
        .collect();
    let clean = |change: &tools::Change| {
        let change = turn::change(change);
        Change { path: engine.shared.redactor.clean(change.path), ..change }
    };
    let changed = taken.changed.iter().take(MOST_CHANGES).map(clean).collect();
    let left = taken.left.into_iter().map(|path| engine.shared.redactor.clean(path)).collect();
    let repositories = taken.repositories.into_iter();
    let repositories = repositories.map(|path| engine.shared.redactor.clean(path)).collect();
    turn::submit(engine, live, Command::EndMerge { changed, partly, left, repositories }, blobs)?;
    Ok(())
}

fn drop_copy(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    turn::submit(engine, live, Command::DropCopy { problem: None }, Vec::new())?;
    Ok(())
}

/// A copy and the workspace it goes back to.
struct Place {
    copy: PathBuf,
    into: String,
    /// The paths that are taken over; all without it.
    only: Option<BTreeSet<String>>,
    /// The paths that are not.
    without: BTreeSet<String>,
    /// What tools did: it is taken over wherever it is.
    by_tools: ByTools,
}

impl Place {
    /// What is to be taken over, and which paths of it may not be written.
    async fn compare(&self, engine: &Engine) -> Result<(Comparison, Vec<String>), CopyError> {
        let cancel = engine.shared.stopping.clone();
        let (copy, into, tools) = (self.copy.clone(), self.into.clone(), self.by_tools.clone());
        let compare = move || {
            let into = open(&into)?;
            let found = copy::compare(&copy, &into, &tools, &cancel)?;
            let protected = found.protected(&into);
            Ok((found, protected))
        };
        let compared = tokio::task::spawn_blocking(compare).await;
        let (mut found, mut protected) = compared.unwrap_or(Err(CopyError::Cancelled))?;
        let shown = |path: &str| engine.shared.redactor.clean(path.to_owned());
        if let Some(only) = &self.only {
            found.keep(|path| only.contains(&shown(path)));
            protected.retain(|path| only.contains(&shown(path)));
        }
        if !self.without.is_empty() {
            let left = std::mem::take(&mut found.left);
            found.keep(|path| !self.without.contains(&shown(path)));
            protected.retain(|path| !self.without.contains(&shown(path)));
            found.left = left;
        }
        Ok((found, protected))
    }

    /// Takes over what was found; what was taken is told also when not all of it could be.
    async fn take(
        &self,
        found: Comparison,
        choices: Vec<(String, Choice)>,
        who: &str,
        cancel: &CancellationToken,
        taken: &mut Taken,
    ) -> Result<(), CopyError> {
        let (copy, into, who) = (self.copy.clone(), self.into.clone(), who.to_owned());
        let (cancel, mut now) = (cancel.clone(), std::mem::take(taken));
        let take = move || {
            let decided = Decided { choices: &choices, who: &who, trash: None };
            let into = open(&into);
            let done =
                into.and_then(|into| copy::take(&copy, &into, found, &decided, &cancel, &mut now));
            (done, now)
        };
        let (done, now) = match tokio::task::spawn_blocking(take).await {
            Ok(done) => done,
            Err(_) => (Err(CopyError::Cancelled), Taken::default()),
        };
        *taken = now;
        done
    }
}

/// The workspace, if its path still leads to itself.
fn open(folder: &str) -> Result<Workspace, CopyError> {
    let workspace = Workspace::open(folder)?;
    match workspace.root() == Path::new(folder) {
        true => Ok(workspace),
        false => Err(ToolError::Hidden { path: folder.to_owned() }.into()),
    }
}
