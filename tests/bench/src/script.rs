//! What the model says in each turn of a plan, and when it was asked.
//!
//! ```text
//! turn 0: write the plan; 1: call a tool, 2: step_done of step 1; 3, 4: step 2; … last: words
//! ```
//! The first message of a conversation names its number, so that many can go on at once.

use bytes::Bytes;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use support::{FastModel, Reply, plan_write, sse_body, start_thinking, step_done};
use tokio::sync::watch;

use crate::Outcome;

const MARK: &[u8] = br#""role":"user","content":"room "#;
const DIGITS: usize = 4;

/// How long a plan may take before it is given up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A script that every conversation follows, plan after plan.
pub struct Script {
    steps: usize,
    replies: Vec<Bytes>,
    conversations: Vec<Mutex<Vec<Instant>>>,
    /// Where the mark was found before: what comes in front of it never changes.
    mark_at: AtomicUsize,
    sample: Mutex<Option<Vec<u8>>>,
    ended: watch::Sender<usize>,
}

impl Script {
    /// A plan of this many steps, each with the same tool call.
    pub fn plan(steps: usize, call: &Reply, conversations: usize) -> Arc<Self> {
        let words: Vec<String> = (1..=steps).map(|step| format!("Do part {step} of it")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut replies = vec![sse_body(&counted(plan_write("Do it in parts", &words)))];
        for step in 1..=steps {
            replies.push(sse_body(&counted(call.clone())));
            replies.push(sse_body(&counted(step_done(&format!("s{step}"), "this part is done"))));
        }
        replies.push(sse_body(&counted(Reply::text("It is done."))));
        Self::new(steps, replies, conversations)
    }

    /// Words alone, whatever is said.
    pub fn words(conversations: usize) -> Arc<Self> {
        Self::new(0, vec![sse_body(&counted(Reply::text("Yes.")))], conversations)
    }

    fn new(steps: usize, replies: Vec<Bytes>, conversations: usize) -> Arc<Self> {
        Arc::new(Self {
            steps,
            replies,
            conversations: (0..conversations).map(|_| Mutex::default()).collect(),
            mark_at: AtomicUsize::new(0),
            sample: Mutex::default(),
            ended: watch::Sender::new(0),
        })
    }

    /// A server that follows it.
    pub async fn serve(self: &Arc<Self>) -> FastModel {
        self.serve_after(Duration::ZERO).await
    }

    /// One that takes this long for each answer.
    pub async fn serve_after(self: &Arc<Self>, thinks: Duration) -> FastModel {
        let script = Arc::clone(self);
        start_thinking(thinks, move |_, body| script.reply(body)).await
    }

    /// What a person says to start a plan.
    pub fn message(conversation: usize) -> String {
        format!("room {conversation:0DIGITS$}: please do it")
    }

    /// How many steps a plan has.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// How many plans have come to their last turn, in all conversations.
    pub fn ended(&self) -> usize {
        *self.ended.borrow()
    }

    /// Returns when this many plans have come to their last turn.
    pub async fn wait_for_ended(&self, plans: usize) -> Outcome {
        let mut ended = self.ended.subscribe();
        let reached = tokio::time::timeout(PATIENCE, ended.wait_for(|ended| *ended >= plans));
        match reached.await {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("{} of {plans} plans came to their last turn", self.ended())),
        }
    }

    /// A request from the middle of the first plan.
    pub fn sample(&self) -> Option<Vec<u8>> {
        lock(&self.sample).clone()
    }

    /// When the last turn of a conversation was asked for.
    pub fn last_turn(&self, conversation: usize) -> Option<Instant> {
        lock(&self.conversations[conversation]).last().copied()
    }

    /// How long each step of a conversation took, in order.
    pub fn step_times(&self, conversation: usize) -> Vec<Duration> {
        let turns = lock(&self.conversations[conversation]);
        let plans = turns.chunks_exact(self.replies.len());
        plans.flat_map(|plan| plan[1..].windows(3).step_by(2).map(|at| at[2] - at[0])).collect()
    }

    fn reply(&self, body: &[u8]) -> Bytes {
        let now = Instant::now();
        let conversation = self.conversation_of(body);
        let turn = {
            let mut turns = lock(&self.conversations[conversation]);
            turns.push(now);
            turns.len() - 1
        };
        // Any other conversation is as good, but the first is always there.
        if conversation == 0 && turn == self.replies.len() / 2 {
            *lock(&self.sample) = Some(body.to_vec());
        }
        let turn = turn % self.replies.len();
        if turn + 1 == self.replies.len() {
            self.ended.send_modify(|ended| *ended += 1);
        }
        self.replies[turn].clone()
    }

    fn conversation_of(&self, body: &[u8]) -> usize {
        let known = self.mark_at.load(Ordering::Relaxed);
        let at = if body.get(known..).is_some_and(|rest| rest.starts_with(MARK)) {
            known
        } else {
            let found = body.windows(MARK.len()).position(|window| window == MARK);
            let found = found.expect("every conversation begins with a message that was scripted");
            self.mark_at.store(found, Ordering::Relaxed);
            found
        };
        let digits = &body[at + MARK.len()..][..DIGITS];
        digits.iter().fold(0, |number, digit| number * 10 + usize::from(digit - b'0'))
    }
}

/// With the tokens a provider would report, so that usage is added up as in real life.
fn counted(reply: Reply) -> Reply {
    reply.usage(1_000, 50)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
