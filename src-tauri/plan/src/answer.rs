//! What the model is told after it called `plan` or `submit_plan`.

use crate::{Plan, Room, allows, granted};
use serde_json::{Value, json};

/// The plan with the names of its steps.
pub fn whole(plan: &Plan) -> Value {
    let step = |step: &crate::Step| json!({ "id": step.spec.id, "text": step.spec.text, "status": step.state.word() });
    json!({
        "plan_id": plan.id,
        "revision": plan.revision,
        "state": plan.state.word(),
        "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

/// After writing: the plan, and what approval will not cover.
pub fn written(room: &Room) -> Value {
    let Some(plan) = &room.plan else { return Value::Null };
    let mut value = whole(plan);
    value["warnings"] = json!(warnings(room, plan));
    value
}

/// After a person approved: to `submit_plan` the two facts that were promised, and to `plan` the
/// rest too.
pub fn approved(room: &Room, submitted: bool) -> Value {
    let Some(plan) = &room.plan else { return Value::Null };
    if submitted {
        return json!({ "approved": true, "plan_id": plan.id });
    }
    let mut value = written(room);
    value["approved"] = json!(true);
    value
}

/// After a person sent it back.
pub fn sent_back(reason: &str) -> Value {
    json!({ "approved": false, "reason": reason })
}

/// After a step: the state and what is next; short, because it comes with every step.
pub fn short(room: &Room) -> Value {
    let Some(plan) = &room.plan else { return Value::Null };
    let next = plan
        .current()
        .map(|step| json!({ "number": plan.number(&step.spec.id), "id": step.spec.id }));
    let mut value =
        json!({ "state": plan.state.word(), "next": next, "budget_left": plan.budget_left() });
    if room.declined && !plan.state.is_active() {
        value["message"] = json!(
            "the plan is given up; the person's no still stands, so nothing may be changed until \
             they approve another plan"
        );
    }
    value
}

fn warnings(room: &Room, plan: &Plan) -> Vec<String> {
    if !room.insists() {
        return Vec::new();
    }
    let open = plan.steps.iter().filter(|step| !step.state.is_terminal());
    let unnamed: Vec<&str> = open
        .filter(|step| !allows::names_something(&step.spec) && !step.may_change)
        .filter(|step| !granted::hands_on(step))
        .map(|step| step.spec.id.0.as_str())
        .collect();
    if unnamed.is_empty() {
        return Vec::new();
    }
    let steps = unnamed.join(", ");
    vec![format!(
        "these steps name no target that approval can allow, so they may only read: {steps}"
    )]
}
