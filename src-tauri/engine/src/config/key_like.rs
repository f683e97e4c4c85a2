//! Problems quote what stands in a file, and a key may stand in any place of it by mistake. They
//! are shown on the error output before anything is known to be secret, so what looks like a key is
//! left out by its looks.

/// How keys of well-known providers begin.
const BEGINNINGS: &[&str] = &["sk-", "sk_", "xai-", "gsk_", "ghp_", "github_pat_", "hf_", "AIza"];

/// No key is shorter.
const SHORTEST: usize = 20;

/// The text with a sign in the place of everything that looks like a key.
pub(super) fn left_out(text: &str) -> String {
    let part_of = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find(part_of) {
        let (before, word) = rest.split_at(begin);
        let end = word.find(|letter| !part_of(letter)).unwrap_or(word.len());
        shown.push_str(before);
        shown.push_str(if is_key(&word[..end]) { "…" } else { &word[..end] });
        rest = &word[end..];
    }
    shown + rest
}

/// Long, and with a known beginning or all kinds of letters in one run.
fn is_key(word: &str) -> bool {
    let mixed = |run: &str| {
        run.len() >= SHORTEST
            && run.contains(|letter: char| letter.is_ascii_digit())
            && run.contains(|letter: char| letter.is_ascii_uppercase())
            && run.contains(|letter: char| letter.is_ascii_lowercase())
    };
    let known = BEGINNINGS.iter().any(|begin| word.starts_with(begin));
    word.len() >= SHORTEST && (known || word.split(['-', '_']).any(mixed))
}

#[cfg(test)]
mod tests {
    use super::left_out;

    #[test]
    fn keys_are_left_out_and_names_are_not() {
        assert_eq!(left_out("is \"sk-ant-0123456789abcdef\"; no"), "is \"…\"; no");
        assert_eq!(left_out("a.AIzaSyA0123456789bcdefgh is"), "a.… is");
        assert_eq!(left_out("Zm9vYmFyMTIzNDU2Nzg5MA"), "…");
        for names in [
            "claude-sonnet-4-5-20250929, Meta-Llama-3.1-70B-Instruct-GGUF",
            "providers.home.key_env is MY_LONG_VARIABLE_NAME_2",
            "sk-short; 12345678901234567890 é",
            "orchestrator.coordination.enable_planning_mode",
        ] {
            assert_eq!(left_out(names), names);
        }
    }
}
