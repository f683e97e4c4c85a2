//! Finds out what a model can do, by a few short requests to it.

use super::Planning;
use super::answer::{Answer, Patience, ask};
use super::questions::{self, Question};
use crate::config::is_small;
use models::{
    CallForm, Message, Model, ModelError, Profile, Request, ToolSet, ToolSpec, Transcript, Usage,
};
use serde_json::Value;

/// Tokens an answer may have where the model thinks before it.
const THOUGHTS: u32 = 2048;

/// What is asked, and what is known of it before.
pub(super) struct Subject<'a> {
    pub(super) model: &'a dyn Model,
    /// The name its provider knows it by.
    pub(super) name: &'a str,
    /// Its size in billions of parameters, where the server says it.
    pub(super) billions: Option<f64>,
    /// Whether it is small by its name.
    pub(super) small: bool,
    /// Whether it is known to think.
    pub(super) thinks: bool,
    /// The full form of a plan.
    pub(super) plan: ToolSpec,
    pub(super) patience: Patience,
}

/// What was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// What the model can do; nothing of its window.
    pub(super) profile: Profile,
    pub(super) planning: Planning,
}

/// What came of it, and what it took.
pub(super) struct Probed {
    pub(super) found: Result<Found, ModelError>,
    pub(super) usage: Usage,
    pub(super) requests: u32,
}

/// Asks the model. Where it can't be asked at all, nothing is found.
pub(super) async fn probe(subject: Subject<'_>) -> Probed {
    let thinks = subject.thinks;
    let mut probe =
        Probe { subject, thought: thinks, in_words: false, usage: Usage::default(), requests: 0 };
    let found = probe.run().await;
    Probed { found, usage: probe.usage, requests: probe.requests }
}

struct Probe<'a> {
    subject: Subject<'a>,
    /// It was seen to think, or is known to.
    thought: bool,
    /// A call was seen in its words.
    in_words: bool,
    usage: Usage,
    requests: u32,
}

