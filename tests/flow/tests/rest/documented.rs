//! The description of the API is that of the API.

use crate::Desk;
use serde_json::Value;
use std::collections::BTreeSet;

/// Every method and path of a description.
pub(crate) fn operations(document: &Value) -> BTreeSet<(String, String)> {
    let paths = document["paths"].as_object().expect("a description has paths");
    let methods = ["get", "put", "post", "patch", "delete"];
    let of = |(path, item): (&String, &Value)| {
        let path = path.clone();
        let known = methods.into_iter().filter(|method| item.get(method).is_some());
        known.map(|method| (method.to_uppercase(), path.clone())).collect::<Vec<_>>()
    };
    paths.iter().flat_map(of).collect()
}

/// The routes as the router's source lists them.
fn routed() -> BTreeSet<(String, String)> {
    let source = include_str!("../../../../src-tauri/engine/src/rest/mod.rs");
    let lines = source.lines().filter_map(|line| line.trim().strip_prefix(".route(\""));
    let mut routes = BTreeSet::new();
    for line in lines {
        let (path, methods) = line.split_once('"').expect("a path is quoted");
        for method in ["get", "put", "post", "patch", "delete"] {
            if methods.contains(&format!("{method}(")) {
                routes.insert((method.to_uppercase(), path.to_owned()));
            }
        }
    }
    routes.remove(&("GET".to_owned(), "/openapi.json".to_owned()));
    routes
}

#[tokio::test]
async fn every_route_is_described_and_nothing_else_is() {
    let desk = Desk::with(vec![]).await;
    let document = desk.client().without("authorization").get("/openapi.json").await.ok();
    assert_eq!(document["openapi"].as_str().map(|version| &version[..4]), Some("3.1."));
    assert_eq!(operations(&document), routed());
    assert_eq!(document["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    let mut names = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with('2')), "{method} {path}");
            let error = &responses["default"]["content"]["application/json"]["schema"]["$ref"];
            assert_eq!(error, "#/components/schemas/ErrorBody", "{method} {path}");
            assert!(!operation["tags"].to_string().contains(':'), "{method} {path}");
            names.push(operation["operationId"].as_str().unwrap_or_default().to_owned());
        }
    }
    let unique: BTreeSet<&String> = names.iter().collect();
    assert_eq!(unique.len(), names.len(), "each operation has a name of its own: {names:?}");
}

#[tokio::test]
async fn every_reference_in_the_description_leads_somewhere() {
    let desk = Desk::with(vec![]).await;
    let document = desk.client().get("/openapi.json").await.ok();
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("it stays in the document");
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            references.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, references)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
