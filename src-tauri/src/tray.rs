//! The tray: how things stand, what runs, and what to do about all of it.

use crate::glance;
use crate::house::House;
use crate::links::{self, Link};
use crate::{renderer, visible};
use engine::{CouncilGlance, Overview, RoomSummary};
use plan::{Actor, PauseReason, RoomId, Surface};
use std::sync::{Arc, Mutex, PoisonError};
use tauri::image::Image;
use tauri::menu::{Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager, Wry};

/// Active plans shown in the menu.
const MOST_PLANS: usize = 8;
/// The most characters of a goal in the menu.
const GOAL_CHARS: usize = 48;
/// Who shows tray icons on this desktop.
const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const WATCHER_PATH: &str = "/StatusNotifierWatcher";
/// Our icon.
const ICON: &str = "main";

/// How things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Idle,
    Running,
    NeedsYou,
}

/// Everything the tray shows.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Face {
    mood: Mood,
    /// One line for each active plan or council, with the id of its room.
    lines: Vec<(String, String)>,
    can_pause: bool,
    can_resume: bool,
}

/// Builds the tray and keeps it up to date.
pub async fn run(app: AppHandle) {
    let here = app.clone();
    // The toolkit makes icons and menus on its own thread alone.
    let built = app.run_on_main_thread(move || {
        if let Err(error) = build(&here) {
            tracing::warn!(%error, "there is no tray");
        }
    });
    if let Err(error) = built {
        tracing::warn!(%error, "there is no tray");
    }
}

fn build(app: &AppHandle) -> tauri::Result<()> {
    let face = Face::of(&app.state::<Arc<House>>().glance.now());
    let lines = Lines::new(app, &face)?;
    let tray = TrayIconBuilder::with_id(ICON)
        .icon(face.mood.icon())
        .tooltip(face.mood.words())
        .menu(&lines.menu)
        .on_menu_event(|app, event| chosen(app, event.id().as_ref()))
        .build(app)?;
    tray.set_title(face.mood.title())?;
    let handle = app.clone();
    tauri::async_runtime::spawn(async move { follow(handle, tray, lines, face).await });
    Ok(())
}

/// Pauses everything, without keeping the toolkit waiting.
pub fn pause_all(app: &AppHandle, who: Actor) {
    let house = Arc::clone(&app.state::<Arc<House>>());
    tauri::async_runtime::spawn(async move { house.pause_all(&who).await });
}

/// Brings the window to the front, with a page in it.
pub fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window("main") {
        renderer::revive(&window);
        let _ = window.show();
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
}

/// Whether there is a tray to come back from: our icon, and somebody who shows it.
pub async fn exists(app: &AppHandle) -> bool {
    if app.tray_by_id(ICON).is_none() {
        return false;
    }
    let asked = async {
        let bus = zbus::Connection::session().await?;
        let names = zbus::fdo::DBusProxy::new(&bus).await?;
        if !names.name_has_owner(WATCHER.try_into()?).await? {
            return Ok(false);
        }
        let watcher = zbus::Proxy::new(&bus, WATCHER, WATCHER_PATH, WATCHER).await?;
        watcher.get_property("IsStatusNotifierHostRegistered").await
    };
    asked.await.unwrap_or_else(|error: zbus::Error| {
        tracing::debug!(%error, "nobody says whether there is a tray");
        false
    })
}

async fn follow(app: AppHandle, tray: TrayIcon, lines: Lines, mut shown: Face) {
    let mut looks = app.state::<Arc<House>>().glance.follow();
    looks.mark_changed();
    let lines = Arc::new(Mutex::new(lines));
    while looks.changed().await.is_ok() {
        let now = Face::of(&looks.borrow_and_update());
        if now == shown {
            continue;
        }
        let other_mood = (now.mood != shown.mood).then_some(now.mood);
        shown = now.clone();
        let (handle, tray, lines) = (app.clone(), tray.clone(), Arc::clone(&lines));
        // Done where menus are made, and not waited for.
        let _ = app.run_on_main_thread(move || {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            let changed = lines.change(&handle, &now).and_then(|()| match other_mood {
                Some(mood) => mood.show(&tray),
                None => Ok(()),
            });
            if let Err(error) = changed {
                tracing::warn!(%error, "the tray can't be changed");
            }
        });
    }
}

