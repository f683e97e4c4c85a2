//! Words of others, made fit to be shown: nothing in them breaks a line, steers a terminal, turns
//! text around or hides.

/// As much as a person reads, in characters.
const LONGEST: usize = 300;

/// The text on one line. What is blank or steers is a space, and what hides is left out.
pub(crate) fn one_line(text: &str) -> String {
    let blank = |letter: char| letter.is_whitespace() || letter.is_control();
    let seen = |word: &str| word.chars().filter(|letter| !hides(*letter)).collect::<String>();
    let words = text.split(blank).map(seen).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The beginning of a text that is too long, with a sign where it was cut off.
pub(crate) fn short(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

/// Zero width, joiners, bidi controls and isolates, soft hyphen, fillers, tags.
fn hides(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_or_hides_is_gone_and_words_stay() {
        assert_eq!(
            one_line("\u{1b}[1mno\u{1b}[0m\0 \r\n\n room\u{202e}\u{2066}"),
            "[1mno [0m room"
        );
        assert_eq!(one_line("k\u{200b}e\u{feff}y größer 鍵 \u{9b}2J"), "key größer 鍵 2J");
        assert_eq!(one_line("\u{200b} \u{7}\n"), "");
    }

    #[test]
    fn long_words_end_in_a_sign_between_two_characters() {
        assert_eq!(short("ä".repeat(LONGEST)), "ä".repeat(LONGEST));
        assert_eq!(short("ä".repeat(LONGEST + 1)), "ä".repeat(LONGEST) + "…");
    }
}
