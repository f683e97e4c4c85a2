//! How much two answers are alike.

use std::collections::BTreeSet;

/// The share of words that two texts have in common, in hundredths (Jaccard).
pub fn overlap(one: &str, other: &str) -> u64 {
    let (one, other) = (words(one), words(other));
    let both = one.intersection(&other).count();
    let all = one.union(&other).count();
    if all == 0 {
        return 100;
    }
    u64::try_from(both * 100 / all).unwrap_or(100)
}

fn words(text: &str) -> BTreeSet<String> {
    let between = |c: char| !c.is_alphanumeric();
    text.split(between).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::overlap;

    #[test]
    fn words_count_once_and_without_their_case() {
        assert_eq!(overlap("Add a test", "add a TEST, a test."), 100);
        assert_eq!(overlap("one two", "three four"), 0);
        assert_eq!(overlap("a b c d", "a b c e"), 60);
        assert_eq!(overlap("", ""), 100);
    }
}