impl Mood {
    fn icon(self) -> Image<'static> {
        match self {
            Self::Idle => tauri::include_image!("icons/tray-idle.png"),
            Self::Running => tauri::include_image!("icons/tray-running.png"),
            Self::NeedsYou => tauri::include_image!("icons/tray-needs-you.png"),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Idle => "Plancard",
            Self::Running => "Plancard is at work",
            Self::NeedsYou => "Plancard needs you",
        }
    }

    fn show(self, tray: &TrayIcon) -> tauri::Result<()> {
        tray.set_icon(Some(self.icon()))?;
        tray.set_tooltip(Some(self.words()))?;
        tray.set_title(self.title())
    }

    /// The text beside the icon, where the desktop shows one.
    fn title(self) -> Option<&'static str> {
        match self {
            Self::Idle => None,
            Self::Running => Some("Running"),
            Self::NeedsYou => Some("Needs you"),
        }
    }
}

impl Face {
    fn of(overview: &Overview) -> Self {
        let runs = |room: &RoomSummary| {
            room.plan.as_ref().is_some_and(|plan| plan.state == "running")
                || glance::holds_council(room)
                || glance::works_alone(room, overview)
                || glance::writes_plan(room)
        };
        let can_pause = overview.rooms.iter().any(runs);
        let can_resume = overview.rooms.iter().any(glance::can_resume);
        let mood = if !overview.asks.is_empty() || overview.rooms.iter().any(stopped_by_itself) {
            Mood::NeedsYou
        } else if can_pause {
            Mood::Running
        } else {
            Mood::Idle
        };
        Self { mood, lines: lines(overview), can_pause, can_resume }
    }
}

/// Whether a plan or a council stands still until a person does something, in a room they did not
/// put away. The window's inbox goes by the same rule.
fn stopped_by_itself(room: &RoomSummary) -> bool {
    if room.archived {
        return false;
    }
    // The person paused it, or it goes on without them.
    let not_for_you = [PauseReason::Supervisor, PauseReason::Quota];
    let for_you =
        |reason: Option<PauseReason>| reason.is_some_and(|one| !not_for_you.contains(&one));
    let plan = room.plan.as_ref().is_some_and(|plan| plan.left || for_you(plan.pause_reason));
    let council = room.council.as_ref().filter(|council| council.talks);
    plan || council.is_some_and(|council| for_you(council.pause_reason))
}

fn lines(overview: &Overview) -> Vec<(String, String)> {
    let line = |room: &RoomSummary| {
        let words = match (&room.council, &room.plan) {
            (Some(council), _) if council.talks => {
                let task = menu_words(&council.task);
                let CouncilGlance { state, answered, members, .. } = council;
                format!("{task} — council {state} {answered}/{members}")
            }
            (_, Some(plan)) if room.active_plan.is_some() => {
                let state = plan.state.replace('_', " ");
                let goal = menu_words(&plan.goal);
                format!("{goal} — {state} {}/{}", plan.ended, plan.steps)
            }
            _ => return None,
        };
        Some((format!("room:{}", room.id), words))
    };
    overview.rooms.iter().filter_map(line).take(MOST_PLANS).collect()
}

/// Words of others as a menu shows them: it reads an underscore as the sign of a shortcut key.
fn menu_words(words: &str) -> String {
    visible::short(words, GOAL_CHARS).replace('_', "__")
}

/// The menu. Its lines are changed where they are: a menu that was replaced under the pointer
/// would lose the click.
struct Lines {
    menu: Menu<Wry>,
    plans: Vec<MenuItem<Wry>>,
    below_plans: PredefinedMenuItem<Wry>,
    pause: MenuItem<Wry>,
    resume: MenuItem<Wry>,
}

