//! A server that has to be installed: the person is asked about the very hosts, by the real program.

use flow::{Client, Place, Serve};
use serde_json::{Value, json};
use support::{Registry, Reply, ScriptedModel, TempWorkspace, wait_for_some};

/// The question about the server that is not `before`.
async fn question(client: &Client, before: &str) -> Value {
    let other = async || {
        let asks = client.get("/v1/asks").await.ok();
        let asks = asks["items"].as_array().cloned().unwrap_or_default();
        asks.into_iter().find(|ask| ask["id"] != before)
    };
    wait_for_some(other, "the question").await
}

fn hosts(ask: &Value) -> &str {
    let detail = ask["detail"].as_array().unwrap().iter();
    detail.filter(|one| one["name"] == "hosts").find_map(|one| one["value"].as_str()).unwrap()
}

#[tokio::test]
async fn the_question_names_the_hosts_and_one_that_the_registry_leads_to_joins_it() {
    let registry = Registry::start();
    let (host, far) = (registry.host(), registry.far());
    let model = ScriptedModel::start(vec![Reply::text("without it")]).await;
    let more = format!(
        "mcp_servers:\n  far: {{ command: npx, args: [-y, far] }}\n\
         network: {{ private_hosts: [\"{host}\", \"{far}\"] }}"
    );
    let place = Place::with_model(&model, &more);
    let mut command = place.serve();
    command.env("PLANCARD_RIGHTS", "read,supervise,run,approve");
    command.env("npm_config_registry", format!("http://{host}/"));
    let serve = Serve::listening(command).await;
    let client = &serve.client;
    let workspace = TempWorkspace::new(&[]);
    // What lies in the workspace has no say.
    workspace.write(".npmrc", &format!("registry=http://{}/\n", registry.elsewhere()));
    let room = json!({ "workspace": workspace.path() });
    let room = client.post("/v1/rooms", room).await.ok();
    let messages = format!("/v1/rooms/{}/messages", room["id"].as_str().unwrap());
    client.post(&messages, json!({ "text": "go" })).await.ok();
    let allow = async |ask: &Value| {
        let path = format!("/v1/asks/{}/answer", ask["id"].as_str().unwrap());
        client.post(&path, json!({ "answer": "allow" })).await.ok();
    };
    let first = question(client, "").await;
    assert_eq!(hosts(&first), host);
    let text = first["text"].as_str().unwrap();
    assert!(text.contains(&format!("reaches only {host}.")), "{text}");
    assert_eq!(registry.log(), "", "nothing is asked of it before");
    allow(&first).await;
    let second = question(client, first["id"].as_str().unwrap()).await;
    assert_eq!(hosts(&second), format!("{host}, {far}"));
    let text = second["text"].as_str().unwrap();
    assert!(text.contains(&format!("leads to {far}, which was not allowed")), "{text}");
    assert!(!registry.log().contains(&format!(" {far} ")), "{}", registry.log());
    allow(&second).await;
    let packages = place.data().join("mcp/packages");
    let lockfile = wait_for_some(
        async || {
            let folder = std::fs::read_dir(&packages).ok()?.flatten().next()?.path();
            folder.join("installed").exists().then(|| folder.join("package-lock.json"))
        },
        "the package to be installed",
    )
    .await;
    assert!(std::fs::read_to_string(lockfile).unwrap().contains(&far));
    assert_eq!(registry.log_elsewhere(), "");
}
