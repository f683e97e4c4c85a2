//! What a server says during a call: progress to whoever looks, a question to
//! the person.

use crate::chatter::Chatter;
use crate::engine::Engine;
use crate::excerpts::Excerpts;
use crate::live::LiveRoom;
use crate::turn::submit;
use plan::{Ask, AskId, AskKind, CallId, Command, Detail, Event};
use std::pin::Pin;
use std::sync::Arc;
use tools::mcp::{Answer, Field, Listener, Progress, Question, split};

/// A call of a room, as its server can reach it.
pub(super) struct InRoom {
    pub(super) engine: Engine,
    pub(super) live: Arc<LiveRoom>,
    pub(super) call: CallId,
}

impl Listener for InRoom {
    fn progress(&self, progress: Progress) {
        let text = progress.text.map(|text| self.engine.shared.redactor.clean(text));
        let Progress { done, total, .. } = progress;
        self.live.chatter.send(Chatter::Progress { call: self.call, done, total, text });
    }

    fn asked<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(self.ask(question))
    }
}

impl InRoom {
    /// Asks until the words fit what the server wants; none at all decline.
    async fn ask(&self, question: &Question) -> Answer {
        let mut problem = None;
        loop {
            let Some(words) = self.ask_once(question, problem.as_deref()).await else {
                return Answer::Declined;
            };
            if words.trim().is_empty() {
                return Answer::Declined;
            }
            match question.read(&words) {
                Ok(values) => return Answer::Given(values),
                Err(why) => problem = Some(why),
            }
        }
    }

    /// One stored question and its answer; `None` when it is asked no more.
    async fn ask_once(&self, question: &Question, problem: Option<&str>) -> Option<String> {
        let (ask, blobs) = self.question(question, problem);
        let id = ask.id;
        let command = Command::RaiseAsk { ask };
        let raised = submit(&self.engine, &self.live, command, blobs).ok()?;
        let mut watch = self.engine.watch(self.live.id, raised.seq).ok()?;
        loop {
            for (_, event) in watch.next().await.ok()? {
                // Anything else is about something else.
                if let Event::AskAnswered { ask, answer, .. } = &event
                    && *ask == id
                {
                    return Some(answer.clone());
                }
                if matches!(&event, Event::AskWithdrawn { ask, .. } if *ask == id) {
                    return None;
                }
            }
        }
    }

    fn question(
        &self,
        question: &Question,
        problem: Option<&str>,
    ) -> (Ask, Vec<(String, Vec<u8>)>) {
        let mut shown = Excerpts::new(&self.engine.shared.redactor);
        let inner = self.live.lock();
        let call = inner.room.call(self.call);
        let tool = call.map(|call| call.request.tool.clone()).unwrap_or_default();
        let server = split(&tool).map_or(tool.as_str(), |(server, _)| server);
        let mut text = format!("The server {server} asks: {}", question.message);
        if let Some(problem) = problem {
            text = format!("{text} (The last answer did not fit: {problem}.)");
        }
        let mut detail = vec![Detail::new("server", server), Detail::new("tool", tool.clone())];
        detail.extend(question.fields.iter().map(|field| shown.fact("field", words(field))));
        if let [field] = question.fields.as_slice() {
            let options = field.options.iter().map(|option| shown.fact("option", option.as_str()));
            // What is chosen is sent as it stands.
            detail.extend(options.filter(|option| option.whole.is_none()));
        }
        let (text, whole) = shown.question(text, &[]);
        detail.extend(whole);
        let ask = Ask {
            id: AskId(crate::fresh_id()),
            kind: AskKind::Elicitation,
            plan_id: call.and_then(|call| call.plan),
            step_id: call.and_then(|call| call.step.clone()),
            call_id: Some(self.call),
            text,
            detail,
            created_at: self.engine.shared.clock.now(),
        };
        (ask, shown.blobs)
    }
}

/// A field as a person reads it.
fn words(field: &Field) -> String {
    let mut words = format!("{} ({}", field.name, field.kind);
    if field.required {
        words.push_str(", required");
    }
    words.push(')');
    if !field.about.is_empty() {
        words = format!("{words}: {}", field.about);
    }
    if !field.options.is_empty() {
        words = format!("{words}; one of {}", field.options.join(", "));
    }
    words
}
