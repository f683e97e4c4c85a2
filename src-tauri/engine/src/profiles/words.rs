//! What a model can do, in short sentences.

use super::{KnownProfile, Planning, ProfileSource};
use crate::config::ModelRef;
use models::{CallForm, Protocol};

/// What is known of a model, with what would plan better for it.
pub(super) fn of(
    protocol: Option<Protocol>,
    known: &KnownProfile,
    better: Option<&str>,
) -> Vec<String> {
    match protocol {
        Some(Protocol::Acp) => {
            return vec!["External agent: it plans and uses tools in its own way.".to_owned()];
        }
        Some(Protocol::Rehearsal) => {
            return vec!["Built in: it plays scenarios and works offline.".to_owned()];
        }
        Some(
            Protocol::OpenAiChat
            | Protocol::OpenAiResponses
            | Protocol::Anthropic
            | Protocol::Gemini,
        )
        | None => {}
    }
    let mut words = vec![about_plans(known).to_owned()];
    let profile = &known.profile;
    let seen = match known.source {
        ProfileSource::Config | ProfileSource::Probe | ProfileSource::Table => true,
        ProfileSource::Name | ProfileSource::Default => false,
    };
    if seen && profile.calls == CallForm::Text {
        words.push("Writes tool calls as text.".to_owned());
    }
    if seen && profile.calls != CallForm::None && !profile.parallel {
        words.push("Makes one tool call at a time.".to_owned());
    }
    if seen && profile.thinks {
        words.push("Thinks before it answers.".to_owned());
    }
    if let Some(window) = profile.window {
        words.push(format!("Window: {} tokens.", grouped(window)));
    }
    if let Some(better) = better {
        words.push(format!("Set plan_model to {better}: it plans, and this model does the steps."));
    }
    words
}

/// Why a model was not checked.
pub(super) fn not_checked(model: &ModelRef, why: &str) -> String {
    let end = if why.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("Couldn't check {model}: {why}{end}")
}

fn about_plans(known: &KnownProfile) -> &'static str {
    match (known.source, known.planning) {
        (ProfileSource::Default, _) => "Not checked yet: treated as able.",
        (ProfileSource::Name, Planning::Full) => "Not checked yet: treated as able.",
        (ProfileSource::Name, Planning::Simple | Planning::No) => {
            "Not checked yet: small by its name, so it gets the simple plan form."
        }
        (ProfileSource::Config | ProfileSource::Probe | ProfileSource::Table, planning) => {
            match planning {
                Planning::Full => "Plans reliably.",
                Planning::Simple => "Plans with the simple form.",
                Planning::No if known.profile.calls == CallForm::None => {
                    "Doesn't call tools: it can only answer."
                }
                Planning::No => "Struggles with tools: use it for single steps.",
            }
        }
    }
}

/// `16,384`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::Profile;

    fn known(source: ProfileSource, planning: Planning, profile: Profile) -> KnownProfile {
        KnownProfile { profile, planning, source, checked_at: None }
    }

    fn said(known: &KnownProfile) -> String {
        of(Some(Protocol::OpenAiChat), known, None).join(" ")
    }

    #[test]
    fn each_kind_of_model_has_its_words() {
        let able = Profile { window: Some(1_000_000), ..Profile::default() };
        let small = Profile { simple: true, parallel: false, window: Some(4096), ..able };
        let none = Profile { calls: CallForm::None, window: None, ..small };
        let text = Profile { calls: CallForm::Text, thinks: true, window: None, ..able };
        use ProfileSource::{Config, Default, Name, Probe, Table};
        for (known, words) in [
            (known(Table, Planning::Full, able), "Plans reliably. Window: 1,000,000 tokens."),
            (
                known(Probe, Planning::Simple, small),
                "Plans with the simple form. Makes one tool call at a time. Window: 4,096 tokens.",
            ),
            (
                known(Probe, Planning::No, text),
                "Struggles with tools: use it for single steps. Writes tool calls as text. Thinks \
                 before it answers.",
            ),
            (known(Config, Planning::No, none), "Doesn't call tools: it can only answer."),
            (
                known(Default, Planning::Full, Profile::default()),
                "Not checked yet: treated as able.",
            ),
            (
                known(Name, Planning::Simple, small),
                "Not checked yet: small by its name, so it gets the simple plan form. Window: \
                 4,096 tokens.",
            ),
        ] {
            assert_eq!(said(&known), words);
        }
    }

    #[test]
    fn what_is_no_model_of_a_provider_is_said() {
        let known = known(ProfileSource::Default, Planning::Full, Profile::default());
        let words = |protocol| of(Some(protocol), &known, None).concat();
        assert!(words(Protocol::Acp).starts_with("External agent:"));
        assert!(words(Protocol::Rehearsal).starts_with("Built in:"));
    }

    #[test]
    fn a_better_planner_is_named_last() {
        let known = known(ProfileSource::Probe, Planning::Simple, Profile::default());
        let words = of(None, &known, Some("home/large"));
        assert_eq!(
            words.last().unwrap(),
            "Set plan_model to home/large: it plans, and this model does the steps."
        );
    }

    #[test]
    fn numbers_are_grouped() {
        let shown = [0, 999, 1000, 32_768, 1_048_576].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "32,768", "1,048,576"]);
    }
}
