//! The model that an agent works with, where it lets its client choose.

use serde_json::Value;

/// Stands for whatever the agent uses by itself.
pub(super) const ITS_OWN: &str = "default";

/// The choice an agent offers.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// The name of the setting.
    pub(super) setting: String,
    models: Vec<String>,
    pub(super) chosen: Option<String>,
}

impl Choice {
    /// Reads what a new session offers.
    pub(super) fn read(opened: &Value) -> Self {
        let settings = opened["configOptions"].as_array().into_iter().flatten();
        let Some(setting) = { settings }.find(|setting| setting["category"] == "model") else {
            return Self::default();
        };
        // Options may lie in groups.
        let options = setting["options"].as_array().into_iter().flatten();
        let options = options.flat_map(|option| match option["options"].as_array() {
            Some(group) => group.iter().collect(),
            None => vec![option],
        });
        Self {
            setting: setting["id"].as_str().unwrap_or_default().to_owned(),
            models: options.filter_map(|one| one["value"].as_str()).map(str::to_owned).collect(),
            chosen: setting["currentValue"].as_str().map(str::to_owned),
        }
    }

    pub(super) fn offers(&self, model: &str) -> bool {
        self.models.iter().any(|known| known == model)
    }

    /// Whether nothing has to be said for this model to be used.
    pub(super) fn is_met(&self, model: &str) -> bool {
        self.chosen.as_deref() == Some(model) || (model == ITS_OWN && !self.offers(model))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_model_is_chosen_among_those_that_are_offered() {
        let groups =
            json!([{ "group": "g", "options": [{ "value": "large" }] }, { "value": "small" }]);
        let setting =
            json!({ "id": "m", "category": "model", "currentValue": "small", "options": groups });
        let choice = Choice::read(&json!({ "configOptions": [{ "category": "mode" }, setting] }));
        assert_eq!(choice.setting, "m");
        assert!(choice.is_met("small") && choice.is_met("default") && !choice.is_met("large"));
        assert!(choice.offers("large") && !choice.offers("default"));
        let none = Choice::read(&json!({}));
        assert!(none.is_met("default") && !none.offers("large"));
    }
}