impl Lines {
    fn new(app: &AppHandle, face: &Face) -> tauri::Result<Self> {
        let pause = line(app, "pause", "Pause all", face.can_pause)?;
        let resume = line(app, "resume", "Resume all", face.can_resume)?;
        let (open, quit) = (line(app, "open", "Open", true)?, line(app, "quit", "Quit", true)?);
        let menu = Menu::with_items(app, &[&pause, &resume, &open, &quit])?;
        let below_plans = PredefinedMenuItem::separator(app)?;
        let mut lines = Self { menu, plans: Vec::new(), below_plans, pause, resume };
        lines.change(app, face)?;
        Ok(lines)
    }

    fn change(&mut self, app: &AppHandle, face: &Face) -> tauri::Result<()> {
        self.pause.set_enabled(face.can_pause)?;
        self.resume.set_enabled(face.can_resume)?;
        let known = self.plans.iter().map(|line| line.id().as_ref());
        if known.eq(face.lines.iter().map(|(id, _)| id)) {
            for (line, (_, words)) in self.plans.iter().zip(&face.lines) {
                line.set_text(words)?;
            }
            return Ok(());
        }
        if !self.plans.is_empty() {
            self.menu.remove(&self.below_plans)?;
        }
        for gone in self.plans.drain(..) {
            self.menu.remove(&gone)?;
        }
        if !face.lines.is_empty() {
            self.menu.prepend(&self.below_plans)?;
        }
        for (at, (id, words)) in face.lines.iter().enumerate() {
            let line = line(app, id, words, true)?;
            self.menu.insert(&line, at)?;
            self.plans.push(line);
        }
        Ok(())
    }
}

fn line(app: &AppHandle, id: &str, words: &str, enabled: bool) -> tauri::Result<MenuItem<Wry>> {
    MenuItem::with_id(app, id, words, enabled, None::<&str>)
}

