//! A key combination that works everywhere on the desktop.

use std::fmt;
use std::str::FromStr;

/// Modifiers and one key, as `Ctrl+Alt+Shift+P`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortcut(String);

/// What a text has to be to mean a shortcut.
pub(super) const ALLOWED: &str = "keys such as Ctrl+Alt+Shift+P (Ctrl, Alt or Super, then a \
                                  letter, a digit, F1 to F24 or a name such as Pause), or \"\" \
                                  for none";

/// The text does not mean a shortcut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{ALLOWED}")]
pub struct NotShortcut;

const NAMED: [&str; 12] = [
    "Space", "Pause", "Home", "End", "Insert", "Delete", "PageUp", "PageDown", "Up", "Down",
    "Left", "Right",
];

impl Shortcut {
    /// The one that pauses everything when nobody says otherwise.
    pub fn usual() -> Self {
        Self("Ctrl+Alt+Shift+P".to_owned())
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Shortcut {
    type Err = NotShortcut;

    fn from_str(text: &str) -> Result<Self, NotShortcut> {
        let parts: Vec<&str> = text.split('+').map(str::trim).collect();
        let [modifiers @ .., key] = parts.as_slice() else { return Err(NotShortcut) };
        let mut words: Vec<&str> = Vec::new();
        for modifier in modifiers {
            let word = match modifier.to_ascii_lowercase().as_str() {
                "ctrl" | "control" => "Ctrl",
                "alt" => "Alt",
                "shift" => "Shift",
                "super" => "Super",
                _ => return Err(NotShortcut),
            };
            if words.contains(&word) {
                return Err(NotShortcut);
            }
            words.push(word);
        }
        // Shift alone would take a key away from typing.
        if !words.iter().any(|word| *word != "Shift") {
            return Err(NotShortcut);
        }
        let key = key_word(key).ok_or(NotShortcut)?;
        words.push(&key);
        Ok(Self(words.join("+")))
    }
}

impl fmt::Display for Shortcut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn key_word(key: &str) -> Option<String> {
    if let Some(named) = NAMED.iter().find(|named| named.eq_ignore_ascii_case(key)) {
        return Some((*named).to_owned());
    }
    let key = key.to_ascii_uppercase();
    match key.as_bytes() {
        [letter] if letter.is_ascii_alphanumeric() => Some(key),
        [b'F', first, rest @ ..] if *first != b'0' && rest.len() < 2 => {
            let number: u8 = key[1..].parse().ok()?;
            (1..=24).contains(&number).then_some(key)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcuts_are_written_in_one_way() {
        let written = |text: &str| text.parse::<Shortcut>().map(|shortcut| shortcut.0);
        assert_eq!(written("ctrl + alt+shift+p"), Ok("Ctrl+Alt+Shift+P".to_owned()));
        assert_eq!(written("Super+pause"), Ok("Super+Pause".to_owned()));
        assert_eq!(written("Control+f12"), Ok("Ctrl+F12".to_owned()));
        assert_eq!(Shortcut::usual().as_str().parse(), Ok(Shortcut::usual()));
    }

    #[test]
    fn what_would_take_a_key_from_typing_or_is_none_is_refused() {
        let bad = [
            "",
            "P",
            "Shift+P",
            "Ctrl",
            "Ctrl+",
            "Ctrl+Ctrl+P",
            "Hyper+P",
            "Ctrl+F0",
            "Ctrl+F25",
            "Ctrl+ö",
            "Ctrl+PP",
            "Ctrl+F+5",
        ];
        for text in bad {
            assert_eq!(text.parse::<Shortcut>(), Err(NotShortcut), "{text}");
        }
    }
}
