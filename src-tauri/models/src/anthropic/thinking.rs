//! How a Claude model is told to think, which changed from version to version.
//!
//! ```text
//!   up to 4.5   a budget in tokens; off unless asked for
//!   from 4.6    adaptive, with an effort; off unless asked for
//!   from 5.0    adaptive, with an effort; can't be turned off on most
//!   from 5.1    the same, and earlier thinking is bound to all that stood before it
//! ```
//!
//! What stands before a turn changes here: the plan is told anew after the history at every turn,
//! and the plan mode is part of the standing instructions. So bound models are asked to drop
//! thinking that no longer fits, instead of refusing the request.

use serde_json::{Value, json};

use crate::version::version;
use crate::{Request, Thinking};

const BOUND: (u32, u32) = (5, 1);

/// The header that lets thinking be dropped, for models that bind it.
pub(super) fn beta(model: &str) -> Option<&'static str> {
    (version(model) >= Some(BOUND)).then_some("thinking-binding-controls-2026-08-01")
}

/// The fields of a request that say how to think, each with its comma. `most` is how many tokens
/// the answer may have, thinking included.
pub(super) fn fields(request: &Request, most: u32) -> String {
    let version = version(&request.model);
    if version < Some((4, 6)) {
        return budget(request, most).map_or_else(String::new, |thinking| field(&thinking));
    }
    let mut adaptive = json!({ "type": "adaptive", "display": "summarized" });
    let bound = version >= Some(BOUND);
    if bound {
        adaptive["block_binding"] = json!({ "prefix_mismatch_behavior": "drop_block" });
    }
    let effort = |effort: &str| format!(r#""output_config":{{"effort":"{effort}"}},"#);
    match request.thinking {
        None if bound => field(&adaptive),
        None => String::new(),
        Some(Thinking::Off) if bound => field(&adaptive) + &effort("low"),
        // These think by themselves, and most refuse to be told not to.
        Some(Thinking::Off) if version >= Some((5, 0)) => effort("low"),
        Some(Thinking::Off) => String::new(),
        Some(some) => field(&adaptive) + &some.effort().map_or_else(String::new, effort),
    }
}

/// A budget, unless the model is in the middle of a turn that another began: it would be refused
/// for lack of its own thoughts at the beginning.
fn budget(request: &Request, most: u32) -> Option<Value> {
    let tokens = request.thinking.and_then(Thinking::tokens)?;
    let room = most.saturating_sub(Thinking::FEWEST);
    if request.history.is_unthought() || room < Thinking::FEWEST {
        return None;
    }
    Some(json!({ "type": "enabled", "budget_tokens": tokens.min(room) }))
}

fn field(thinking: &Value) -> String {
    format!(r#""thinking":{thinking},"#)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Protocol, ToolSet, Transcript};

    fn told(model: &str, thinking: Option<Thinking>) -> String {
        let request = Request {
            model: model.into(),
            system: "".into(),
            history: Transcript::new(Protocol::Anthropic).snapshot(),
            tail: None,
            tools: ToolSet::new(Protocol::Anthropic, &[]),
            max_output: None,
            thinking,
            force: None,
        };
        fields(&request, 32_000)
    }

    #[test]
    fn each_version_is_told_in_its_own_way() {
        let low = Some(Thinking::Low);
        assert_eq!(
            told("claude-haiku-4-5", low),
            r#""thinking":{"budget_tokens":2048,"type":"enabled"},"#
        );
        assert_eq!(
            told("claude-haiku-4-5", Some(Thinking::Tokens(90_000))),
            r#""thinking":{"budget_tokens":30976,"type":"enabled"},"#
        );
        assert_eq!(told("claude-haiku-4-5", Some(Thinking::Off)), "");
        assert_eq!(told("claude-opus-5", None), "");
        assert_eq!(
            told("claude-opus-5", low),
            r#""thinking":{"display":"summarized","type":"adaptive"},"output_config":{"effort":"low"},"#
        );
        assert_eq!(
            told("claude-opus-5", Some(Thinking::Off)),
            r#""output_config":{"effort":"low"},"#
        );
        assert_eq!(
            told("claude-opus-5-5", None),
            r#""thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block"},"display":"summarized","type":"adaptive"},"#
        );
        assert_eq!(beta("claude-opus-5"), None);
        assert!(beta("claude-opus-5-5").is_some());
        assert_eq!(beta("kimi-latest"), None);
    }
}
