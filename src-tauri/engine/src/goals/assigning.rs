//! Which agent does a step of a goal: the one that claims its domain, else the one that can do
//! most of it, else the default one.

use crate::config::{AgentConfig, Config};
use plan::{Draft, DraftStep, FullStep};

/// Gives each step an agent.
pub(super) fn assign(config: &Config, draft: &mut Draft) {
    for step in &mut draft.steps {
        let mut full = FullStep::from(step.clone());
        full.agent = Some(agent_for(config, &full));
        *step = DraftStep::Full(Box::new(full));
    }
}

fn agent_for(config: &Config, step: &FullStep) -> String {
    let named = || step.agent.as_deref().and_then(|name| config.agent(name));
    let agent = owner(config, step).or_else(named).or_else(|| ablest(config, step));
    agent.map_or_else(|| config.default_agent().name, |agent| agent.name.clone())
}

/// The agent that claims the step's domain. A step that says none is about what its words name.
fn owner<'a>(config: &'a Config, step: &FullStep) -> Option<&'a AgentConfig> {
    let fits = |domain: &String| match &step.domain {
        Some(said) => same(domain, said),
        None => names(&step.text, domain),
    };
    config.agents.iter().find(|agent| agent.domains.iter().any(fits))
}

/// The agent with the most of what the step asks for; the first of those that are alike.
fn ablest<'a>(config: &'a Config, step: &FullStep) -> Option<&'a AgentConfig> {
    let fits = |has: &&String| {
        let asked = step.capabilities.iter().any(|wanted| same(has, wanted));
        asked || (step.capabilities.is_empty() && names(&step.text, has))
    };
    let count = |agent: &AgentConfig| agent.capabilities.iter().filter(fits).count();
    let able = config.agents.iter().rev().filter(|agent| count(agent) > 0);
    able.max_by_key(|agent| count(agent))
}

fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// Whether a text names something in so many words.
fn names(text: &str, what: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        split.map(str::to_lowercase).collect()
    };
    let (text, what) = (words(text), words(what));
    !what.is_empty() && text.windows(what.len()).any(|part| part == what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ModelRef;

    fn config() -> Config {
        let agent = |name: &str, domains: &[&str], capabilities: &[&str]| AgentConfig {
            domains: domains.iter().map(ToString::to_string).collect(),
            capabilities: capabilities.iter().map(ToString::to_string).collect(),
            ..AgentConfig::new(name, ModelRef::new("p", "m"))
        };
        let mut config = Config::default();
        config.agents.push(agent("default", &[], &[]));
        config.agents.push(agent("guard", &["Security"], &["rust"]));
        config.agents.push(agent("tester", &["unit tests"], &["rust", "python"]));
        config
    }

    fn given(text: &str, more: impl FnOnce(&mut FullStep)) -> String {
        let mut step = FullStep { text: text.to_owned(), ..FullStep::default() };
        more(&mut step);
        agent_for(&config(), &step)
    }

    fn able(capabilities: &[&str]) -> String {
        let wanted = capabilities.iter().map(ToString::to_string).collect();
        given("x", |step| step.capabilities = wanted)
    }

    #[test]
    fn who_claims_the_domain_comes_first() {
        let said = |domain: &str| given("x", |step| step.domain = Some(domain.to_owned()));
        assert_eq!([said("security"), said("cooking")], ["guard", "default"]);
        assert_eq!(given("Look for security holes", |_| ()), "guard");
        assert_eq!(given("Write Unit-Tests for it", |_| ()), "tester");
        let other = |step: &mut FullStep| {
            step.domain = Some("security".to_owned());
            step.agent = Some("tester".to_owned());
        };
        assert_eq!(given("x", other), "guard", "a claim is a claim");
        assert_eq!(given("insecurity", |_| ()), "default", "a part of a word names nothing");
    }

    #[test]
    fn then_who_was_named_or_can_do_most_of_it() {
        assert_eq!(given("x", |step| step.agent = Some("tester".to_owned())), "tester");
        assert_eq!(given("x", |step| step.agent = Some("nobody".to_owned())), "default");
        assert_eq!([able(&["rust"]), able(&["Python", "rust"])], ["guard", "tester"]);
        assert_eq!(given("port it to python", |_| ()), "tester");
        assert_eq!(able(&["go"]), "default");
    }
}
