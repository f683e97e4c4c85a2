//! What a model's name says of it: its family, kept in `families.yaml`, and its size.

use std::path::PathBuf;
use std::sync::LazyLock;

use super::abilities::Abilities;
use super::model_size::{in_part, is_active_part, is_small};
use super::report::Report;
use super::section::Section;
use super::tree::Source;
use super::yaml;

static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| read().0);

#[derive(Debug)]
struct Family {
    parts: Vec<String>,
    abilities: Abilities,
}

/// What a name says: the abilities of the family, and whether it is small by its size.
pub(crate) fn named(name: &str) -> Abilities {
    let Name { parts, billions } = Name::of(name);
    let fits = |family: &&Family| {
        parts.windows(family.parts.len()).any(|window| window == family.parts.as_slice())
    };
    let family = FAMILIES.iter().filter(fits).max_by_key(|family| family.parts.len());
    let family = family.map_or_else(Abilities::default, |family| family.abilities);
    let sized = Abilities { simple: billions.map(is_small), ..Abilities::default() };
    sized.or(family)
}

/// A name in the parts that families are told apart by.
struct Name {
    parts: Vec<String>,
    /// The size, where the name says one.
    billions: Option<f64>,
}

impl Name {
    /// `Qwen/Qwen2.5-Coder-7B` is `qwen`, `qwen`, `2.5`, `coder`, of 7 billion.
    fn of(name: &str) -> Self {
        let name = name.to_lowercase();
        let (mut parts, mut billions) = (Vec::new(), None);
        for part in name.split(['-', '_', ':', '/', ' ', '@']).filter(|part| !part.is_empty()) {
            if let Some(size) = in_part(part) {
                billions = billions.or(Some(size));
            } else if !is_active_part(part) {
                split_numbers(part, &mut parts);
            }
        }
        Self { parts, billions }
    }
}

/// Parts `llama3.1` into `llama` and `3.1`, so that it is the same as `llama-3.1`.
fn split_numbers(part: &str, parts: &mut Vec<String>) {
    let mut begins = true;
    let mut was_number = false;
    for letter in part.chars() {
        let number = letter.is_ascii_digit() || (letter == '.' && was_number);
        if begins || number != was_number {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push(letter);
        }
        (begins, was_number) = (false, number);
    }
}

fn read() -> (Vec<Family>, Report) {
    let report = Report::new(PathBuf::from("families.yaml"), PathBuf::new());
    let root = yaml::read(include_str!("families.yaml"), Source::Person, &report);
    let mut families = Vec::new();
    for (name, node, path) in Section::new(&report, "", root.as_ref()).named() {
        let section = Section::new(&report, path, Some(node));
        let abilities = Abilities::read(&section);
        section.finish();
        families.push(Family { parts: Name::of(name).parts, abilities });
    }
    (families, report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::CallForm;

    #[test]
    fn the_families_have_no_mistakes_and_none_twice() {
        let (families, report) = read();
        assert_eq!(report.into_parts(), (vec![], vec![]));
        let mut names: Vec<&[String]> = families.iter().map(|one| one.parts.as_slice()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), families.len());
        assert!(names.iter().all(|name| !name.is_empty()));
    }

    #[test]
    fn one_model_is_the_same_under_the_names_that_hosts_give_it() {
        let coder = named("qwen2.5-coder:1.5b");
        assert_eq!((coder.tools, coder.simple), (Some(CallForm::Text), Some(true)));
        for name in [
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "Qwen2.5_Coder_1.5B",
        ] {
            assert_eq!(named(name), coder, "{name}");
        }
        let llama = named("llama3.1:8b");
        assert_eq!((llama.parallel, llama.simple), (Some(false), Some(true)));
        assert_eq!(named("meta-llama/Meta-Llama-3.1-8B-Instruct"), llama);
    }

    #[test]
    fn a_size_in_the_name_counts_more_than_the_usual_one() {
        for (name, simple) in [
            ("qwen2.5-coder", Some(true)),
            ("qwen2.5-coder:32b", Some(false)),
            ("qwen3:30b-a3b", Some(false)),
            ("qwen3:4b-thinking", Some(true)),
            ("mixtral:8x7b", Some(false)),
            ("mistral:7b", Some(true)),
            ("gemma3:270m", Some(true)),
            ("gemma3n:e4b", Some(true)),
            ("gpt-oss:20b", Some(false)),
            ("phi4", None),
            ("unheard-of-3b", Some(true)),
            ("unheard-of-9b", Some(false)),
            ("unheard-of", None),
        ] {
            assert_eq!(named(name).simple, simple, "{name}");
        }
    }

    #[test]
    fn the_longest_family_that_fits_counts() {
        assert_eq!(named("qwen3:8b").thinks, Some(true));
        assert_eq!(named("qwen3-4b-instruct-2507").thinks, Some(false));
        assert_eq!(named("qwen3-coder:30b").thinks, Some(false));
        assert_eq!(named("deepseek-r1:14b").thinks, Some(true));
        assert_eq!(named("gpt-oss:120b").thinks, Some(true));
        assert_eq!(named("anthropic/claude-sonnet-4.5").tools, Some(CallForm::Native));
        assert_eq!(named("openai/gpt-4o-mini").tools, Some(CallForm::Native));
    }

    #[test]
    fn a_family_is_no_part_of_another_word_or_number() {
        // Not version 3 of 0b, nor version 2 of 0b.
        assert_eq!(named("qwen-30b").thinks, None);
        for name in ["dolphin-mini", "small", "m", "", "/", "gpt", "pygmalion", "llamafile"] {
            assert!(!named(name).is_some(), "{name}");
        }
    }
}
