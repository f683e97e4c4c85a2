//! Characters that hide or turn text around: a person must see them, by name.

/// The text with such characters by their names. Those that end lines or set them in stay.
pub fn visible(text: &str) -> String {
    if !text.contains(is_hidden) {
        return text.to_owned();
    }
    let all: Vec<char> = text.chars().collect();
    let shown = all.iter().enumerate().map(|(at, letter)| match letter {
        '\n' | '\t' => letter.to_string(),
        _ => piece(&all, at),
    });
    shown.collect()
}

/// One character as it is shown: itself, or its name where nobody would see it.
pub fn piece(all: &[char], at: usize) -> String {
    let letter = all[at];
    match is_hidden(letter) && !joins(all, at) {
        true => format!("⟨U+{:04X}⟩", u32::from(letter)),
        false => letter.to_string(),
    }
}

/// Whether a text holds what nobody would see, other than what ends lines.
pub fn hides(text: &str) -> bool {
    let all: Vec<char> = text.chars().collect();
    (0..all.len()).any(|at| is_hidden(all[at]) && !all[at].is_control() && !joins(&all, at))
}

/// Zero width, joiners, bidi controls and isolates, soft hyphen, fillers, tags, control characters.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Whether this is a joiner that has to stay: in emoji, Persian, Hindi.
fn joins(line: &[char], at: usize) -> bool {
    let script = |letter: &char| matches!(letter, '\u{590}'..='\u{1cff}') && !is_hidden(*letter);
    let picture =
        |letter: &char| matches!(letter, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    let part = |letter: &char| picture(letter) || *letter == '\u{fe0f}';
    let before = at.checked_sub(1).and_then(|at| line.get(at));
    let (Some(before), Some(after)) = (before, line.get(at + 1)) else { return false };
    match line[at] {
        '\u{200d}' if part(before) && picture(after) => true,
        '\u{200c}' | '\u{200d}' => script(before) && script(after),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_named_and_what_a_script_needs_stays() {
        assert_eq!(visible("a\u{202e}b\n\tc\u{200b}"), "a⟨U+202E⟩b\n\tc⟨U+200B⟩");
        assert_eq!(visible("می\u{200c}خواهم"), "می\u{200c}خواهم");
        assert!(hides("rm\u{202e}") && !hides("می\u{200c}خواهم") && !hides("a\nb"));
    }
}
