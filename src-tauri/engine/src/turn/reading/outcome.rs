//! Whether a report says that what it reports failed, in whichever field it says so.

use super::Misread;
use super::fields::{Fields, plain};
use super::shapes::flag;
use serde_json::Value;

const SAID: [&str; 8] =
    ["failed", "success", "succeeded", "done", "completed", "status", "outcome", "state"];

/// Takes out what a report says of how it went; nothing where it does not say. `unclear` is the
/// answer to one that says two things, or nothing that can be read.
pub(super) fn failed(given: &mut Fields, unclear: &Misread) -> Result<Option<bool>, Misread> {
    let mut failed = None;
    for name in SAID {
        let Some(value) = given.take(name, &[])?.filter(|value| *value != "") else { continue };
        let said = says_failed(name, &value).ok_or_else(|| unclear.clone())?;
        if failed.is_some_and(|before| before != said) {
            return Err(unclear.clone());
        }
        failed = Some(said);
    }
    Ok(failed)
}

fn says_failed(name: &str, value: &Value) -> Option<bool> {
    match name {
        "failed" => flag(value),
        "success" | "succeeded" => flag(value).map(|success| !success),
        // Not done yet has not failed.
        "done" | "completed" => flag(value).filter(|done| *done).map(|_| false),
        _ => match plain(value.as_str()?).as_str() {
            "done" | "complete" | "completed" | "success" | "succeeded" | "ok" => Some(false),
            "failed" | "failure" | "fail" | "error" => Some(true),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_report_says_one_thing_or_is_not_read() {
        let read = |value: Value| {
            let mut fields = Fields::of(value.as_object().cloned().unwrap_or_default());
            failed(&mut fields, &Misread::whole("unclear")).map_err(|misread| misread.problem)
        };
        for (said, expected) in [
            (json!({ "result": "x" }), None),
            (json!({ "status": "" }), None),
            (json!({ "success": true, "status": "Completed" }), Some(false)),
            (json!({ "done": true }), Some(false)),
            (json!({ "success": false }), Some(true)),
            (json!({ "failed": "yes" }), Some(true)),
            (json!({ "outcome": "failure" }), Some(true)),
        ] {
            assert_eq!(read(said.clone()), Ok(expected), "{said}");
        }
        for unclear in [
            json!({ "success": true, "status": "failed" }),
            json!({ "done": false }),
            json!({ "status": "in_progress" }),
            json!({ "success": 7 }),
        ] {
            assert!(read(unclear.clone()).is_err(), "{unclear}");
        }
    }
}
