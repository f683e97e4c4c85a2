//! What a person is asked where a sidekick and someone else changed the same lines.

use super::serving::part_of;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::goals;
use crate::live::LiveRoom;
use crate::turn;
use plan::{Ask, AskId, AskKind, Chosen, Command, Detail};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tools::copy::{Choice, Conflict, Version, Why};

/// Lines shown around what is different.
const AROUND: usize = 3;
/// The longest version that is shown, in characters; of a longer one the middle is left out.
const MOST_CHARS: usize = 6_000;

/// What was chosen, and what is still to be asked: a choice holds for the versions that were shown.
pub(super) fn answered<'c>(
    conflicts: &'c [Conflict],
    chosen: &BTreeMap<String, Chosen>,
) -> (Vec<(String, Choice)>, Vec<&'c Conflict>) {
    let (mut choices, mut open) = (Vec::new(), Vec::new());
    for conflict in conflicts {
        let said = chosen
            .get(&conflict.path)
            .filter(|said| said.mine == conflict.mine.mark && said.theirs == conflict.theirs.mark);
        let choice = said.and_then(|said| match said.answer.as_str() {
            "mine" => Some(Choice::Mine),
            "theirs" => Some(Choice::Theirs),
            "both" => Some(Choice::Both),
            _ => None,
        });
        match choice {
            Some(choice) => choices.push((conflict.path.clone(), choice)),
            None => open.push(conflict),
        }
    }
    (choices, open)
}

/// Asks about each of these.
pub(super) fn ask(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    who: &str,
    conflicts: &[&Conflict],
) -> Result<(), EngineError> {
    let (plan_id, step_id) = part_of(engine, live).unzip();
    for conflict in conflicts {
        let (plan_id, step_id) = (plan_id, step_id.clone());
        let ask = Ask { plan_id, step_id, ..question(engine, conflict, who) };
        turn::submit(engine, live, Command::RaiseAsk { ask }, Vec::new())?;
    }
    goals::note(engine, live);
    Ok(())
}

fn question(engine: &Engine, conflict: &Conflict, who: &str) -> Ask {
    let path = &conflict.path;
    let shown = Shown::of(conflict);
    let clean = |text: String| engine.shared.redactor.clean(text);
    let beside = conflict.beside(who);
    let both = match conflict.theirs.is_gone() {
        true => "It stays; there is no other version to put beside it.".to_owned(),
        false => format!("It stays, and {who}'s version is put beside it as {beside}."),
    };
    Ask {
        id: AskId(crate::fresh_id()),
        kind: AskKind::Conflict,
        plan_id: None,
        step_id: None,
        call_id: None,
        text: match conflict.why {
            Why::Both => format!(
                "{who} changed {path}, and so did someone else meanwhile, in the same place."
            ),
            Why::PutAway => format!(
                "{who} put {path} or a part of it back to the last commit, or stashed it, and what \
                 was there was not committed."
            ),
            Why::Kind => format!(
                "{who} changed what {path} is or what is in it, and so did someone else meanwhile: \
                 one has a folder there, the other does not."
            ),
            Why::Removed => format!(
                "{path} is gone in what {who} did, no tool was told to delete it, and it was never \
                 committed."
            ),
            Why::Mode => format!(
                "{who} changed the permissions of {path}, and so did someone else meanwhile, to \
                 others."
            ),
        },
        detail: vec![
            Detail::new("path", path.clone()),
            Detail::new("base", clean(shown.of_version(&conflict.base))),
            Detail::new("mine", clean(shown.of_version(&conflict.mine))),
            Detail::new("theirs", clean(shown.of_version(&conflict.theirs))),
            Detail::new("does_mine", "It stays as it is in the folder."),
            Detail::new("does_theirs", format!("It becomes {who}'s version.")),
            Detail::new("does_both", both),
            Detail::new("beside", beside),
            Detail::new("mine_version", conflict.mine.mark.clone()),
            Detail::new("theirs_version", conflict.theirs.mark.clone()),
        ],
        created_at: engine.shared.clock.now(),
    }
}

/// Which lines of the versions are shown: those that differ, and a few around.
#[derive(Default)]
struct Shown {
    /// Lines at the beginning and at the end that all versions share, but for a few.
    head: usize,
    tail: usize,
    /// Whether permissions are said: they are not all the same.
    modes: bool,
    /// Whether line ends are said: they are not all the same.
    ends: bool,
}

impl Shown {
    fn of(conflict: &Conflict) -> Self {
        Self::of_all([&conflict.base, &conflict.mine, &conflict.theirs])
    }

