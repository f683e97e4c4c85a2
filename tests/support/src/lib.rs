//! What tests and the benchmark lean on: a model that says what it is told to, a folder to work
//! in, and a way to wait.
//!
//! A test scripts the model and asserts on what the model was asked next:
//!
//! ```ignore
//! let model = ScriptedModel::start(Script::Replies(vec![
//!     plan_write("tidy up", &["look", "sweep"]),
//!     step_done("s1", "looked"),
//! ])).await;
//! // … point the engine at model.base_url(), say something …
//! assert_eq!(model.request(1).await.tool_results().len(), 1);
//! ```

mod fast_model;
mod hold;
mod plan_calls;
mod program;
mod protocols;
mod recorded;
mod registry;
mod reply;
mod script;
mod scripted_model;
mod self_signed;
mod sse;
mod stream;
mod wait;
mod workspace;

pub use fast_model::{FastModel, start_fast, start_thinking};
pub use plan_calls::{
    ask_user, plan_cancel, plan_revise, plan_run, plan_status, plan_write, plan_write_with,
    sidekick_complete, spawn_sidekick, step_done, step_failed, submit_plan,
};
pub use program::program;
pub use recorded::{Ending, Recorded};
pub use registry::{REGISTRY_TOKEN, Registry};
pub use reply::Reply;
pub use script::Script;
pub use scripted_model::ScriptedModel;
pub use self_signed::self_signed;
pub use sse::sse_body;
pub use wait::{wait_for, wait_for_some};
pub use workspace::TempWorkspace;
