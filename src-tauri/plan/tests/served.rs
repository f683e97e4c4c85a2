//! Tools of MCP servers: what a rule, a step and a question make of them.

use plan::{Effect, Facts, Rule, RuleAction, Source, Target};

fn call(changed: bool) -> Facts {
    Facts {
        tool: "web.search".to_owned(),
        also: Vec::new(),
        known: true,
        effect: Effect::WriteOutside,
        source: Source::Nobody,
        targets: vec![Target::Tool { schema: "schema:1234".to_owned(), changed }],
        sandbox: true,
        allowed: false,
    }
}

fn allows(rule: &str, facts: &Facts) -> bool {
    Rule::parse(RuleAction::Allow, rule).is_some_and(|rule| rule.matches(facts))
}

#[test]
fn a_rule_by_name_allows_a_tool_until_it_changes() {
    for rule in ["web.search", "web.*", "*", "web.search(*)", "web.search(schema:*)"] {
        assert!(allows(rule, &call(false)), "{rule}");
        assert!(!allows(rule, &call(true)), "{rule}");
    }
    assert!(!allows("files.*", &call(false)));
}

#[test]
fn a_rule_with_the_hash_allows_that_very_tool() {
    for changed in [false, true] {
        assert!(allows("web.search(schema:1234)", &call(changed)));
        assert!(!allows("web.search(schema:1235)", &call(changed)));
    }
}

#[test]
fn forbidding_by_name_holds_whatever_it_is_now() {
    for changed in [false, true] {
        let deny = Rule::parse(RuleAction::Deny, "web.*").unwrap();
        assert!(deny.matches(&call(changed)));
    }
}

#[test]
fn always_keeps_the_hash() {
    let rule = Rule::exactly(RuleAction::Allow, &call(true)).unwrap();
    assert_eq!(rule.to_string(), "web.search(schema:1234)");
    assert!(rule.matches(&call(true)));
}