    fn of_all(versions: [&Version; 3]) -> Self {
        let texts = versions.into_iter().filter_map(|version| version.text.as_deref());
        let texts: Vec<Vec<&str>> = texts.map(|text| text.lines().collect()).collect();
        let least = texts.iter().map(Vec::len).min().unwrap_or(0);
        let first = texts.first().cloned().unwrap_or_default();
        let shared = |at: &dyn Fn(&Vec<&str>, usize) -> String| {
            (0..least)
                .take_while(|n| texts.iter().all(|text| at(text, *n) == at(&first, *n)))
                .count()
        };
        let head = shared(&|text, n| text[n].to_owned());
        let tail = shared(&|text, n| text[text.len() - 1 - n].to_owned()).min(least - head);
        let mut modes: Vec<u32> = versions.iter().filter_map(|version| version.mode).collect();
        modes.dedup();
        let texts = versions.into_iter().filter_map(|version| version.text.as_deref());
        let ends: BTreeSet<&str> = texts.filter_map(line_ends).collect();
        Self {
            head: head.saturating_sub(AROUND),
            tail: tail.saturating_sub(AROUND),
            modes: modes.len() > 1,
            ends: ends.len() > 1,
        }
    }

    /// A version, with what its lines do not show.
    fn of_version(&self, version: &Version) -> String {
        let mut notes = Vec::new();
        if let Some(mode) = version.mode.filter(|_| self.modes) {
            notes.push(format!("permissions {mode:03o}"));
        }
        let ends = version.text.as_deref().filter(|_| self.ends).and_then(line_ends);
        notes.extend(ends.map(|ends| format!("line ends {ends}")));
        let shown = self.lines_of(version);
        match notes.is_empty() {
            true => shown,
            false => format!("({})\n{shown}", notes.join(", ")),
        }
    }

    fn lines_of(&self, version: &Version) -> String {
        let Some(text) = &version.text else { return format!("({})", version.words) };
        let lines: Vec<&str> = text.lines().collect();
        let end = lines.len().saturating_sub(self.tail).max(self.head.min(lines.len()));
        let mut shown = lines[self.head.min(end)..end].join("\n");
        if self.head > 0 {
            shown = format!("… {} lines the same\n{shown}", self.head);
        }
        if self.tail > 0 {
            shown = format!("{shown}\n… {} lines the same", self.tail);
        }
        cut_in_the_middle(&shown)
    }
}

/// How the lines of a text end, which they do not show; nothing where it has no line end.
fn line_ends(text: &str) -> Option<&'static str> {
    let (all, windows) = (text.matches('\n').count(), text.matches("\r\n").count());
    match (all, windows) {
        (0, _) => None,
        (_, 0) => Some("LF"),
        _ if all == windows => Some("CRLF"),
        _ => Some("LF and CRLF"),
    }
}

fn cut_in_the_middle(text: &str) -> String {
    let count = text.chars().count();
    if count <= MOST_CHARS {
        return text.to_owned();
    }
    let half = MOST_CHARS / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head}\n… {} characters left out …\n{tail}", count - 2 * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        let (mark, words) = (String::new(), String::new());
        Version { mark, text: Some(text.to_owned()), words, mode: Some(0o644) }
    }

    #[test]
    fn what_is_the_same_is_left_out_but_for_a_few_lines() {
        let text = |middle: &str| {
            let lines: Vec<String> = (1..=9).map(|n| n.to_string()).collect();
            format!("{}\n{middle}\n{}\n", lines.join("\n"), lines.join("\n"))
        };
        let shown = Shown { head: 6, tail: 6, ..Shown::default() };
        assert_eq!(
            shown.of_version(&version(&text("x\ny"))),
            "… 6 lines the same\n7\n8\n9\nx\ny\n1\n2\n3\n… 6 lines the same"
        );
        let long = cut_in_the_middle(&"ab".repeat(MOST_CHARS));
        assert!(long.contains("6000 characters left out") && long.starts_with("ab"), "{long}");
    }

    #[test]
    fn what_lines_do_not_show_is_said_where_it_differs() {
        let text = "1\n2\n";
        let mut windows = version(&text.replace('\n', "\r\n"));
        let shown = Shown::of_all([&version(text), &version(text), &windows]);
        assert_eq!(shown.of_version(&version(text)), "(line ends LF)\n1\n2");
        assert_eq!(shown.of_version(&windows), "(line ends CRLF)\n1\n2");
        windows.mode = Some(0o755);
        let shown = Shown::of_all([&version(text), &version(text), &windows]);
        assert_eq!(shown.of_version(&windows), "(permissions 755, line ends CRLF)\n1\n2");
        let shown = Shown::of_all([&version(text), &version("1\n"), &version("")]);
        assert_eq!(shown.of_version(&version(text)), "1\n2", "nothing to say");
    }
}
