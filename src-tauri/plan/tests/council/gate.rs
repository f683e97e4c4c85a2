//! Members only look: the gate blocks all else with a reason, and nobody is asked for them.

use crate::hall::Hall;
use plan::*;

fn facts(tool: &str, effect: Effect, source: Source, targets: Vec<Target>) -> Facts {
    Facts {
        tool: tool.to_owned(),
        also: vec![],
        known: true,
        effect,
        source,
        targets,
        sandbox: true,
        allowed: false,
    }
}

fn path(path: &str) -> Vec<Target> {
    vec![Target::Path { path: path.to_owned(), outside: path.starts_with('/') }]
}

fn command(text: &str) -> Vec<Target> {
    let (folder, argv) = (Some(String::new()), text.split(' ').map(str::to_owned).collect());
    let simple = Some(vec![SimpleCommand { folder, argv, literal: true }]);
    vec![Target::Command { text: text.to_owned(), simple }]
}

fn served(changed: bool) -> Vec<Target> {
    vec![Target::Tool { schema: "schema:0".into(), changed }]
}

/// Everything a member might try.
fn attacks() -> Vec<Facts> {
    use Source::{Catalogue, Nobody, Person, Server};
    let mut unconfined = facts("shell", Effect::Read, Catalogue, command("git log"));
    unconfined.sandbox = false;
    vec![
        facts("write_file", Effect::Write, Catalogue, path("a.md")),
        facts("write_file", Effect::WriteOutside, Catalogue, path("/etc/hosts")),
        facts("edit_file", Effect::Write, Catalogue, path("a.md")),
        facts("delete_file", Effect::Write, Catalogue, path("a.md")),
        facts("shell", Effect::Write, Catalogue, command("echo x > a.md")),
        facts("shell", Effect::Exec, Catalogue, command("python -c 1")),
        facts("fetch", Effect::Network, Catalogue, vec![Target::Host("example.org".into())]),
        facts("spawn_sidekick", Effect::Delegate, Catalogue, vec![]),
        facts("ask_user", Effect::Control, Catalogue, vec![]),
        facts("plan", Effect::Control, Catalogue, vec![]),
        facts("submit_plan", Effect::Control, Catalogue, vec![]),
        facts("start_council", Effect::Control, Catalogue, vec![]),
        facts("submit", Effect::Control, Catalogue, vec![]),
        facts("restart_orchestration", Effect::Control, Catalogue, vec![]),
        facts("tracker.close", Effect::WriteOutside, Server, served(false)),
        facts("tracker.list", Effect::Read, Nobody, served(false)),
        facts("tracker.list", Effect::Network, Server, served(false)),
        facts("tracker.run", Effect::Exec, Person, served(true)),
        facts("vote", Effect::Write, Catalogue, vec![]),
        unconfined,
    ]
}

fn looks() -> Vec<Facts> {
    use Source::{Catalogue, Server};
    vec![
        facts("read_file", Effect::Read, Catalogue, path("a.md")),
        facts("shell", Effect::Read, Catalogue, command("git log")),
        facts("tracker.list", Effect::Read, Server, served(false)),
        facts("new_answer", Effect::Control, Catalogue, vec![]),
        facts("vote", Effect::Control, Catalogue, vec![]),
    ]
}

fn rule(text: &str, action: RuleAction) -> Rule {
    Rule::parse(action, text).expect("a rule")
}

fn judged(hall: &Hall, own: &Room, rules: &[Rule], facts: &Facts) -> Verdict {
    let above = Standing { room: &hall.top.room, rules, step: None };
    gate(&[Standing { room: own, rules, step: None }, above], facts)
}

fn blocked(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Block { code: "COUNCIL", reason } if !reason.is_empty())
}

