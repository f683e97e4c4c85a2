//! Reports of a step: that it is done, or that it failed.

use super::fields::{Fields, plain};
use super::plan_call::{Wish, said};
use super::{Misread, Scene, outcome, step_ref};
use plan::AfterFailure;

const RESULT: [&str; 4] = ["output", "summary", "message", "note"];
const REASON: [&str; 3] = ["reason", "message", "result"];

/// The end of a step. One that says that it failed is a failure, whatever it is called.
pub(super) fn done(
    fields: &mut Fields,
    scene: &Scene<'_>,
    warnings: &mut Vec<String>,
) -> Result<Wish, Misread> {
    let problem = "step_done says that the step is done; one that is not done yet is not reported, \
                   and one that can't be done is reported with step_failed";
    let unclear = Misread::of("step", problem);
    let failed = outcome::failed(fields, &unclear)?;
    let error = said(fields, "error", &[])?;
    let error = Some(error).filter(|error| !is_none(error));
    let result = said(fields, "result", &RESULT)?;
    if failed != Some(true) && error.is_none() {
        if fields.get("next").is_some_and(|next| *next != "") {
            let problem = format!("`next` is for a step that failed: {problem}");
            return Err(Misread::of("next", problem));
        }
        return Ok(Wish::StepDone { step: step_ref::take(fields, scene)?, result });
    }
    if failed == Some(false) {
        return Err(unclear);
    }
    warnings.push("it says that the step failed, so it was read as step_failed".to_owned());
    let next = next(fields)?.unwrap_or(AfterFailure::Retry);
    let step = step_ref::take(fields, scene)?;
    Ok(Wish::StepFailed { step, error: error.unwrap_or(result), next })
}

/// A step that failed.
pub(super) fn failed(
    fields: &mut Fields,
    scene: &Scene<'_>,
    usual: AfterFailure,
) -> Result<Wish, Misread> {
    let problem = "step_failed says that the step failed; one that is done is reported with \
                   step_done";
    let unclear = Misread::of("error", problem);
    if outcome::failed(fields, &unclear)? == Some(false) {
        return Err(unclear);
    }
    let error = said(fields, "error", &REASON)?;
    let next = next(fields)?.unwrap_or(usual);
    Ok(Wish::StepFailed { step: step_ref::take(fields, scene)?, error, next })
}

fn next(fields: &mut Fields) -> Result<Option<AfterFailure>, Misread> {
    let Some(value) = fields.take("next", &[])? else { return Ok(None) };
    let word = value.as_str().map(plain).unwrap_or_default();
    Ok(Some(match word.as_str() {
        "" => return Ok(None),
        "retry" | "again" | "try_again" => AfterFailure::Retry,
        "skip" | "skip_step" => AfterFailure::Skip,
        "revise" | "replan" | "revise_plan" => AfterFailure::Revise,
        "abort" | "stop" | "cancel" | "give_up" => AfterFailure::Abort,
        _ => {
            let problem = format!("`next` has to be retry, skip, revise or abort, not `{word}`");
            return Err(Misread::of("next", problem));
        }
    }))
}

/// Whether an error says that there is none.
fn is_none(error: &str) -> bool {
    let said = plain(error.trim_end_matches('.'));
    matches!(said.as_str(), "" | "none" | "null" | "no" | "no_error" | "n/a" | "false" | "_")
}
