//! A provider that refuses a conversation is asked once more with less of it, so that no room is
//! stuck with what it can't take back.

use crate::history::Less;
use crate::live::LiveRoom;
use models::{MAX_ATTEMPTS, ModelError};

/// What to leave out after this error, if that may help.
pub(super) fn after(
    live: &LiveRoom,
    error: &ModelError,
    failures: u32,
    less: Less,
) -> Option<Less> {
    let there = live.lock().history.as_ref()?.can_leave_out();
    let without_pictures = there.pictures.then_some(Less { pictures: true, ..less });
    match error {
        ModelError::BadRequest { message } if there.kept && names_reasoning(message) => {
            Some(Less { kept: true, ..less })
        }
        ModelError::BadRequest { .. } | ModelError::ContextTooLong => without_pictures,
        // Local servers fail in this way on what their model can't see.
        ModelError::Server { .. } if failures >= MAX_ATTEMPTS => without_pictures,
        ModelError::Server { .. }
        | ModelError::RateLimited { .. }
        | ModelError::Overloaded { .. }
        | ModelError::Quota { .. }
        | ModelError::InvalidKey { .. }
        | ModelError::KeyUnread { .. }
        | ModelError::Forbidden { .. }
        | ModelError::UnknownModel { .. }
        | ModelError::Unusable { .. }
        | ModelError::Unreachable { .. }
        | ModelError::NotJson { .. }
        | ModelError::Malformed { .. }
        | ModelError::UnreadCall { .. }
        | ModelError::Dropped
        | ModelError::Silent { .. }
        | ModelError::Stalled { .. }
        | ModelError::Declined { .. }
        | ModelError::Agent(_) => None,
    }
}

/// Whether a provider complains of reasoning it was told again.
fn names_reasoning(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let words = ["signature", "thinking", "thought", "reasoning", "encrypted"];
    words.iter().any(|word| message.contains(word))
}
