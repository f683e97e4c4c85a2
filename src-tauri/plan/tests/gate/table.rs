//! Reads the rows and judges them.

use crate::support::Story;
use plan::*;

/// Judges every row and names those that are wrong.
pub(crate) fn table(rows: &str) {
    let rows = rows.trim().lines().map(str::trim);
    let wrong: Vec<String> =
        rows.filter_map(|row| wrong(row).map(|got| report(row, &got))).collect();
    assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn report(row: &str, got: &str) -> String {
    format!("  {row}\n      but got: {got}")
}

/// What the gate said, if it is not what the row says.
fn wrong(row: &str) -> Option<String> {
    let (given, expected) = row.split_once(" → ").expect("a verdict");
    let mut parts = given.split(" · ");
    let mut part = || parts.next().unwrap_or("");
    let (mode, plan, call, more) = (part(), part(), part(), part());
    let mut room = room(mode, plan);
    let mut facts = facts(call);
    let (rules, above) = more_of(more, &mut room, &mut facts);
    let mut standings = vec![Standing { room: &room, rules: &rules, step: None }];
    standings.extend(above.iter().map(|above| Standing {
        room: &above.room,
        rules: &above.rules,
        step: above.step.as_ref(),
    }));
    let got = words(&gate(&standings, &facts));
    let same = match expected.split_once(' ') {
        None => got.starts_with(expected),
        Some(("block", rest)) => {
            let (code, piece) = rest.split_once(' ').unwrap_or((rest, ""));
            got.starts_with(&format!("block {code} ")) && got.contains(piece)
        }
        Some(("allow", _)) => got == expected,
        Some((word, piece)) => got.starts_with(word) && got.contains(piece),
    };
    (!same).then_some(got)
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Allow { profile: Profile::Look } => "allow look".to_owned(),
        Verdict::Allow { profile: Profile::Work } => "allow work".to_owned(),
        Verdict::Warn { reason, .. } => format!("warn {reason}"),
        Verdict::Ask { kind: AskKind::Drift, reason, .. } => format!("drift {reason}"),
        Verdict::Ask { kind: AskKind::Permission, reason, .. } => format!("permission {reason}"),
        Verdict::Ask { kind, reason, .. } => format!("ask {kind:?} {reason}"),
        Verdict::Block { code, reason } => format!("block {code} {reason}"),
    }
}

/// A room in which such a plan came about as it does in life.
pub(crate) fn room(mode: &str, plan: &str) -> Room {
    let mut story = Story::new();
    let (state, steps) = plan.split_once('[').unwrap_or((plan, ""));
    let steps: Vec<&str> = match steps.strip_suffix(']') {
        Some(steps) => steps.split("][").collect(),
        None => Vec::new(),
    };
    story.lanes = u32::try_from(steps.len()).expect("a few steps");
    let (state, reason) = state.split_once(' ').unwrap_or((state, ""));
    match state {
        "none" => {}
        "draft" => {
            write(&mut story, &steps);
            let plan = story.room.plan.as_mut().expect("a plan");
            plan.state = PlanState::Draft { sent_back: false };
        }
        "running" => write(&mut story, &steps),
        "awaiting" | "sent" => {
            story.tell("person: mode strict");
            write(&mut story, &steps);
            if state == "sent" {
                story.tell("person: reject not this");
            }
        }
        _ => {
            story.tell("person: mode strict");
            write(&mut story, &steps);
            story.tell("person: approve");
            widen(&mut story, &steps);
            match (state, reason) {
                ("approved", _) => {}
                ("void", _) => {
                    story.tell("person: mode off");
                    story.tell("agent: set s1 something else");
                    widen(&mut story, &steps);
                }
                ("asked", _) => story.tell("agent: set s1 something else"),
                ("paused", "supervisor") => story.tell("person: pause"),
                ("paused", "revise") => story.tell("agent: failed s1 revise"),
                ("paused", "interrupted") => story.tell("harness: interrupt"),
                ("paused", reason) => {
                    let reason = serde_json::from_value(reason.into()).expect("a pause reason");
                    let (code, text) = (String::new(), String::new());
                    let trouble = Command::Trouble { reason, code, text, until: None };
                    story.submit(trouble, &Actor::harness()).expect("it pauses");
                }
                ("done", _) => {
                    (1..=steps.len()).for_each(|n| story.tell(&format!("agent: done {n}")))
                }
                ("failed", _) => story.tell("agent: failed s1 abort"),
                ("cancelled", _) => story.tell("person: cancel"),
                _ => panic!("no such plan: {plan}"),
            }
        }
    }
    widen(&mut story, &steps);
    story.tell(&format!("person: mode {mode}"));
    let reached = story.room.plan.as_ref().map_or("none", |plan| plan.state.word());
    let expected = match state {
        "approved" | "void" => "running",
        "awaiting" | "asked" => "awaiting_approval",
        "sent" => "draft",
        state => state,
    };
    assert_eq!(reached, expected, "{plan} came about: {}", story.told);
    story.room
}

fn write(story: &mut Story, steps: &[&str]) {
    let steps = steps.iter().map(|step| {
        let named = if step.starts_with('+') || *step == "may change" { "" } else { step };
        let (named, check) = named.split_once(" ✓ ").unwrap_or((named, ""));
        let (tool, target) = named.split_once(' ').unwrap_or((named, ""));
        let some = |word: &str| (!word.is_empty() && word != "any").then(|| word.to_owned());
        let (tool, target) = (some(tool), some(target));
        DraftStep::Full(Box::new(FullStep {
            text: "work".into(),
            tool,
            target,
            verify: some(check).map(Verify::Command),
            ..FullStep::default()
        }))
    });
    let draft = Draft {
        goal: "goal".into(),
        steps: steps.collect(),
        mode: Some(RunMode::Parallel),
        ..Draft::default()
    };
    let write = Command::Write {
        plan: PlanId(story.id()),
        ask: AskId(story.id()),
        call: None,
        draft,
        frame: story.frame(Origin::Chat),
    };
    story.submit(write, &Actor::agent("default")).expect("the plan can be written");
}

