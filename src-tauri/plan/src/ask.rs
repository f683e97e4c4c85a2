//! A stored question to a person. Waiting for it is only watching for its answer.

use crate::text::{grouped, without_middle};
use crate::{AskId, CallId, PlanId, StepId, Text, Time};
use serde::{Deserialize, Serialize};

/// What a question is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// May this plan run?
    Approval,
    /// May this call go beyond the plan?
    Drift,
    /// May this call run?
    Permission,
    /// The agent wants to know something.
    Question,
    /// Two versions of one file.
    Conflict,
    /// Did this happen before the app stopped?
    Outcome,
    /// A server wants to know something.
    Elicitation,
}

impl AskKind {
    /// The answers it takes; empty when any words will do.
    pub fn answers(self) -> &'static [&'static str] {
        match self {
            Self::Approval => &["approve", "reject"],
            Self::Drift => &["once", "add", "refuse", "refuse_stop"],
            Self::Permission => &["allow", "always", "refuse", "refuse_stop"],
            Self::Conflict => &["mine", "theirs", "both"],
            Self::Outcome => &["happened", "not", "look"],
            Self::Question | Self::Elicitation => &[],
        }
    }
}

/// A question and what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Ask {
    /// Its name.
    pub id: AskId,
    /// What it is about.
    pub kind: AskKind,
    /// The plan it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<PlanId>,
    /// The step it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<StepId>,
    /// The call that waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The question, in words.
    pub text: String,
    /// What it is about exactly: the call, the rule that "always" would keep, the choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detail: Vec<Detail>,
    /// When it was raised.
    pub created_at: Time,
}

impl Ask {
    /// The detail that says why a sidekick's changes could not be taken over.
    pub const PROBLEM: &'static str = "problem";
    /// The answer to it that tries once more; so does any other but the next two.
    pub const TRY_AGAIN: &'static str = "Try again";
    /// The answer to it that does without the changes.
    pub const LEAVE_OUT: &'static str = "Leave it out";
    /// The details beside it that name each what may not be written.
    pub const PROTECTED: &'static str = "protected";
    /// The answer that takes everything but those over.
    pub const TAKE_REST: &'static str = "Take the rest";
    /// The detail that names what was finished for a sidekick that ended before it was done.
    pub const FINISHED: &'static str = "finished";
    /// The answer to it that takes those files over; the one above does without them.
    pub const TAKE_OVER: &'static str = "Take it over";

    /// The detail that says why a sidekick stands still until a person says what becomes of it.
    pub const WAITS: &'static str = "waits";
    /// The answer to it that lets the sidekick go on; so does any other but the next two.
    pub const GO_ON: &'static str = "Go on";
    /// The answer to it that ends the sidekick.
    pub const STOP: &'static str = "Stop it";
    /// The answer to it that makes what the sidekick said its result, where that is shown.
    pub const TAKE_WORDS: &'static str = "Take it as done";
    /// The detail with what it said.
    pub const SAID: &'static str = "said";

    /// Whether it shows a detail of this name.
    pub fn shows(&self, name: &str) -> bool {
        self.detail.iter().any(|detail| detail.name == name)
    }

    /// What a detail of this name says.
    pub fn told(&self, name: &str) -> Option<&str> {
        let found = self.detail.iter().find(|detail| detail.name == name);
        found.map(|detail| detail.value.as_str())
    }

    /// The answers it takes now: a rule or a grant can be kept only where one is shown, and nothing
    /// is allowed of which a part can't be seen.
    pub fn answers(&self) -> Vec<&'static str> {
        let all = self.kind.answers().iter().copied();
        all.filter(|answer| match *answer {
            "always" => self.shows("rule"),
            "add" => self.shows("grant"),
            _ => true,
        })
        .filter(|answer| {
            !ALLOWING.contains(answer) || !self.detail.iter().any(Detail::lost_its_end)
        })
        .collect()
    }

    /// The texts of which only a part is shown here, where this answer would allow them.
    pub fn allowed_by<'a>(&'a self, answer: &str) -> impl Iterator<Item = &'a Whole> {
        let allows = ALLOWING.contains(&answer);
        self.detail.iter().filter_map(|detail| detail.whole.as_ref()).filter(move |_| allows)
    }
}

/// The answers that let something happen.
const ALLOWING: [&str; 4] = ["allow", "always", "once", "add"];

/// Once, facts of more characters than this lost their end without a word.
const ONCE_CUT: usize = 1_000;

/// One named fact of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Detail {
    /// What it is: `tool`, `target`, `rule`, `option`.
    pub name: String,
    /// What it says; of a long text its beginning and its end, and between them how much is left
    /// out.
    pub value: String,
    /// All of it, where this is not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Whole>,
}

/// A text that is kept beside the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Whole {
    /// BLAKE3 of it, in hex: its name at `/v1/blobs/{hash}`.
    pub blob: String,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Detail {
    /// A named fact.
    pub fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.into(), whole: None }
    }

    /// The fact with at most so many characters of it shown; and the blob to keep beside the log
    /// where it has more.
    pub fn cut(name: &str, text: String, most: usize) -> (Self, Option<(String, Vec<u8>)>) {
        let Some(shown) = without_middle(&text, most) else { return (Self::new(name, text), None) };
        let blob = blake3::hash(text.as_bytes()).to_hex().to_string();
        let whole = Whole { blob: blob.clone(), bytes: text.len() as u64 };
        let detail = Self { name: name.to_owned(), value: shown, whole: Some(whole) };
        (detail, Some((blob, text.into_bytes())))
    }

    /// A fact that is kept beside the log already, or short enough to stand here.
    pub(crate) fn of(name: &str, text: &Text) -> Self {
        let Text::Blob { blob, bytes, head } = text else { return Self::new(name, text.head()) };
        let left = bytes.saturating_sub(head.len() as u64);
        let whole = Whole { blob: blob.clone(), bytes: *bytes };
        let value = format!("{head} … {} bytes left out …", grouped(left));
        Self { name: name.to_owned(), value, whole: Some(whole) }
    }

    /// Whether it was asked when long facts lost their end, and did.
    fn lost_its_end(&self) -> bool {
        let cut = ["target", "arguments", "description"].contains(&self.name.as_str());
        cut && self.whole.is_none() && self.value.chars().count() >= ONCE_CUT
    }
}
