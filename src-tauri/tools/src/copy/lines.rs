//! Two changes of one text.

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