fn chosen(app: &AppHandle, id: &str) {
    let me = Actor::person("me", Surface::Tray);
    match id {
        "pause" => pause_all(app, me),
        "resume" => app.state::<Arc<House>>().resume_all(&me),
        "open" => show(app),
        "quit" => app.exit(0),
        _ => {
            if let Some(Ok(room)) = id.strip_prefix("room:").map(str::parse) {
                links::go(app, Link::Room { room: RoomId(room) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notices::tests::{ask, look, room, with_council};
    use plan::AskKind;

    fn face(state: &str, reason: Option<PauseReason>) -> (Mood, bool, bool) {
        let face = Face::of(&look(vec![room(state, reason)], vec![]));
        (face.mood, face.can_pause, face.can_resume)
    }

    #[test]
    fn the_icon_says_when_a_person_is_needed() {
        assert_eq!(face("done", None), (Mood::Idle, false, false));
        assert_eq!(face("draft", None), (Mood::Idle, false, false));
        assert_eq!(face("running", None), (Mood::Running, true, false));
        let by_person = Some(PauseReason::Supervisor);
        assert_eq!(face("paused", by_person), (Mood::Idle, false, true));
        for reason in [PauseReason::Attempts, PauseReason::Interrupted, PauseReason::Manual] {
            assert_eq!(face("paused", Some(reason)), (Mood::NeedsYou, false, true));
        }
        assert_eq!(face("paused", Some(PauseReason::Quota)), (Mood::Idle, false, true));
        let put_away = RoomSummary { archived: true, ..room("paused", Some(PauseReason::Manual)) };
        assert_eq!(Face::of(&look(vec![put_away], vec![])).mood, Mood::Idle);
        let mut left = room("draft", None);
        left.plan.as_mut().unwrap().left = true;
        assert_eq!(Face::of(&look(vec![left], vec![])).mood, Mood::NeedsYou);
        let asked = look(vec![room("running", None)], vec![ask(AskKind::Permission)]);
        assert_eq!(Face::of(&asked).mood, Mood::NeedsYou);
    }

    #[test]
    fn a_council_is_at_work_or_needs_a_person_as_a_plan_does() {
        let face = |state: &str, reason| {
            let face = Face::of(&look(vec![with_council(state, reason)], vec![]));
            (face.mood, face.can_pause, face.can_resume, face.lines.len())
        };
        assert_eq!(face("answering", None), (Mood::Running, true, false, 1));
        assert_eq!(face("voting", None), (Mood::Running, true, false, 1));
        let by_person = Some(PauseReason::Supervisor);
        assert_eq!(face("paused", by_person), (Mood::Idle, false, true, 1));
        for reason in [PauseReason::Cap, PauseReason::Interrupted] {
            assert_eq!(face("paused", Some(reason)), (Mood::NeedsYou, false, true, 1));
        }
        assert_eq!(face("failed", None), (Mood::Idle, false, false, 0));
        let room = with_council("voting", None);
        assert_eq!(
            Face::of(&look(vec![room], vec![])).lines[0].1,
            "Pick__a shelf — council voting 2/3"
        );
    }

    /// Its plan is done, and the council is not.
    #[test]
    fn a_council_whose_winner_judges_is_paused_and_resumed_as_one_that_talks() {
        let judged = |state: &str, reason| {
            let council = with_council(state, reason).council.map(|one| CouncilGlance {
                talks: true,
                planned: false,
                ..one
            });
            RoomSummary { council, ..room("done", None) }
        };
        let works = judged("executing", None);
        assert!(glance::holds_council(&works), "\"Pause everything\" pauses it");
        let paused = judged("paused", Some(PauseReason::Provider));
        assert!(glance::can_resume(&paused));
        let face = Face::of(&look(vec![paused.clone()], vec![]));
        assert_eq!((face.mood, face.can_resume, face.lines.len()), (Mood::NeedsYou, true, 1));
        let news = crate::notices::between(&look(vec![works], vec![]), &look(vec![paused], vec![]));
        let told: Vec<_> = news.new.iter().map(|one| (one.summary, one.resume)).collect();
        assert_eq!(told, [("Council paused", true)]);
    }

    #[test]
    fn a_member_at_work_is_its_councils() {
        let above = with_council("answering", None);
        let member = RoomSummary {
            id: RoomId(uuid::Uuid::from_u128(9)),
            kind: engine::RoomSort::Member,
            parent: Some(above.id),
            busy: true,
            plan: None,
            ..room("done", None)
        };
        let overview = look(vec![member.clone(), above], vec![]);
        assert!(!glance::works_alone(&member, &overview));
    }

    #[test]
    fn a_line_of_the_menu_hides_nothing_of_a_goal() {
        let line = |goal: &str| {
            let mut room = room("running", None);
            room.active_plan = room.plan.as_ref().map(|plan| plan.id);
            room.plan.as_mut().unwrap().goal = goal.to_owned();
            Face::of(&look(vec![room], vec![])).lines.remove(0).1
        };
        assert_eq!(line("pay_\u{202e}em\n"), "pay__⟨U+202E⟩em — running 1/3");
        let long = format!("{}… — running 1/3", "ö".repeat(GOAL_CHARS));
        assert_eq!(line(&"ö".repeat(60)), long);
    }

    #[test]
    fn what_can_be_paused_and_resumed_is_what_would_be() {
        let can = |room: RoomSummary| {
            let face = Face::of(&look(vec![room], vec![]));
            (face.can_pause, face.can_resume)
        };
        let busy = |room: RoomSummary| RoomSummary {
            busy: true,
            active_plan: room.plan.as_ref().map(|plan| plan.id),
            ..room
        };
        assert_eq!(can(busy(room("draft", None))), (true, false), "it is written anew");
        assert_eq!(can(busy(room("paused", Some(PauseReason::Revise)))), (true, true));
        assert_eq!(can(busy(room("paused", Some(PauseReason::Supervisor)))), (false, true));
        let mut unclear = room("paused", Some(PauseReason::Interrupted));
        unclear.plan.as_mut().unwrap().actions.clear();
        assert_eq!(can(unclear), (false, false), "a question comes first");
    }
}
