use expect_test::expect;

use super::{check, config, load};

#[test]
fn rules_are_texts_or_maps_with_examples_that_hold() {
    let permissions = config(
        "agents:
  a:
    model: rehearsal/tour
    permissions:
      deny:
        - shell(git push *)
        - { rule: 'shell(cd sub && make …)', examples: [cd sub && make a], not_examples: [make a] }
        - rule: shell(rm *)
          examples: [rm -rf x, 'cd src && rm x', 'rm $x']
          not_examples: [ls, 'echo rm', 'git rm x']
      allow:
        - rule: write_file(docs/**)
          examples: [docs/a.md, docs/deep/b.md]
          not_examples: [src/a.rs, /docs/a.md, docs]
        - { rule: fetch(*.example), examples: [a.example], not_examples: [a.example.evil] }
        - { rule: '*_file(a)', examples: ['read_file(a)'], not_examples: ['shell(a)', read_file] }
",
    )
    .default_agent()
    .permissions;
    let deny = ["shell(git push *)", "shell(cd sub && make …)", "shell(rm *)"];
    assert_eq!(permissions.deny, deny);
    assert_eq!(permissions.allow, ["write_file(docs/**)", "fetch(*.example)", "*_file(a)"]);
}

#[test]
fn an_example_that_does_not_hold_is_an_error_with_its_line() {
    check(
        "agents:
  a:
    model: rehearsal/tour
    permissions:
      deny:
        - rule: shell(git push*)
          examples:
            - git push
            - git fetch
          not_examples:
            - git pull
            - git push-all
      allow:
        - rule: shell(cargo *)
          examples: ['cargo test && rm x']
        - examples: [a]
        - { rule: 'shell(', examples: a, exmples: [b] }
        - 'write_file['
",
        &expect![[r#"
            plancard.yaml:9: agents.a.permissions.deny[0].examples[1] "git fetch" is not covered by the rule shell(git push*)
            plancard.yaml:12: agents.a.permissions.deny[0].not_examples[1] "git push-all" is covered by the rule shell(git push*)
            plancard.yaml:15: agents.a.permissions.allow[0].examples[0] "cargo test && rm x" is not covered by the rule shell(cargo *)
            plancard.yaml:16: agents.a.permissions.allow[1] has no `rule` that can be read; allowed: rules like `shell(git push *)`
            plancard.yaml:17: agents.a.permissions.allow[2] has no `rule` that can be read; allowed: rules like `shell(git push *)`
            plancard.yaml:17: agents.a.permissions.allow[2].examples is "a"; allowed: a list of texts
            plancard.yaml:18: agents.a.permissions.allow[3] is "write_file["; allowed: rules like `shell(git push *)`, `write_file(docs/**)` or `fetch`, or maps with `rule`, `examples` and `not_examples`
        "#]],
    );
}

#[test]
fn a_rule_about_no_tool_is_a_warning_unless_a_server_may_bring_it() {
    check(
        "agents:
  a:
    model: rehearsal/tour
    permissions:
      deny: [nosuch(x), 'shel(rm *)', hostile.echo, 'no*', plan, spawn_sidekick, shell]
      allow:
        - { rule: read_fil(a), examples: [a] }
",
        &expect![[r#"
            plancard.yaml:5: agents.a.permissions.deny[0] is about `nosuch`, which is not a tool; a server's tools are `server.tool`
            plancard.yaml:5: agents.a.permissions.deny[1] is about `shel`, which is not a tool; did you mean `shell`?
            plancard.yaml:7: agents.a.permissions.allow[0] is about `read_fil`, which is not a tool; did you mean `read_file`?
        "#]],
    );
}

#[test]
fn a_rule_that_could_never_hold_is_what_was_meant() {
    let permissions = config(
        "agents:
  a:
    model: rehearsal/tour
    permissions:
      deny: ['write_file( secret/** )', 'read_file(secret/)', 'shell( rm * )', '*_file(a/)',
        'fetch(https://Evil.example/*)', 'fetch(evil.example/a?b)', 'fetch(evil.example:443)',
        { rule: 'delete_file(keep/)', examples: [keep, keep/a], not_examples: [keeper] }]
      allow: ['fetch(https://docs.example/)', 'write_file(./docs/**)', 'shell(npm run test:*)',
        'fetch([::1]:7455)', list_dir(.)]
",
    )
    .default_agent()
    .permissions;
    let deny = [
        "write_file(secret/**)",
        "read_file(secret)",
        "read_file(secret/**)",
        "shell(rm *)",
        "*_file(a)",
        "*_file(a/**)",
        "fetch(evil.example)",
        "fetch(evil.example)",
        "fetch(evil.example)",
        "delete_file(keep)",
        "delete_file(keep/**)",
    ];
    assert_eq!(permissions.deny, deny);
    let allow = [
        "fetch(docs.example)",
        "write_file(./docs/**)",
        "shell(npm run test:*)",
        "fetch([::1]:7455)",
        "list_dir(.)",
    ];
    assert_eq!(permissions.allow, allow);
}

#[test]
fn a_rule_that_could_never_hold_is_an_error_with_how_to_write_it() {
    check(
        "agents:
  a:
    model: rehearsal/tour
    permissions:
      deny: ['shell()', 'shell( )', 'shell(touch:*)', 'write_file(../x)', 'write_file(a//b)', 'fetch(https:///x)']
      ask: ['shell(cd a && rm *)', 'shell(rm* …)', 'shell(cd a; rm …)', 'shell(cd /x && rm)']
      allow: ['fetch(https://docs.example/only/this)']
",
        &expect![[r#"
            plancard.yaml:5: agents.a.permissions.deny[0] has nothing in its brackets; for every call write `shell`
            plancard.yaml:5: agents.a.permissions.deny[1] has nothing in its brackets; for every call write `shell`
            plancard.yaml:5: agents.a.permissions.deny[2] is about no program; write `shell(touch *)`
            plancard.yaml:5: agents.a.permissions.deny[3] names no path as tools do; write it from the workspace on, such as `docs/**`, or whole from `/` on, without `..`
            plancard.yaml:5: agents.a.permissions.deny[4] names no path as tools do; write it from the workspace on, such as `docs/**`, or whole from `/` on, without `..`
            plancard.yaml:5: agents.a.permissions.deny[5] names no host; write one such as `fetch(docs.example)`
            plancard.yaml:6: agents.a.permissions.ask[0] has to be one command with its words, such as `cd sub && make test …`, without patterns
            plancard.yaml:6: agents.a.permissions.ask[1] has to be one command with its words, such as `cd sub && make test …`, without patterns
            plancard.yaml:6: agents.a.permissions.ask[2] has to be one command with its words, such as `cd sub && make test …`, without patterns
            plancard.yaml:6: agents.a.permissions.ask[3] has to be one command with its words, such as `cd sub && make test …`, without patterns
            plancard.yaml:7: agents.a.permissions.allow[0] would allow the whole host; if it should, write `fetch(docs.example)`
        "#]],
    );
}

#[test]
fn private_hosts_are_hosts() {
    let hosts = config("network: { private_hosts: [printer.lan, 'localhost:3000', 10.0.0.5] }");
    assert_eq!(hosts.network.private_hosts, ["printer.lan", "localhost:3000", "10.0.0.5"]);
    check(
        "network: { private_hosts: ['http://printer.lan/'], open: true }",
        &expect![[r#"
            plancard.yaml:1: network.private_hosts is a list; allowed: hosts such as printer.lan, 192.168.1.20 or localhost:3000
        "#]],
    );
}

#[test]
fn folders_to_read_are_neither_the_home_nor_a_way_round_the_walls() {
    let home = std::env::home_dir().unwrap();
    let listed = config("sandbox: { read: [~/models, /opt/data, /tmp/x] }").sandbox.read;
    assert_eq!(listed, [home.join("models"), "/opt/data".into(), "/tmp/x".into()]);
    let whole = home.display().to_string();
    for bad in ["/", &whole, "/proc", "/proc/1", "/run/user/1000", "/var/run/x", "/tmp", "/dev"] {
        let errors = load(&format!("sandbox:\n  read:\n    - '{bad}'\n")).unwrap_err();
        assert!(errors.0[0].message.contains("your whole home"), "{bad}: {errors:?}");
        assert_eq!(errors.0[0].path, "sandbox.read", "{bad}");
    }
    check(
        "sandbox: { read: [data], write: [x] }",
        &expect![[r#"
            plancard.yaml:1: sandbox.read is a list; allowed: absolute paths
        "#]],
    );
}

#[test]
fn folders_of_a_token_are_whole_paths() {
    let home = std::env::home_dir().unwrap();
    let listed = config("workspaces: [~/code, /srv/work]");
    assert_eq!(listed.workspaces, [home.join("code"), "/srv/work".into()]);
    assert_eq!(
        listed.in_words()["workspaces"],
        serde_json::json!([home.join("code"), "/srv/work"])
    );
    check(
        "workspaces: [code]",
        &expect![[r#"
            plancard.yaml:1: workspaces is a list; allowed: absolute paths
        "#]],
    );
}

#[test]
fn patterns_of_secrets_are_checked_line_by_line() {
    let known = config("redact: ['ghp_\\w{8}', 'card \\d{4}']").redact;
    assert_eq!(known.len(), 2);
    assert!(known[1].0.is_match("my card 1234"));
    let errors =
        load("redact:\n  - ok-\\d+\n  - '('\n  - 'x*'\n  - '\\w{9}{999}{999}'\n").unwrap_err();
    let told: Vec<_> = errors.0.iter().map(|one| (one.line, one.path.as_str())).collect();
    assert_eq!(told, [(Some(3), "redact[1]"), (Some(4), "redact[2]"), (Some(5), "redact[3]")]);
    assert!(errors.0[1].message.contains("fits an empty text"), "{errors:?}");
    assert!(load("redact: { a: b }").is_err());
    assert!(load(&format!("redact: ['{}']", "a".repeat(501))).is_err());
}

#[test]
fn a_rule_without_its_last_bracket_is_named_with_what_it_lacks() {
    check(
        "agents:
  a:
    model: rehearsal/tour
    permissions:
      deny: [shell, 'shell(git push *']
      ask: 'fetch(docs.example'
",
        &expect![[r#"
            plancard.yaml:5: agents.a.permissions.deny[1] is "shell(git push *", without a `)` at its end; allowed: rules like `shell(git push *)`, `write_file(docs/**)` or `fetch`, or maps with `rule`, `examples` and `not_examples`
            plancard.yaml:6: agents.a.permissions.ask[0] is "fetch(docs.example", without a `)` at its end; allowed: rules like `shell(git push *)`, `write_file(docs/**)` or `fetch`, or maps with `rule`, `examples` and `not_examples`
        "#]],
    );
}
