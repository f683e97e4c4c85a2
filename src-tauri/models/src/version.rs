//! The version in a model's name, where providers changed their ways from one to the next.

/// Major and minor, such as (4, 5) for `claude-haiku-4-5-20251001` or (2, 5) for
/// `gemini-2.5-pro`; dates and sizes are no versions.
pub(crate) fn version(model: &str) -> Option<(u32, u32)> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let mut parts = name.split(['-', '.', '_', '@', ':']);
    let number = |part: &str| part.parse::<u32>().ok().filter(|_| part.len() <= 2);
    let major = parts.find_map(number)?;
    let minor = parts.next().and_then(number).unwrap_or(0);
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_wherever_they_stand() {
        for (name, expected) in [
            ("claude-opus-5-5", Some((5, 5))),
            ("claude-opus-5", Some((5, 0))),
            ("claude-haiku-4-5-20251001", Some((4, 5))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("claude-3-7-sonnet-20250219", Some((3, 7))),
            ("anthropic.claude-opus-4-6-v1", Some((4, 6))),
            ("anthropic/claude-opus-4.6", Some((4, 6))),
            ("gemini-2.5-flash-lite", Some((2, 5))),
            ("gemini-3-pro-preview", Some((3, 0))),
            ("models/gemini-3.8-flash", Some((3, 8))),
            ("gpt-5.1-codex", Some((5, 1))),
            ("gpt-6-sol", Some((6, 0))),
            ("gpt-4o", None),
            ("home-large", None),
        ] {
            assert_eq!(version(name), expected, "{name}");
        }
    }
}
