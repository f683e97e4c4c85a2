//! `plancard doctor`: whether Plancard can work here, and what to put right where it can't.

use crate::client::Client;
use crate::words::DoctorOptions;
use engine::{AgentModels, Checkup, ConfigProblem, Lines};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;

/// Looks, asks the models, and says what it found.
pub async fn run(options: DoctorOptions, lines: &Lines) -> Result<ExitCode, String> {
    let named = options.folders.name_config(|name| std::env::var_os(name));
    let (data, config) = options.folders.found(|name| std::env::var_os(name))?;
    let file = named.then(|| config.person_file());
    let client = Client::reach(&data, config, lines).await?;
    let mut report = Report { out: &mut stdout(), lines, in_words: !options.json, ok: true };
    let examined = examine(&client, options.model.as_deref(), file.as_deref(), &mut report).await;
    client.end().await;
    let mut found = examined?;
    if options.json {
        found["ok"] = json!(report.ok);
        report.write(&format!("{found:#}\n"));
    }
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What was found, in words as it comes.
struct Report<'a> {
    out: &'a mut dyn Write,
    lines: &'a Lines,
    in_words: bool,
    ok: bool,
}

impl Report<'_> {
    fn line(&mut self, words: &str) {
        if self.in_words {
            let line = self.lines.clean(format!("{words}\n").as_bytes());
            self.write(&line);
        }
    }

    /// Whoever started us may have closed the pipe; that is no reason to stop.
    fn write(&mut self, words: &str) {
        let _ = self.out.write_all(words.as_bytes());
        let _ = self.out.flush();
    }

    /// One thing that was looked at.
    fn check(&mut self, ok: bool, words: &str) {
        self.ok &= ok;
        self.line(&format!("{} {words}", if ok { "✓" } else { "✗" }));
    }

    /// More about the last one.
    fn more(&mut self, words: &str) {
        self.line(&format!("  {words}"));
    }
}

async fn examine(
    client: &Client,
    model: Option<&str>,
    file: Option<&Path>,
    report: &mut Report<'_>,
) -> Result<Value, String> {
    let running = matches!(client, Client::Running { .. });
    let found = client.get("/v1/checkup").await?;
    if running && found.status == 404 {
        return Err("the running Plancard is another version. Quit it, then try again.".to_owned());
    }
    let mut found = found.ok()?;
    let checkup: Checkup = serde_json::from_value(found.clone())
        .map_err(|error| format!("an answer can't be read: {error}"))?;
    tell(&checkup, running, report);
    tell_unused(client, file, &checkup);
    let mut tested = Vec::new();
    for name in model.map_or_else(|| models(&checkup.agents), |name| vec![name.to_owned()]) {
        tested.push(ask(client, &name, report).await?);
    }
    found["running"] = json!(running);
    found["models"] = json!(tested);
    Ok(found)
}

fn tell(checkup: &Checkup, running: bool, report: &mut Report<'_>) {
    let state = if running { "is running" } else { "is not running" };
    report.line(&format!("Plancard {} {state}", checkup.version));
    report.line(&format!("Data folder: {}", checkup.data));
    match &checkup.no_sandbox {
        None => report.check(true, "Sandbox: works"),
        Some(why) => report.check(false, &format!("Sandbox: {why}")),
    }
    match &checkup.not_limited {
        None => report.check(true, "Limits of commands: kept"),
        // Nothing that keeps Plancard from working.
        Some(what) => report.line(&format!("! Limits of commands: {what}")),
    }
    let missing = match Path::new(&checkup.config).exists() {
        true => "",
        false => " is not there; the defaults hold",
    };
    let configuration = format!("Configuration: {}{missing}", checkup.config);
    report.check(checkup.errors.is_empty(), &configuration);
    checkup.errors.iter().for_each(|problem| report.more(&line("error", problem)));
    checkup.warnings.iter().for_each(|problem| report.more(&line("warning", problem)));
    for AgentModels { name, model, plan_model } in &checkup.agents {
        let plans = plan_model.as_ref().map(|plans| format!(", plans with {plans}"));
        report.line(&format!("Agent {name}: {model}{}", plans.unwrap_or_default()));
    }
    if checkup.agents.is_empty() {
        report.line("No agent can work until the configuration is fixed.");
    }
}

/// A problem of a file on one line, with its place.
pub fn line(level: &str, problem: &ConfigProblem) -> String {
    let line = problem.line.map_or(String::new(), |line| format!(":{line}"));
    format!("{}{line}: {level}: {}", problem.file, problem.message)
}

/// Every model once, in the order of the agents.
fn models(agents: &[AgentModels]) -> Vec<String> {
    let mut models: Vec<String> = Vec::new();
    for agent in agents {
        for model in [Some(&agent.model), agent.plan_model.as_ref()].into_iter().flatten() {
            if !models.contains(model) {
                models.push(model.clone());
            }
        }
    }
    models
}

