//! Each thing that can go wrong has its own kind of error and plain words.

use std::time::Duration;

use models::{ModelError, Reach, retry_after};
use tokio::net::TcpListener;

use super::server::{Answer, Server, Then, chunked, plain};
use super::*;

/// The error a raw answer leads to, with the server's address replaced.
async fn error(answer: Vec<u8>) -> ModelError {
    let server = Server::start(move |_| Answer { bytes: answer.clone(), then: Then::Close }).await;
    let (events, error) = turn(&model(&server.base_url), hello()).await;
    assert_eq!(events, []);
    let mut error = error.expect("this must fail");
    assert!(!error.to_string().contains(KEY), "{error}");
    if let ModelError::Unreachable { address, .. } | ModelError::NotJson { address } = &mut error {
        assert_eq!(*address, server.base_url);
        *address = "HERE".into();
    }
    error
}

async fn unreachable(base_url: &str) -> Reach {
    match turn(&model(base_url), hello()).await.1 {
        Some(ModelError::Unreachable { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn too_many_requests_and_an_empty_account_differ() {
    let limited = r#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#;
    let soon = error(plain("429 Too Many Requests", "retry-after: 7\r\n", limited)).await;
    assert_eq!(soon, ModelError::RateLimited { retry_after: Some(Duration::from_secs(7)) });
    assert_eq!(soon.to_string(), "the provider asks to slow down for 7 seconds");
    assert_eq!(retry_after(&soon, 1, 0.0), Some(Duration::from_secs(7)));
    assert_eq!(
        error(plain("429 Too Many Requests", "retry-after: 3600\r\n", limited)).await,
        ModelError::Quota { reset: Some(Duration::from_secs(3600)) }
    );
    let empty = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    assert_eq!(
        error(plain("429 Too Many Requests", "", empty)).await,
        ModelError::Quota { reset: None }
    );
}

#[tokio::test]
async fn a_server_in_trouble_is_temporary() {
    for (status, expected) in [
        ("500 Internal Server Error", ModelError::Server { status: 500 }),
        ("502 Bad Gateway", ModelError::Server { status: 502 }),
        ("503 Service Unavailable", ModelError::Overloaded { retry_after: None }),
        ("529 Overloaded", ModelError::Overloaded { retry_after: None }),
    ] {
        let error = error(plain(status, "content-type: text/html\r\n", "<html>sorry</html>")).await;
        assert_eq!(error, expected);
        assert!(error.is_temporary());
    }
}

#[tokio::test]
async fn key_model_and_length_are_named() {
    let body = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#);
    let key = error(plain("401 Unauthorized", "", &body)).await;
    assert_eq!(key, ModelError::InvalidKey { provider: "home".into() });

    let body =
        r#"{"error":{"message":"The model `small` does not exist","code":"model_not_found"}}"#;
    let unknown = error(plain("404 Not Found", "", body)).await;
    assert_eq!(unknown.to_string(), "home has no model named small: choose another one");

    let body = r#"{"error":{"message":"This model's maximum context length is 8192 tokens","type":"invalid_request_error","code":"context_length_exceeded"}}"#;
    assert_eq!(error(plain("400 Bad Request", "", body)).await, ModelError::ContextTooLong);

    let body = format!(r#"{{"error":"bad\n field for {KEY}"}}"#);
    let bad = error(plain("400 Bad Request", "", &body)).await;
    assert_eq!(bad, ModelError::BadRequest { message: "bad field for …".into() });
}

#[tokio::test]
async fn an_address_without_a_model_is_said_so() {
    let page = "<!doctype html><title>Welcome</title>";
    let not_json = ModelError::NotJson { address: "HERE".into() };
    assert_eq!(error(plain("200 OK", "content-type: text/html\r\n", page)).await, not_json);
    assert_eq!(error(plain("404 Not Found", "", page)).await, not_json);
    let elsewhere = ModelError::Unreachable { why: Reach::NotThere, address: "HERE".into() };
    assert_eq!(error(plain("404 Not Found", "", "{}")).await, elsewhere);
    let moved = plain("307 Temporary Redirect", "location: http://127.0.0.1:1/\r\n", "");
    assert_eq!(error(moved).await, elsewhere);
}

#[tokio::test]
async fn what_can_not_be_reached_says_why() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let refused = ModelError::Unreachable { why: Reach::Refused, address: "http://here/v1".into() };
    let words = "nothing answers at http://here/v1: is the server running?";
    assert_eq!(refused.to_string(), words);
    assert_eq!(unreachable(&format!("http://{address}/v1")).await, Reach::Refused);
    assert_eq!(unreachable("http://no-such-host.invalid/v1").await, Reach::NoHost);
    assert_eq!(unreachable("not an address").await, Reach::Invalid);

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.read_u8().await.unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    });
    assert_eq!(unreachable(&format!("https://{address}/v1")).await, Reach::Tls);
}

#[tokio::test]
async fn answers_that_can_not_be_read() {
    for lines in [
        &[r#"{"choices":["#][..],
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path"}}]},"finish_reason":"tool_calls"}]}"#,
            "[DONE]",
        ],
    ] {
        let error = error(chunked(lines)).await;
        assert_eq!(error.code(), "MODEL_MALFORMED", "{error}");
    }
    let json = plain("200 OK", "content-type: application/json\r\n", r#"{"choices":[]}"#);
    assert_eq!(error(json).await.code(), "MODEL_MALFORMED");
}

#[tokio::test]
async fn an_error_in_mid_stream_has_its_kind() {
    for (line, code) in [
        (r#"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#, "MODEL_OVERLOADED"),
        (r#"{"error":{"message":"slow down","code":429}}"#, "MODEL_RATE_LIMITED"),
        (r#"{"error":"out of memory"}"#, "MODEL_SERVER_ERROR"),
        (
            r#"{"error":{"code":400,"message":"too much","type":"exceed_context_size_error"}}"#,
            "MODEL_CONTEXT_TOO_LONG",
        ),
    ] {
        assert_eq!(error(chunked(&[line, "[DONE]"])).await.code(), code, "{line}");
    }
}
