use expect_test::expect;

use super::super::*;
use super::{check, config};

const MODELS: &str = "
providers:
  home: { type: openai, base_url: 'http://127.0.0.1:8080/v1' }
  team2: { type: anthropic, key_env: TEAM_KEY }
  away: { type: chatcompletion, base_url: 'https://llm.example/v1' }
models:
  fast: home/small
  quick: fast
  team: { provider: anthropic, model: claude-opus-5 }
  home/small: { context_window: 32000, max_output: 4096, vision: false, tools: text, simple: true, parallel: false, prices: { input: 0.5, output: 1.25 } }
  home/twin: { context_window: 1000 }
  away/twin: { context_window: 2000 }
  gpt-5: { context_window: 1000 }
";

#[test]
fn names_are_resolved_in_order() {
    let config = config(MODELS);
    let on = |backend: &str| AgentConfig { backend: Some(backend.into()), ..AgentConfig::tour() };
    let names = [
        ("home/small", None),
        ("away/meta/llama-3/70b", None),
        ("fast", None),
        ("quick", None),
        ("team", None),
        ("gpt-5", None),
        ("gpt-5", Some("away")),
        ("gpt-5", Some("home")),
        ("gpt-5", Some("anthropic")),
        ("gpt-5", Some("openai")),
        ("opus", None),
        ("opus", Some("team2")),
        ("brand-new", Some("openai")),
        ("brand-new", None),
        ("claude-opus-6", None),
        ("twin", None),
        ("twin", Some("home")),
        ("hom/small", None),
        ("home/", None),
        ("/small", None),
        ("", None),
    ];
    let lines: Vec<String> = names
        .into_iter()
        .map(|(name, backend)| {
            let agent = backend.map(on);
            let at = backend.map_or(String::new(), |backend| format!(" at {backend}"));
            match config.model(name, agent.as_ref()) {
                Ok(model) => format!("{name:?}{at} is {model}\n"),
                Err(error) => format!("{name:?}{at}: {error}\n"),
            }
        })
        .collect();
    expect![[r#"
        "home/small" is home/small
        "away/meta/llama-3/70b" is away/meta/llama-3/70b
        "fast" is home/small
        "quick" is home/small
        "team" is anthropic/claude-opus-5
        "gpt-5" is openai/gpt-5
        "gpt-5" at away is away/gpt-5
        "gpt-5" at home is home/gpt-5
        "gpt-5" at anthropic: it could be openai/gpt-5 or anthropic/gpt-5; write one of them
        "gpt-5" at openai is openai/gpt-5
        "opus" is anthropic/claude-opus-5-5
        "opus" at team2 is team2/claude-opus-5-5
        "brand-new" at openai is openai/brand-new
        "brand-new": no provider is known for it; write provider/model
        "claude-opus-6": no provider is known for it; write provider/model; did you mean claude-opus-5?
        "twin": it could be away/twin or home/twin; write one of them
        "twin" at home is home/twin
        "hom/small": there is no provider "hom"; there are: anthropic, away, gemini, home, lmstudio, ollama, openai, rehearsal, team2, xai
        "home/": a name is missing; write provider/model
        "/small": a name is missing; write provider/model
        "": a name is missing; write provider/model
    "#]].assert_eq(&lines.concat());
}

#[test]
fn facts_are_the_persons_then_the_tables() {
    let config = config(MODELS);
    let of = |name: &str| config.facts(&config.model(name, None).unwrap());
    let small = ModelFacts {
        context_window: Some(32_000),
        max_output: Some(4_096),
        vision: Some(false),
        abilities: Abilities {
            tools: Some(models::CallForm::Text),
            simple: Some(true),
            parallel: Some(false),
            ..Abilities::default()
        },
        prices: Some(Prices {
            input: 500_000,
            output: 1_250_000,
            cache_read: 500_000,
            cache_write: 500_000,
        }),
    };
    assert_eq!(of("fast"), small);
    let gpt = of("gpt-5");
    assert_eq!((gpt.context_window, gpt.max_output), (Some(1_000), Some(128_000)));
    assert_eq!(of("anthropic/claude-opus"), of("opus"));
    assert_eq!(of("team2/claude-opus-5-5"), of("opus"));
    assert_eq!(of("away/unheard-of"), ModelFacts::default());
}

#[test]
fn a_bad_name_in_a_file_is_an_error() {
    check(
        "agents:
  a: { model: brand-new }
  b: { model: hom/small, plan_model: [x] }
  c: { model: twin }
  d: { backend: { type: openai, model: opus } }
providers: { home: { type: openai, base_url: 'http://x' } }
models:
  home/twin: {}
  ollama/twin: {}
  a: b
  b: a
  home/x: home/y
  nobody: { context_window: 5 }
",
        &expect![[r#"
            plancard.yaml:2: agents.a.model is "brand-new"; no provider is known for it; write provider/model
            plancard.yaml:3: agents.b.model is "hom/small"; there is no provider "hom"; there are: anthropic, gemini, home, lmstudio, ollama, openai, rehearsal, xai
            plancard.yaml:3: agents.b.plan_model is a list; allowed: the name of a model
            plancard.yaml:4: agents.c.model is "twin"; it could be home/twin or ollama/twin; write one of them
            plancard.yaml:5: agents.d.backend.model is "opus"; it could be anthropic/claude-opus-5-5 or openai/opus; write one of them
            plancard.yaml:10: models.a is "b"; the alias leads back to itself: b → a → b
            plancard.yaml:11: models.b is "a"; the alias leads back to itself: a → b → a
            plancard.yaml:12: models.home/x is a full name; allowed: a map of facts
            plancard.yaml:13: models.nobody is "nobody"; no provider is known for it; write provider/model
        "#]],
    );
}
