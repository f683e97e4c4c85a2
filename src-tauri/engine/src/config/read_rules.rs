//! Reads rules for tool calls. A rule is text, or a map with the rule and
//! examples of what it must and must not speak of; those are tried at once, so
//! that a rule that means something else than its writer thought is found here.

use plan::{Effect, Facts, Rule, RuleAction, Target};

use super::meant::meant;
use super::nearest::nearest;
use super::section::{Section, shown, text_of};
use super::tree::{Node, Value};

const ALLOWED: &str = "rules like `shell(git push *)`, `write_file(docs/**)` or `fetch`, or maps \
                       with `rule`, `examples` and `not_examples`";

/// Rules that can be read; one that can't is an error, for it might be a prohibition.
pub(super) fn read(section: &Section<'_>, key: &'static str, action: RuleAction) -> Vec<String> {
    let Some(node) = section.get(key) else { return Vec::new() };
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Scalar { .. } => std::slice::from_ref(node),
        Value::Null | Value::Map(_) => {
            section.bad(key, node, ALLOWED);
            return Vec::new();
        }
    };
    let path = |index: usize| format!("{}[{index}]", section.path_of(key));
    let mut rules = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let rule = match &item.value {
            Value::Map(_) => with_examples(section, item, path(index), action),
            Value::Scalar { .. } | Value::Null | Value::List(_) => {
                let rule = text_of(item).filter(|text| Rule::parse(action, text).is_some());
                if rule.is_none() {
                    bad(section, item, &path(index));
                }
                rule.map(str::to_owned)
            }
        };
        let Some(rule) = rule.as_deref().and_then(|text| Rule::parse(action, text)) else {
            continue;
        };
        check_tool(section, item, &path(index), &rule.tool);
        match meant(&rule) {
            Ok(meant) => rules.extend(meant.iter().map(Rule::to_string)),
            Err(why) => section.report.error(item.at, &path(index), why),
        }
    }
    rules
}

/// Says which rule can't be read, and what it lacks where that is plain.
fn bad(section: &Section<'_>, item: &Node, path: &str) {
    let open = text_of(item).is_some_and(|text| text.contains('(') && !text.ends_with(')'));
    let lacks = if open { ", without a `)` at its end" } else { "" };
    let message = format!("is {}{lacks}; allowed: {ALLOWED}", shown(item));
    section.report.error(item.at, path, message);
}

/// Warns of a rule about a tool that is not there. Those of a server may come later, and a
/// pattern may mean them.
fn check_tool(section: &Section<'_>, node: &Node, path: &str, tool: &str) {
    let others = [crate::sidekicks::SPAWN, models::PERMISSION];
    let known = tools::catalogue().into_iter().map(|entry| entry.name);
    let known: Vec<&str> = known.chain(crate::turn::HARNESS_TOOLS).chain(others).collect();
    if known.contains(&tool) || tool.contains(['.', '*', '?', '[', '{', '\\']) {
        return;
    }
    let meant = match nearest(tool, known) {
        Some(meant) => format!("; did you mean `{meant}`?"),
        None => "; a server's tools are `server.tool`".to_owned(),
    };
    section.report.warning(node.at, path, format!("is about `{tool}`, which is not a tool{meant}"));
}

fn with_examples(
    section: &Section<'_>,
    node: &Node,
    path: String,
    action: RuleAction,
) -> Option<String> {
    let inner = Section::new(section.report, path, Some(node));
    let text = inner.name("rule");
    let parsed = text.as_deref().and_then(|text| Rule::parse(action, text));
    if parsed.is_none() {
        let message = "has no `rule` that can be read; allowed: rules like `shell(git push *)`";
        inner.report.error(inner.at, &inner.path, message);
    }
    for (key, expected) in [("examples", true), ("not_examples", false)] {
        let Some(list) = inner.get(key) else { continue };
        let Value::List(items) = &list.value else {
            inner.bad(key, list, "a list of texts");
            continue;
        };
        for (index, item) in items.iter().enumerate() {
            let Some(example) = text_of(item) else {
                inner.bad(key, item, "a text");
                continue;
            };
            let Some(rule) = &parsed else { continue };
            let held = meant(rule).unwrap_or_default();
            if held.iter().any(|rule| rule.matches(&call(rule, example))) != expected {
                let words = if expected { "is not covered by" } else { "is covered by" };
                let message = format!("{} {words} the rule {rule}", shown(item));
                let path = format!("{}[{index}]", inner.path_of(key));
                inner.report.error(item.at, &path, message);
            }
        }
    }
    inner.finish();
    parsed.and(text)
}

/// The call an example stands for. Where the rule names one tool it is what
/// that tool touches, else the tool with that in brackets.
fn call(rule: &Rule, example: &str) -> Facts {
    let many = rule.tool.contains(['*', '?', '[', '{']);
    let (tool, words) = match example.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((tool, words)) if many => (tool.trim(), Some(words)),
        Some(_) | None if many => (example.trim(), None),
        Some(_) | None => (rule.tool.as_str(), Some(example)),
    };
    let target = words.map(|words| match tool {
        "shell" => {
            let simple = tools::simple_commands(words).map(crate::turn::commands);
            Target::Command { text: words.to_owned(), simple }
        }
        "fetch" => Target::Host(words.to_owned()),
        _ => Target::Path { path: words.to_owned(), outside: words.starts_with('/') },
    });
    Facts {
        tool: tool.to_owned(),
        also: Vec::new(),
        known: true,
        effect: Effect::Exec,
        targets: target.into_iter().collect(),
        source: plan::Source::Catalogue,
        sandbox: true,
        allowed: false,
    }
}
