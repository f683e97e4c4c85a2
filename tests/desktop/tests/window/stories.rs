//! What the scripted model does in these tests.

use serde_json::json;
use support::{Reply, plan_write, step_done};

/// A plan of so many steps, each of which writes one file; then words.
pub fn writes(goal: &str, steps: usize) -> Vec<Reply> {
    let words: Vec<String> = (1..=steps).map(|n| format!("Write page {n}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut replies = vec![plan_write(goal, &words)];
    replies.extend((1..=steps).map(write));
    replies.push(Reply::text("All pages are written."));
    replies
}

/// The turn that does step `n` of such a plan.
pub fn write(n: usize) -> Reply {
    let page = json!({ "path": format!("page-{n}.md"), "content": format!("This is page {n}.\n") });
    Reply::call("write_file", page).and(step_done(&format!("s{n}"), "Written"))
}

/// The same, but the model falls silent before it calls anything, until it is released.
pub fn held(n: usize) -> Reply {
    Reply::text("One moment please.").hold_after(3).and(write(n))
}
