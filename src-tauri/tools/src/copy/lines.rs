//! Two changes of one text.

use diffy::{DiffOptions, Hunk, HunkRange};
use std::ops::Range;

/// The longest text that is merged by lines.
pub(super) const LONGEST: u64 = 512 * 1024;

/// Both changes in one text; `None` where they touch the same lines, or where it is no text.
pub(super) fn merge(base: &[u8], mine: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let [base, mine, theirs] = [base, mine, theirs].map(text);
    diffy::merge(base?, mine?, theirs?).ok().map(String::into_bytes)
}

/// The text, where it is one.
pub(super) fn text(bytes: &[u8]) -> Option<&str> {
    let short = bytes.len() as u64 <= LONGEST && !bytes.contains(&0);
    std::str::from_utf8(bytes).ok().filter(|_| short)
}

/// What is left of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// All of it.
    Kept,
    /// A part of it is as it was before.
    Back,
    /// A part of it is something else.
    Changed,
}

/// What a third version has of the change from one text to another; `None` where one is no text.
pub(super) fn left(before: &[u8], after: &[u8], now: &[u8]) -> Option<Left> {
    let [before, after, now] = [before, after, now].map(text);
    let (before, after, now) = (before?, after?, now?);
    let since = changes(after, now);
    let anew = changes(before, now);
    let mut left = Left::Kept;
    for change in changes(before, after) {
        if !since.iter().any(|later| is_met(&change.new, &later.old)) {
            continue;
        }
        if !anew.iter().any(|other| is_met(&change.old, &other.old)) {
            return Some(Left::Back);
        }
        left = Left::Changed;
    }
    Some(left)
}

/// Lines that took the place of others, counted from 0.
struct Changed {
    old: Range<usize>,
    new: Range<usize>,
}

fn changes(before: &str, after: &str) -> Vec<Changed> {
    let patch = DiffOptions::new().set_context_len(0).create_patch(before, after);
    let lines = |range: HunkRange| match range.is_empty() {
        true => range.start()..range.start(),
        false => range.start() - 1..range.start() - 1 + range.len(),
    };
    let changed = |hunk: &Hunk<'_, str>| Changed {
        old: lines(hunk.old_range()),
        new: lines(hunk.new_range()),
    };
    patch.hunks().iter().map(changed).collect()
}

/// Whether another change of a text is at the place of one. Lines are met by what replaces one of
/// them or comes between them; a place between lines also by what is right beside it.
fn is_met(place: &Range<usize>, by: &Range<usize>) -> bool {
    match place.is_empty() {
        true => by.start <= place.start && place.start <= by.end,
        false => by.start < place.end && place.start < by.end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, mine: &str, theirs: &str) -> Option<String> {
        let merged = merge(base.as_bytes(), mine.as_bytes(), theirs.as_bytes());
        merged.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn changes_of_different_lines_are_both_taken() {
        let base = "one\ntwo\nthree\nfour\nfive\n";
        let mine = "ONE\ntwo\nthree\nfour\nfive\n";
        let theirs = "one\ntwo\nthree\nfour\nFIVE\nsix\n";
        let both = "ONE\ntwo\nthree\nfour\nFIVE\nsix\n";
        assert_eq!(merged(base, mine, theirs).as_deref(), Some(both));
        assert_eq!(merged(base, theirs, mine).as_deref(), Some(both));
        assert_eq!(merged(base, both, theirs).as_deref(), Some(both), "done twice is harmless");
    }

    #[test]
    fn the_same_change_twice_is_one() {
        assert_eq!(merged("a\nb\n", "a\nc\n", "a\nc\n").as_deref(), Some("a\nc\n"));
    }

    #[test]
    fn different_changes_of_one_line_are_not_merged() {
        assert_eq!(merged("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n"), None);
        assert_eq!(merged("a\nb\nc\n", "a\nc\n", "a\ny\nc\n"), None, "gone against changed");
        assert_eq!(merged("", "x\n", "y\n"), None, "both made it");
    }

    #[test]
    fn what_is_left_of_a_change_is_told_from_what_it_replaced() {
        let before = "1\n2\n3\n4\n5\n6\n";
        let after = "1\nTWO\n3\nnew\n4\n6\n";
        let left = |now: &str| left(before.as_bytes(), after.as_bytes(), now.as_bytes());
        for kept in [
            after,
            "one\nTWO\n3\nnew\n4\n6\n",
            "1\nTWO\nmore\n3\nnew\nmore\n4\n6\n7\n",
            "TWO\nnew\n4\n6\n",
        ] {
            assert_eq!(left(kept), Some(Left::Kept), "{kept}");
        }
        for back in [
            before,
            "1\n2\n3\n4\n5\nsix\n",
            "one\n2\n3\n4\n5\n6\n",
            "1\n2\n3\nnew\n4\n6\n",
            "1\nTWO\n3\n4\n6\n",
            "1\nTWO\n3\nnew\n4\n5\n6\n",
        ] {
            assert_eq!(left(back), Some(Left::Back), "{back}");
        }
        for changed in ["1\nzwei\n3\nnew\n4\n6\n", "1\nTWO\n3\nnewer\n4\n6\n"] {
            assert_eq!(left(changed), Some(Left::Changed), "{changed}");
        }
        assert_eq!(super::left(b"", b"all\n", b"other\n"), Some(Left::Changed));
        assert_eq!(super::left(b"\0", b"all\n", b"other\n"), None);
    }

    #[test]
    fn line_ends_and_a_missing_last_one_are_kept() {
        let base = "a\r\nb\r\nc\r\nd";
        assert_eq!(
            merged(base, "A\r\nb\r\nc\r\nd", "a\r\nb\r\nc\r\nD").as_deref(),
            Some("A\r\nb\r\nc\r\nD")
        );
    }

    #[test]
    fn what_is_no_text_is_not_merged() {
        assert_eq!(merge(b"a\0\nb\n", b"a\0\nc\n", b"A\0\nb\n"), None);
        assert_eq!(merge(b"\xff\nb\n", b"\xff\nc\n", b"\xfe\nb\n"), None);
    }
}