/// What a person gave each step beyond what it names.
fn widen(story: &mut Story, steps: &[&str]) {
    let person = Actor::person("me", Surface::Window);
    for (index, step) in steps.iter().enumerate() {
        let id = StepId(format!("s{}", index + 1));
        if *step == "may change" {
            // Refused where the step has ended, and then it does not matter.
            let _ = story.submit(let_change(id), &person);
        } else if let Some(grant) = step.strip_prefix('+') {
            let (grant, by) = (grant.to_owned(), person.clone());
            let grant = Event::Granted { plan: None, step: id, grant, by };
            story.room.apply(&grant, Time(1));
        }
    }
}

fn let_change(id: StepId) -> Command {
    Command::LetChange { step: StepRef::Id(id.0), on: true, seen: None }
}

pub(crate) fn facts(call: &str) -> Facts {
    let (head, targets) = call.split_once(": ").unwrap_or((call, ""));
    let (tool, effect) = head.split_once(' ').expect("a tool and its effect");
    let known = effect != "unknown";
    let effect = if known { effect } else { "write_outside" };
    Facts {
        tool: tool.to_owned(),
        also: Vec::new(),
        known,
        effect: serde_json::from_value(effect.into()).expect("an effect"),
        source: Source::Catalogue,
        targets: targets.split(", ").filter(|target| !target.is_empty()).map(target).collect(),
        sandbox: true,
        allowed: false,
    }
}

fn target(words: &str) -> Target {
    let mut chars = words.chars();
    let first = chars.next().expect("a target");
    let rest = chars.as_str().trim();
    match first {
        '^' => Target::Path { path: rest.to_owned(), outside: true },
        '@' => Target::Host(rest.to_owned()),
        '?' => Target::Command { text: rest.to_owned(), simple: None },
        '$' | '%' => command(rest, first == '$'),
        _ => Target::Path { path: words.to_owned(), outside: false },
    }
}

/// A command that was understood, in the folder in brackets, which is `?` where nobody knows it.
fn command(text: &str, literal: bool) -> Target {
    let (folder, text) = match text.strip_prefix('[') {
        Some(rest) => rest.split_once("] ").expect("a folder and a command"),
        None => ("", text),
    };
    let folder = (folder != "?").then(|| folder.to_owned());
    let simple = simple(text).into_iter();
    let simple = simple.map(|argv| SimpleCommand { folder: folder.clone(), argv, literal });
    let begun = match folder.as_deref() {
        Some("") => text.to_owned(),
        Some(_) | None => format!("cd '{}'\n{text}", folder.as_deref().unwrap_or("?")),
    };
    Target::Command { text: begun, simple: Some(simple.collect()) }
}

/// Simple commands, where every separator stands alone.
fn simple(text: &str) -> Vec<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .split(|word| ["&&", "||", ";", "|"].contains(word))
        .filter(|argv| !argv.is_empty())
        .map(|argv| argv.iter().map(|&word| word.to_owned()).collect())
        .collect()
}

/// A room above the caller's.
struct Above {
    room: Room,
    rules: Vec<Rule>,
    step: Option<StepId>,
}

fn more_of(more: &str, own: &mut Room, facts: &mut Facts) -> (Vec<Rule>, Vec<Above>) {
    let mut rules = Vec::new();
    let mut above: Vec<Above> = Vec::new();
    for one in more.split("; ").filter(|one| !one.is_empty()) {
        let (word, text) = one.split_once(' ').unwrap_or((one, ""));
        let rule = |action| Rule::parse(action, text).expect("a rule");
        match word {
            "bare" => facts.sandbox = false,
            "yes" => facts.allowed = true,
            "also" => facts.also.push(text.to_owned()),
            "allow" => rules.push(rule(RuleAction::Allow)),
            "ask" => rules.push(rule(RuleAction::Ask)),
            "deny" => rules.push(rule(RuleAction::Deny)),
            "kept" => own.rules.push(rule(RuleAction::Allow)),
            "from" => {
                facts.source = match text {
                    "person" => Source::Person,
                    "server" => Source::Server,
                    "nobody" => Source::Nobody,
                    _ => panic!("nobody is called {text}"),
                };
            }
            "under" => {
                let (mode, plan) = text.split_once(' ').expect("a mode and a plan");
                above.push(Above { room: room(mode, plan), rules: Vec::new(), step: None });
            }
            "step" => above.last_mut().expect("a room").step = Some(StepId(text.to_owned())),
            "above" if text.starts_with("kept ") => {
                let kept = Rule::parse(RuleAction::Allow, &text["kept ".len()..]).expect("a rule");
                above.last_mut().expect("a room").room.rules.push(kept);
            }
            "above" => {
                let (word, text) = text.split_once(' ').expect("a rule");
                let action = serde_json::from_value(word.into()).expect("what a rule says");
                let rule = Rule::parse(action, text).expect("a rule");
                above.last_mut().expect("a room").rules.push(rule);
            }
            _ => panic!("no such rule or fact: {one}"),
        }
    }
    (rules, above)
}
