//! How goals are split. The numbers are caps and are read there.

use super::Config;
use super::model_ref::ModelRef;
use super::read_agents::named_model;
use super::section::Section;

/// What happens to a goal when some of its steps failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnPartial {
    /// The rest is brought together all the same.
    #[default]
    Synthesize,
    /// The goal has failed.
    Fail,
}

/// How goals are carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planner {
    /// Whether goals are taken at all.
    pub enabled: bool,
    /// The agent that brings the outputs together; without it, the default agent.
    pub synthesis_agent: Option<String>,
    /// The model that splits a goal; without it, the agent's planning model.
    pub decomposition_model: Option<ModelRef>,
    /// What happens when some steps failed.
    pub on_partial_completion: OnPartial,
}

impl Default for Planner {
    fn default() -> Self {
        Self {
            enabled: true,
            synthesis_agent: None,
            decomposition_model: None,
            on_partial_completion: OnPartial::default(),
        }
    }
}

impl Planner {
    /// Needs the agents and models of the configuration.
    pub(super) fn read(section: &Section<'_>, config: &Config) -> Self {
        let choices = [("synthesize", OnPartial::Synthesize), ("fail", OnPartial::Fail)];
        let synthesis_agent = section.name("synthesisAgent");
        if let (Some(name), Some(node)) = (&synthesis_agent, section.get("synthesisAgent"))
            && config.agent(name).is_none()
        {
            let path = section.path_of("synthesisAgent");
            let message =
                format!("is {name:?}, and there is no such agent; the default agent does it");
            section.report.warning(node.at, &path, message);
        }
        Self {
            enabled: section.flag("enabled").unwrap_or(true),
            synthesis_agent: synthesis_agent.filter(|name| config.agent(name).is_some()),
            decomposition_model: section
                .get("decompositionModel")
                .and_then(|node| named_model(section, "decompositionModel", node, None, config)),
            on_partial_completion: section
                .choice("onPartialCompletion", &choices)
                .unwrap_or_default(),
        }
    }
}
