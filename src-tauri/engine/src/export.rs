//! A plan as a text that can be kept or sent.

mod council;

pub use council::{
    council, json, markdown as council_markdown, with_council, without_plan as council_without_plan,
};

use crate::engine::Engine;
use crate::error::EngineError;
use plan::{Approval, How, PlanView, Time, Usage};
use std::fmt::Write;
use uuid::Uuid;

/// A plan to be written down: a long result is in it as a whole, not only its beginning.
pub fn plan(engine: &Engine, id: Uuid) -> Result<Option<PlanView>, EngineError> {
    Ok(engine.plan(id)?.map(|plan| engine.in_full(plan)))
}

/// A name for a file that holds the plan, without an ending.
pub fn file_name(plan: &PlanView) -> String {
    let words = plan.title.as_deref().unwrap_or(&plan.goal);
    let plain: String =
        words.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).take(60).collect();
    let name = plain.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase();
    if name.is_empty() { "plan".to_owned() } else { name }
}

/// The plan as Markdown: what it was for, how each step went, what came of it, what it cost.
pub fn markdown(plan: &PlanView) -> String {
    let mut text = format!("# {}\n\n", plan.title.as_deref().unwrap_or(&plan.goal));
    if plan.title.is_some() && plan.title.as_deref() != Some(&plan.goal) {
        let _ = writeln!(text, "{}\n", plan.goal);
    }
    if let Some(rationale) = &plan.rationale {
        let _ = writeln!(text, "> {}\n", rationale.replace('\n', "\n> "));
    }
    let state = plan.state.replace('_', " ");
    let _ = writeln!(text, "State: {state}, revision {}.\n", plan.revision);
    for step in &plan.steps {
        let glyph = match step.status.as_str() {
            "done" => "✓",
            "failed" => "✗",
            "skipped" => "—",
            "in_progress" => "▶",
            _ => "○",
        };
        let _ = write!(text, "{}. {glyph} {}", step.number, step.text);
        if let (Some(tool), Some(target)) = (&step.tool, &step.target) {
            let _ = write!(text, " (`{tool}` `{target}`)");
        }
        text.push('\n');
        if let Some(result) = &step.result {
            let _ = writeln!(text, "   {result}");
        }
        for path in &step.changed {
            let _ = writeln!(text, "   - changed `{path}`");
        }
    }
    if let Some(result) = &plan.result {
        let _ = writeln!(text, "\n## Result\n\n{}", result.head().trim());
    }
    let usage = &plan.usage;
    let _ = writeln!(text, "\n{} tokens in, {} out, {}.", usage.input, usage.output, cost(usage));
    if let Some(approval) = &plan.approval {
        let _ = writeln!(
            text,
            "Approved by {} (revision {}).",
            approval.by.principal, approval.revision
        );
        amended(&mut text, plan, approval);
    }
    beyond(&mut text, plan);
    text
}

/// Money, as on the card. Where a model has no price, none is counted.
fn cost(usage: &Usage) -> String {
    let micros = usage.cost_micros;
    match micros {
        0 if usage.tokens() > 0 => "cost not known".to_owned(),
        1..5_000 => "under $0.01".to_owned(),
        _ => format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000),
    }
}

/// What a person allowed by hand after that, or no longer.
fn amended(text: &mut String, plan: &PlanView, approval: &Approval) {
    for (index, one) in approval.amended.iter().enumerate() {
        if index == 0 {
            text.push_str("\n## Allowed by hand since\n\n");
        }
        let step = plan.steps.iter().find(|step| step.id == one.step);
        let number = step.map_or(0, |step| step.number);
        let (was, now, by, at) = (&one.was, &one.now, &one.by.principal, moment(one.at));
        let _ = writeln!(text, "- step {number}: `{was}` → `{now}`, by {by}, {at}");
    }
}

fn moment(at: Time) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| String::new(), |at| at.to_string())
}

/// What was done that no step names.
fn beyond(text: &mut String, plan: &PlanView) {
    let Some(report) = plan.report.as_ref() else { return };
    let lines = report.lines.iter();
    let deeds = lines.flat_map(|line| line.beyond.iter().map(move |deed| (line.number, deed)));
    for (index, (number, deed)) in deeds.enumerate() {
        if index == 0 {
            text.push_str("\n## Beyond the plan\n\n");
        }
        let how = match deed.how {
            How::Planned => "planned",
            How::Once => "allowed once",
            How::Added => "added to the plan",
            How::Warned => "with a warning",
            How::Unplanned => "by the rules alone",
        };
        let touches = deed.touches.join(", ");
        let _ = writeln!(text, "- step {number}: `{}` `{touches}`, {how}", deed.tool);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_that_is_not_known_is_not_nothing() {
        let said = |output, cost_micros| cost(&Usage { output, cost_micros, ..Usage::default() });
        assert_eq!(said(7, 0), "cost not known");
        assert_eq!(said(7, 4_000), "under $0.01");
        assert_eq!(said(7, 1_060_000), "$1.06");
        assert_eq!(said(0, 0), "$0.00");
    }
}