/// Asks a model for a word, then for what it can do.
async fn ask(client: &Client, name: &str, report: &mut Report<'_>) -> Result<Value, String> {
    // A slow one is known by its name while it is waited for.
    if stderr().is_terminal() {
        eprintln!("asking {name} …");
    }
    let body = json!({ "model": name });
    let answer = client.post("/v1/models/test", &body).await?;
    let mut tested = match answer.ok() {
        Ok(tested) => tested,
        Err(message) => json!({ "model": name, "ok": false, "message": message }),
    };
    let message = tested["message"].as_str().unwrap_or_default();
    if tested["ok"] != json!(true) {
        report.check(false, &format!("{name}: {message}"));
        return Ok(tested);
    }
    report.check(true, message);
    let profile = client.post("/v1/models/profile", &body).await?;
    if profile.status == 404 {
        return Ok(tested);
    }
    match profile.ok() {
        Ok(profile) => {
            let words = profile["words"].as_array().into_iter().flatten();
            words.filter_map(Value::as_str).for_each(|words| report.more(words));
            report.ok &= profile["ok"] != json!(false);
            tested["profile"] = profile;
        }
        Err(message) => {
            report.ok = false;
            report.more(&message);
        }
    }
    Ok(tested)
}

/// Says that the configuration that was named, if one was, is not that of the running engine.
pub fn tell_unused(client: &Client, named: Option<&Path>, checkup: &Checkup) {
    let used = Path::new(&checkup.config);
    let running = matches!(client, Client::Running { .. });
    if let Some(file) = named.filter(|file| running && !same(file, used)) {
        let (file, used) = (file.display(), used.display());
        eprintln!("{file} is not what the running Plancard uses, which is {used}");
    }
}

/// Whether two paths are the same file.
fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    real(one) == real(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::StatusCode;
    use axum::routing::{get, post};
    use axum::{Json, Router};
    use engine::rest;

    /// What is said of a model by an engine that answers this when it is asked what one can do.
    async fn said_with(profile: Option<Value>) -> (String, bool, Value) {
        said_after(profile.map(|profile| (StatusCode::OK, profile))).await
    }

    /// The same, with the status of the answer.
    async fn said_after(profile: Option<(StatusCode, Value)>) -> (String, bool, Value) {
        let checkup = json!({
            "version": "1", "data": "d", "config": "c", "errors": [], "warnings": [],
            "agents": [{ "name": "default", "model": "x/y" }],
        });
        let tested = json!({ "model": "x/y", "ok": true, "message": "x/y answers." });
        let mut routes = Router::new()
            .route("/v1/checkup", get(async || Json(checkup)))
            .route("/v1/models/test", post(async || Json(tested)));
        if let Some((status, profile)) = profile {
            let answer = async move || (status, Json(profile));
            routes = routes.route("/v1/models/profile", post(answer));
        }
        let data = tempfile::tempdir().unwrap();
        let socket = rest::socket::listen(data.path()).unwrap();
        let socket = tokio::net::UnixListener::from_std(socket).unwrap();
        let served = tokio::spawn(async move { axum::serve(socket, routes).await });
        let client = Client::Running { data: data.path().to_owned() };
        let mut out = Vec::new();
        let mut report =
            Report { out: &mut out, lines: &Lines::default(), in_words: true, ok: true };
        let found = examine(&client, None, None, &mut report).await.unwrap();
        let ok = report.ok;
        served.abort();
        (String::from_utf8(out).unwrap(), ok, found["models"][0]["profile"].clone())
    }

    #[tokio::test]
    async fn what_a_model_can_do_is_said_where_the_engine_finds_out() {
        let profile =
            json!({ "model": "x/y", "ok": true, "words": ["plans \x1breliably", "fast"] });
        let (said, ok, found) = said_with(Some(profile.clone())).await;
        assert!(said.ends_with("✓ x/y answers.\n  plans \\u{1b}reliably\n  fast\n"), "{said}");
        assert_eq!((ok, found), (true, profile));
        let (said, ok, _) = said_with(Some(json!({ "ok": false, "words": ["no tools"] }))).await;
        assert!(said.ends_with("✓ x/y answers.\n  no tools\n") && !ok, "{said}");
        let (said, ok, found) = said_with(None).await;
        assert!(said.ends_with("✓ x/y answers.\n"), "{said}");
        assert_eq!((ok, found), (true, Value::Null));
    }

    #[tokio::test]
    async fn a_check_that_can_not_be_made_is_found_wrong() {
        let error = json!({ "error": { "code": "BUSY", "message": "the model is in use" } });
        let (said, ok, _) = said_after(Some((StatusCode::CONFLICT, error))).await;
        assert!(said.contains("the model is in use") && !ok, "{said}");
    }

    #[test]
    fn each_model_is_asked_once() {
        let agent = |model: &str, plans: Option<&str>| AgentModels {
            name: "a".to_owned(),
            model: model.to_owned(),
            plan_model: plans.map(str::to_owned),
        };
        let agents =
            [agent("x/small", Some("x/large")), agent("x/large", None), agent("y/z", Some("y/z"))];
        assert_eq!(models(&agents), ["x/small", "x/large", "y/z"]);
    }
}
