//! Answers of council members as files, where the configuration wants them, until the room goes.

use super::snapshots;
use crate::engine::Engine;
use crate::live::LiveRoom;
use plan::{Content, CouncilId, CouncilStepView, Number, StepSpec};
use std::sync::Arc;

/// Leaves the newest answer of a member with its steps. Labels begin again with each attempt.
pub(super) fn write(engine: &Engine, above: &LiveRoom, member: Number, label: &str, content: &str) {
    let (council, attempt, steps) = {
        let inner = above.lock();
        let Some(council) = inner.room.councils.last() else { return };
        let answer = council.seat(member).and_then(|seat| seat.answers.last());
        let steps = answer.map(|answer| steps_of(&answer.plan)).unwrap_or_default();
        (council.id, council.attempt(), steps)
    };
    let folder = snapshots(engine).join(council.to_string()).join(format!("attempt-{attempt}"));
    let words = engine.shared.redactor.clean(format!("{content}\n\n## Steps\n\n{steps}\n"));
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join(format!("{label}.md")), words));
    if let Err(error) = written {
        tracing::error!(folder = %folder.display(), %error, "an answer could not be left as a file");
    }
}

/// The steps of an answer with all that they say, so that nobody votes for what they can't see.
pub(super) fn steps_of(plan: &Content) -> String {
    let lines = |step: &Arc<StepSpec>| {
        let details = CouncilStepView::of(step).details();
        let details = details.into_iter().map(|detail| format!("\n  {detail}"));
        format!("- {}: {}{}", step.id.0, step.text, details.collect::<String>())
    };
    plan.steps.iter().map(lines).collect::<Vec<_>>().join("\n")
}

/// Removes what a room's councils left.
pub(crate) async fn remove(engine: &Engine, councils: Vec<CouncilId>) {
    let folder = snapshots(engine);
    let remove = move || {
        for council in councils {
            let folder = folder.join(council.to_string());
            match std::fs::remove_dir_all(&folder) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    tracing::error!(folder = %folder.display(), %error, "answers could not be removed");
                }
            }
        }
    };
    let _ = tokio::task::spawn_blocking(remove).await;
}