impl Probe<'_> {
    async fn run(&mut self) -> Result<Found, ModelError> {
        let by_itself = self.makes_a_call().await?;
        let forced = self.ask(questions::forced_call()).await?;
        // Words that only look like a call were not forced.
        let forced_tool = forced
            .is_some_and(|answer| answer.calls.iter().any(|call| call.name == questions::READ));
        let schema = self.ask(questions::held_to_schema()).await?;
        let schema = schema.is_some_and(|answer| questions::keeps_schema(&answer));
        let calls = by_itself || forced_tool;
        let parallel = calls && self.makes_two_calls().await?;
        let planning = if calls { self.planning().await? } else { Planning::No };
        let form = match (calls, self.in_words) {
            (false, _) => CallForm::None,
            (true, true) => CallForm::Text,
            (true, false) => CallForm::Native,
        };
        let profile = Profile {
            calls: form,
            simple: planning != Planning::Full,
            parallel,
            schema,
            forced_tool,
            thinks: self.thought,
            window: None,
        };
        Ok(Found { profile, planning })
    }

    /// Whether it makes a call that it is told to make.
    async fn makes_a_call(&mut self) -> Result<bool, ModelError> {
        // A server that refuses tools may also have had a bad moment.
        for _ in 0..2 {
            let answer = match self.must_answer(questions::one_call()).await {
                Ok(answer) => Some(answer),
                // It makes calls, if badly.
                Err(ModelError::UnreadCall { .. }) => return Ok(true),
                Err(error) if is_inability(&error) => None,
                Err(error) => return Err(error),
            };
            if let Some(answer) = answer {
                let calls = !self.calls_of(&answer, questions::NOTE).is_empty();
                if !calls
                    && answer.is_empty()
                    && self.must_answer(questions::plain()).await?.is_empty()
                {
                    let message = "it is empty, whatever is asked".to_owned();
                    return Err(ModelError::Malformed { message });
                }
                return Ok(calls);
            }
            // What refuses every question is no model that can't call tools.
            self.must_answer(questions::plain()).await?;
        }
        Ok(false)
    }

    async fn makes_two_calls(&mut self) -> Result<bool, ModelError> {
        let answer = self.ask(questions::two_calls()).await?;
        Ok(answer.is_some_and(|answer| self.calls_of(&answer, questions::READ).len() > 1))
    }

    /// How it writes plans.
    async fn planning(&mut self) -> Result<Planning, ModelError> {
        let simple = questions::simple_plan();
        if !self.manages(simple, questions::WRITE_PLAN, questions::is_simple_plan).await? {
            return Ok(Planning::No);
        }
        // One good answer to a short question does not make a small model a large one.
        if self.subject.billions.map_or(self.subject.small, is_small) {
            return Ok(Planning::Simple);
        }
        let full = questions::full_plan(self.subject.plan.clone());
        match self.manages(full, questions::PLAN, questions::is_full_plan).await? {
            true => Ok(Planning::Full),
            false => Ok(Planning::Simple),
        }
    }

    /// Whether a question brings a call of this tool with a plan in it.
    async fn manages(
        &mut self,
        question: Question,
        tool: &str,
        is_plan: fn(&Value) -> bool,
    ) -> Result<bool, ModelError> {
        let answer = self.ask(question).await?;
        Ok(answer.is_some_and(|answer| self.calls_of(&answer, tool).iter().any(is_plan)))
    }

    /// The calls of a tool, and takes note of where they stood.
    fn calls_of(&mut self, answer: &Answer, tool: &str) -> Vec<Value> {
        let (calls, in_words) = answer.calls_of(tool);
        self.in_words |= in_words && !calls.is_empty();
        calls
    }

    /// Asks one question; nothing where the server or the model can't do what it asks for.
    async fn ask(&mut self, question: Question) -> Result<Option<Answer>, ModelError> {
        match self.must_answer(question).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if is_inability(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Asks one question; once more with room to think where thoughts took it all.
    async fn must_answer(&mut self, question: Question) -> Result<Answer, ModelError> {
        let most = if self.thought { question.most.max(THOUGHTS) } else { question.most };
        let answer = self.request(&question, most).await?;
        self.thought |= answer.thought;
        if answer.cut && answer.thought && most < THOUGHTS {
            return self.request(&question, THOUGHTS).await;
        }
        Ok(answer)
    }

    async fn request(&mut self, question: &Question, most: u32) -> Result<Answer, ModelError> {
        let model = self.subject.model;
        let protocol = model.protocol();
        let mut transcript = Transcript::new(protocol);
        transcript.push(&Message::User { text: question.words.to_owned() });
        let request = Request {
            model: self.subject.name.to_owned(),
            system: questions::SYSTEM.into(),
            history: transcript.snapshot(),
            tail: None,
            tools: ToolSet::new(protocol, &question.tools),
            max_output: Some(most),
            thinking: None,
            force: question.force.clone(),
        };
        self.requests += 1;
        let answer = ask(model, request, &mut self.subject.patience).await?;
        self.usage = self.usage + answer.usage;
        Ok(answer)
    }
}

/// Whether an error says that this very request can't be done, and not that nobody is there.
fn is_inability(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::BadRequest { .. }
            | ModelError::Server { .. }
            | ModelError::Malformed { .. }
            | ModelError::UnreadCall { .. }
            | ModelError::Declined { .. }
            | ModelError::ContextTooLong
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use futures::stream;
    use models::{CallRequest, ModelEvent, ModelStream, Protocol, Stop};
    use serde_json::json;
    use std::collections::VecDeque;
    use std::sync::Mutex;
    use std::time::Duration;

    type Reply = Result<Vec<ModelEvent>, ModelError>;

    /// Says these in turn; without any, it never answers.
    struct Scripted {
        replies: Mutex<VecDeque<Reply>>,
        limits: Mutex<Vec<Option<u32>>>,
    }

    #[async_trait]
    impl Model for Scripted {
        fn protocol(&self) -> Protocol {
            Protocol::OpenAiChat
        }

        async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
            self.limits.lock().unwrap().push(request.max_output);
            let Some(reply) = self.replies.lock().unwrap().pop_front() else {
                return Ok(Box::pin(stream::pending()));
            };
            Ok(Box::pin(stream::iter(reply?.into_iter().map(Ok))))
        }
    }

    fn answers(events: impl IntoIterator<Item = ModelEvent>) -> Reply {
        let usage = ModelEvent::Usage(Usage { input: 10, output: 1, ..Usage::default() });
        Ok(events.into_iter().chain([usage, ModelEvent::Done(Stop::End)]).collect())
    }

    fn words(text: &str) -> Reply {
        answers([ModelEvent::Text(text.to_owned())])
    }

    fn call(name: &str, arguments: &Value) -> ModelEvent {
        ModelEvent::ToolCall(CallRequest::new("1", name, arguments.to_string()))
    }

    fn note() -> Reply {
        answers([call("note", &json!({ "text": "ready" }))])
    }

    fn forced() -> Reply {
        answers([call("read_file", &json!({ "path": "a" }))])
    }

    fn two() -> Reply {
        answers(["a", "b"].map(|path| call("read_file", &json!({ "path": path }))))
    }

    fn held() -> Reply {
        words(r#"{"colour": "green", "legs": 4}"#)
    }

    fn simple() -> Reply {
        answers([call("write_plan", &json!({ "steps": ["one", "two", "three"] }))])
    }

    fn full() -> Reply {
        let steps = json!(["one", { "text": "two", "needs": [1] }]);
        answers([call("plan", &json!({ "action": "write", "goal": "g", "steps": steps }))])
    }

    fn refused() -> Reply {
        Err(ModelError::BadRequest { message: "no tools here".to_owned() })
    }

    struct Done {
        probed: Probed,
        limits: Vec<Option<u32>>,
        left: usize,
    }

    async fn probing(replies: impl IntoIterator<Item = Reply>, billions: Option<f64>) -> Done {
        let replies: VecDeque<Reply> = replies.into_iter().collect();
        let model = Scripted { replies: Mutex::new(replies), limits: Mutex::default() };
        let probed = probe(Subject {
            model: &model,
            name: "m",
            billions,
            small: false,
            thinks: false,
            plan: crate::turn::plan_spec(),
            patience: Patience::of(Duration::from_millis(20)),
        })
        .await;
        let limits = model.limits.into_inner().unwrap();
        Done { probed, limits, left: model.replies.into_inner().unwrap().len() }
    }

    async fn found(replies: impl IntoIterator<Item = Reply>) -> Found {
        let done = probing(replies, None).await;
        assert_eq!(done.left, 0, "it was asked everything");
        done.probed.found.unwrap()
    }

    const ABLE: Profile = Profile {
        calls: CallForm::Native,
        simple: false,
        parallel: true,
        schema: true,
        forced_tool: true,
        thinks: false,
        window: None,
    };

    #[tokio::test]
    async fn an_able_model_is_known_after_six_requests() {
        let done = probing([note(), forced(), held(), two(), simple(), full()], None).await;
        let Probed { found, usage, requests } = done.probed;
        assert_eq!(found, Ok(Found { profile: ABLE, planning: Planning::Full }));
        assert_eq!((requests, usage.input, usage.output), (6, 60, 6));
        assert!(done.limits.iter().all(|limit| limit.is_some_and(|limit| limit <= 800)));
    }

    #[tokio::test]
    async fn a_model_that_fails_the_full_form_gets_the_simple_one() {
        for bad in [
            answers([call("plan", &json!({ "steps": ["one", "two"] }))]),
            answers([call("plan", &json!({ "action": "write", "goal": "g", "steps": "1. a" }))]),
            answers([call("plan", &json!({ "action": "write", "goal": "", "steps": ["a", "b"] }))]),
            words("First I would make the file a.txt."),
            refused(),
        ] {
            let found = found([note(), forced(), held(), two(), simple(), bad]).await;
            assert_eq!(found.planning, Planning::Simple);
            assert_eq!(found.profile, Profile { simple: true, ..ABLE });
        }
    }

    #[tokio::test]
    async fn a_model_that_manages_no_plan_is_not_asked_for_the_full_form() {
        let one = answers([call("write_plan", &json!({ "steps": ["all of it"] }))]);
        let found = found([note(), forced(), held(), two(), one]).await;
        assert_eq!((found.planning, found.profile.simple), (Planning::No, true));
    }

    #[tokio::test]
    async fn a_small_model_stays_a_small_one() {
        let done = probing([note(), forced(), held(), two(), simple()], Some(1.8)).await;
        let found = done.probed.found.unwrap();
        assert_eq!((found.planning, found.profile.simple), (Planning::Simple, true));
        let large = probing([note(), forced(), held(), two(), simple(), full()], Some(32.0)).await;
        assert_eq!(large.probed.found.unwrap().planning, Planning::Full);
    }

    #[tokio::test]
    async fn calls_in_words_are_a_form_of_their_own() {
        let note = words(r#"<tool_call>{"name":"note","arguments":{"text":"ready"}}</tool_call>"#);
        let one = words("```json\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n```");
        let plan = words(r#"{"name":"write_plan","arguments":{"steps":["a","b"]}}"#);
        let hello = words("Hello!");
        let found =
            found([note, hello, words("Green, and four."), one, plan, words("I can't.")]).await;
        let profile = Profile {
            calls: CallForm::Text,
            simple: true,
            parallel: false,
            schema: false,
            forced_tool: false,
            ..ABLE
        };
        assert_eq!(found, Found { profile, planning: Planning::Simple });
    }

    #[tokio::test]
    async fn a_model_that_ignores_tools_can_only_answer() {
        let found = found([words("ready"), words("Hello!"), held()]).await;
        let calls = CallForm::None;
        let profile = Profile { calls, simple: true, parallel: false, forced_tool: false, ..ABLE };
        assert_eq!(found, Found { profile, planning: Planning::No });
    }

    #[tokio::test]
    async fn a_server_that_refuses_tools_is_one_without() {
        let ready = || words("ready");
        let found =
            found([refused(), ready(), refused(), ready(), refused(), words("Green.")]).await;
        assert_eq!((found.profile.calls, found.planning), (CallForm::None, Planning::No));
    }

    #[tokio::test]
    async fn a_call_that_is_broken_is_a_call_all_the_same() {
        let broken = || {
            let call = CallRequest::new("1", "note", "{\"broken");
            answers([ModelEvent::ToolCall(call)])
        };
        let unread = || {
            let (message, written) = ("no".to_owned(), String::new());
            Err(ModelError::UnreadCall { message, written })
        };
        for first in [broken(), unread()] {
            let found =
                found([first, words("Hello!"), words("no"), words("no"), words("no")]).await;
            assert_eq!((found.profile.calls, found.planning), (CallForm::Native, Planning::No));
        }
    }

    #[tokio::test]
    async fn a_model_that_says_nothing_is_not_taken_for_one_that_answers() {
        let done = probing([words(""), words(" ")], None).await;
        assert!(matches!(done.probed.found, Err(ModelError::Malformed { .. })));
        assert_eq!(done.probed.requests, 2);
    }

    #[tokio::test]
    async fn a_bad_moment_is_not_taken_for_an_inability() {
        let bad =
            Err(ModelError::Server { status: Some(500), retry_after: None, message: "".into() });
        let replies = [bad, words("ready"), note(), forced(), held(), two(), simple(), full()];
        assert_eq!(found(replies).await.profile, ABLE);
    }

    #[tokio::test]
    async fn what_refuses_everything_or_fails_in_between_is_not_judged() {
        let key = || Err(ModelError::InvalidKey { provider: "p".to_owned() });
        for (replies, requests) in [
            (vec![key()], 1),
            (vec![refused(), refused()], 2),
            (vec![note(), forced(), key()], 3),
            (vec![note(), Err(ModelError::Dropped)], 2),
        ] {
            let done = probing(replies, None).await;
            assert!(done.probed.found.is_err());
            assert_eq!(done.probed.requests, requests);
        }
    }

    #[tokio::test]
    async fn a_model_that_never_answers_is_given_up() {
        let done = probing([], None).await;
        assert!(matches!(done.probed.found, Err(ModelError::Silent { .. })));
        assert_eq!(done.probed.requests, 1);
    }

    #[tokio::test]
    async fn a_model_that_thinks_gets_room_to_think() {
        let thought = || ModelEvent::Thinking("hm".to_owned());
        let cut = Ok(vec![thought(), ModelEvent::Done(Stop::Length)]);
        let then = answers([thought(), call("note", &json!({ "text": "ready" }))]);
        let done = probing([cut, then, forced(), held(), two(), simple(), full()], None).await;
        let found = done.probed.found.unwrap();
        assert_eq!(found.profile, Profile { thinks: true, ..ABLE });
        assert_eq!(done.limits[..3], [Some(300), Some(THOUGHTS), Some(THOUGHTS)]);
    }
}
