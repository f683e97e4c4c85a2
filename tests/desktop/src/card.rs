//! The plan card as it is on the screen.

use serde::Deserialize;

/// What a person reads on the card.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Card {
    /// The state, as the plan has it.
    pub state: String,
    /// The words on the pill.
    pub pill: String,
    /// What the plan is for.
    pub goal: String,
    /// The glyphs of the steps in order.
    pub glyphs: String,
    /// The names of its buttons.
    pub buttons: Vec<String>,
}

impl Card {
    /// How many steps have this glyph.
    pub fn count(&self, glyph: char) -> usize {
        self.glyphs.chars().filter(|known| *known == glyph).count()
    }
}

/// Reads the card; null without one.
pub const READ: &str = r#"
const card = document.querySelector('section[aria-label="Plan"]')
if (!card) return null
const name = (button) => button.getAttribute('aria-label') ?? [...button.childNodes]
  .filter((node) => node.ariaHidden !== 'true').map((node) => node.textContent).join('').trim()
return {
  state: card.dataset.state,
  pill: card.querySelector('header .what > :first-child').textContent.trim(),
  goal: card.querySelector('h2').textContent.trim(),
  glyphs: [...card.querySelectorAll('[data-glyph]')].map((glyph) => glyph.dataset.glyph).join(''),
  buttons: [...card.querySelectorAll('button')].map(name),
}
"#;
