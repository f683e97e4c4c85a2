//! Words of others in one short line, for the tray and notifications. Characters that hide or turn
//! text around are shown by name, as the window shows them.

/// The text on one line, with at most so many characters and a sign where it was cut off.
pub fn short(text: &str, most: usize) -> String {
    let line: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    let (mut shown, mut long) = (String::new(), 0);
    for at in 0..line.len() {
        let piece = plan::visible::piece(&line, at);
        // A name is whole or not there.
        long += piece.chars().count();
        if long > most {
            return shown + "…";
        }
        shown += &piece;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown_by_name() {
        let shown = |text: &str| short(text, 80);
        assert_eq!(shown("Tidy\n the\t shelf"), "Tidy the shelf");
        assert_eq!(shown("pay\u{202e}me\u{200b}\u{2067}"), "pay⟨U+202E⟩me⟨U+200B⟩⟨U+2067⟩");
        assert_eq!(shown("a\u{7}b\u{e0041}c\u{ad}"), "a⟨U+0007⟩b⟨U+E0041⟩c⟨U+00AD⟩");
        assert_eq!(shown("a\u{200d}b\u{200d}"), "a⟨U+200D⟩b⟨U+200D⟩", "they join nothing");
        for needed in ["👩\u{200d}💻", "🏳\u{fe0f}\u{200d}🌈", "می\u{200c}خواهم", "क्\u{200d}ष"]
        {
            assert_eq!(shown(needed), needed);
        }
    }

    #[test]
    fn it_is_cut_between_characters_and_never_in_a_name() {
        assert_eq!(short("äöüß", 4), "äöüß");
        assert_eq!(short("äöüßx", 4), "äöüß…");
        assert_eq!(short("ab\u{202e}cd", 10), "ab⟨U+202E⟩…");
        assert_eq!(short("ab\u{202e}cd", 9), "ab…");
    }
}
