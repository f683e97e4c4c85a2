//! What a server may ask of us: to hear its progress, and to put a question to
//! a person. Sampling and roots are not offered.

use super::calls::{Answer, Calls, News, Progress, Question};
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, FormElicitationCapability, Implementation, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;

/// The most of a progress message that is passed on, in characters.
const WORDS: usize = 200;

/// Our side of one connection.
pub(super) struct Handler {
    pub(super) calls: Arc<Calls>,
    /// Set when the server says that its tools are others now.
    pub(super) stale: Arc<AtomicBool>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let form = FormElicitationCapability::new();
        let mut can = ClientCapabilities::default();
        can.elicitation = Some(ElicitationCapability::new().with_form(form));
        ClientConfig::new(can, Implementation::new("plancard", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, rmcp::ErrorData> {
        let declined = || ElicitResult::new(ElicitationAction::Decline);
        // A page to open is nothing a server may choose.
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request
        else {
            return Ok(declined());
        };
        let Some(call) = self.calls.oldest() else { return Ok(declined()) };
        let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
        let question = Question::new(&message, &schema);
        let (reply, answered) = oneshot::channel();
        if call.send(News::Asked { question, reply }).await.is_err() {
            return Ok(declined());
        }
        let answer = tokio::select! {
            answer = answered => answer,
            () = context.ct.cancelled() => return Ok(declined()),
        };
        Ok(match answer {
            Ok(Answer::Given(values)) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(values)
            }
            Ok(Answer::Declined) => declined(),
            Err(_) => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    async fn on_progress(
        &self,
        said: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let text = said.message.map(|text| text.chars().take(WORDS).collect());
        let progress = Progress { done: said.progress, total: said.total, text };
        self.calls.progress(&said.progress_token, progress);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.stale.store(true, Ordering::Release);
    }
}