#[test]
fn members_only_look_whatever_the_mode_the_rules_and_a_persons_yes() {
    let mut hall = Hall::of(2);
    let everything = [rule("*", RuleAction::Allow)];
    for restarted in [false, true] {
        if restarted {
            hall.restart_app();
        }
        for mode in [PlanMode::Off, PlanMode::Soft, PlanMode::Strict] {
            hall.person(Command::SetMode { mode }).expect("the mode changes");
            let stored = serde_json::to_vec(hall.member_room(1).expect("a room")).expect("bytes");
            let mut own: Room = serde_json::from_slice(&stored).expect("the same room");
            own.mode = mode;
            own.rules.extend(everything.clone());
            for mut facts in attacks() {
                for allowed in [false, true] {
                    facts.allowed = allowed;
                    for rules in [&[][..], &everything[..]] {
                        let verdict = judged(&hall, &own, rules, &facts);
                        assert!(blocked(&verdict), "{mode:?} {facts:?}: {verdict:?}");
                        let alone = gate(&[Standing { room: &own, rules, step: None }], &facts);
                        assert!(blocked(&alone), "{mode:?} {facts:?}: {alone:?}");
                    }
                }
            }
            for facts in looks() {
                let verdict = judged(&hall, &own, &[], &facts);
                assert_eq!(verdict, Verdict::Allow { profile: Profile::Look }, "{facts:?}");
            }
        }
    }
}

#[test]
fn nobody_is_asked_for_a_member_even_where_a_rule_asks() {
    let hall = Hall::of(2);
    let own = hall.member_room(1).expect("a room");
    let asks = [rule("read_file", RuleAction::Ask)];
    assert!(blocked(&judged(&hall, own, &asks, &looks()[0])));
}

#[test]
fn in_the_grace_only_answer_and_vote_are_left() {
    let mut hall = Hall::with(2, |rules| rules.initial_round_timeout_seconds = Some(60));
    hall.pass(60);
    let own = hall.member_room(1).expect("a room");
    for facts in looks() {
        let ends_turn = facts.effect == Effect::Control;
        let verdict = judged(&hall, own, &[], &facts);
        assert_eq!(blocked(&verdict), !ends_turn, "{facts:?}: {verdict:?}");
    }
}

#[test]
fn a_member_can_ask_nobody_and_begin_no_change_even_past_the_gate() {
    let mut hall = Hall::of(2);
    let call = hall.calls(1, "write_file");
    for kind in [AskKind::Permission, AskKind::Drift, AskKind::Question, AskKind::Elicitation] {
        let ask = Ask {
            id: AskId(hall.id()),
            kind,
            plan_id: None,
            step_id: None,
            call_id: Some(call),
            text: "?".into(),
            detail: vec![],
            created_at: Time(0),
        };
        assert!(hall.below(1, &Actor::harness(), Command::RaiseAsk { ask }).is_err());
    }
    for effect in
        [Effect::Write, Effect::WriteOutside, Effect::Exec, Effect::Network, Effect::Delegate]
    {
        let begin = Command::BeginCall { call, effect, touches: vec![], how: None };
        assert!(hall.below(1, &Actor::harness(), begin).is_err(), "{effect:?}");
    }
}

#[test]
fn nothing_is_changed_in_the_councils_room_before_the_winners_phase() {
    let mut hall = Hall::with(2, |rules| rules.max_orchestration_restarts = 1);
    let write = facts("write_file", Effect::Write, Source::Catalogue, path("a.md"));
    let allow = [rule("*", RuleAction::Allow)];
    let here =
        |hall: &Hall| gate(&[Standing { room: &hall.top.room, rules: &allow, step: None }], &write);
    assert!(blocked(&here(&hall)), "talking");
    hall.answer(1, "one").expect("answers");
    hall.person(Command::PickWinner { member: 1 }).expect("picks");
    assert!(blocked(&here(&hall)), "decided");
    hall.settle();
    assert!(matches!(here(&hall), Verdict::Allow { .. }), "the winner works");
    hall.work_off();
    assert!(blocked(&here(&hall)), "the work is judged");
    let submit = facts("submit", Effect::Control, Source::Catalogue, vec![]);
    let own = [Standing { room: &hall.top.room, rules: &[], step: None }];
    assert!(matches!(gate(&own, &submit), Verdict::Allow { .. }));
}
