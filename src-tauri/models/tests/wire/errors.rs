//! Each thing that can go wrong has its own kind of error and plain words, whoever says it.

use std::fmt::Write as _;
use std::time::Duration;

use expect_test::expect_file;
use models::{ModelError, ModelEvent, Patience, Reach, retry_after};
use support::self_signed;
use tokio::net::TcpListener;

use super::server::{Answer, Server, Then, chunked, plain};
use super::speakers::{Speaker, anthropic, chat, gemini, protocols, responses};
use super::*;

/// What a server says, and what is to be made of it.
struct Case(&'static str, Vec<u8>);

fn case(what: &'static str, status: &str, headers: &str, body: &str) -> Case {
    Case(what, plain(status, headers, body))
}

/// The error a raw answer leads to, with the server's address replaced.
async fn error(speaker: &Speaker, answer: Vec<u8>) -> ModelError {
    let server = Server::start(move |_| Answer { bytes: answer.clone(), then: Then::Close }).await;
    let base_url = server.base_url(speaker);
    let (events, error) = turn(&*speaker.client(&base_url), hello(speaker)).await;
    assert_eq!(events, []);
    let mut error = error.expect("this must fail");
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    if let ModelError::Unreachable { address, .. } | ModelError::NotJson { address } = &mut error {
        assert_eq!(*address, base_url);
        *address = "HERE".into();
    }
    error
}

/// What goes wrong in the same way everywhere.
fn everywhere() -> Vec<Case> {
    let page = "<!doctype html><title>Welcome</title>";
    let html = "content-type: text/html\r\n";
    let key_repeated = format!(r#"{{"error":{{"message":"bad\n field for {KEY}"}}}}"#);
    vec![
        case("500 with a page", "500 Internal Server Error", html, page),
        case("502 with a page", "502 Bad Gateway", html, page),
        case("503 with a page", "503 Service Unavailable", html, page),
        case("500 with a wait", "500 Internal Server Error", "retry-after: 4\r\n", "{}"),
        case("502 with a wait", "502 Bad Gateway", "retry-after: 5\r\n", page),
        case("529 with a wait", "529 Overloaded", "retry-after: 3\r\n", "{}"),
        case("429 with a short wait", "429 Too Many Requests", "retry-after: 7\r\n", "{}"),
        case("429 with a long wait", "429 Too Many Requests", "retry-after: 3600\r\n", "{}"),
        case("429 with a week", "429 Too Many Requests", "retry-after: 604800\r\n", "{}"),
        case("503 with a week", "503 Service Unavailable", "retry-after: 604800\r\n", "{}"),
        case("429 with nonsense", "429 Too Many Requests", "retry-after: -7\r\n", "{}"),
        case("503 with nonsense", "503 Service Unavailable", "retry-after: 1e99\r\n", "{}"),
        case("a page instead of an answer", "200 OK", html, page),
        case("a page that is not there", "404 Not Found", "", page),
        case("nothing there", "404 Not Found", "", "{}"),
        case("moved", "307 Temporary Redirect", "location: http://127.0.0.1:1/\r\n", ""),
        case(
            "not allowed",
            "403 Forbidden",
            "",
            &format!(r#"{{"error":{{"message":"Your region is not supported for {KEY}"}}}}"#),
        ),
        case("not allowed, without words", "403 Forbidden", "", "{}"),
        case(
            "500 with words",
            "500 Internal Server Error",
            "",
            r#"{"error":{"message":"the disk is full"}}"#,
        ),
        case(
            "an error with status 200",
            "200 OK",
            "content-type: application/json\r\n",
            r#"{"error":{"message":"the disk is full"}}"#,
        ),
        case(
            "429 with a long wait, called a quota",
            "429 Too Many Requests",
            "retry-after: 3600\r\n",
            r#"{"error":{"message":"Your monthly quota is used up"}}"#,
        ),
        case("too large", "413 Payload Too Large", "", "{}"),
        case("a bad request that repeats the key", "400 Bad Request", "", &key_repeated),
        case("JSON, no stream", "200 OK", "content-type: application/json\r\n", r#"{"a":1}"#),
        case(
            "a secure server's words",
            "400 Bad Request",
            "",
            "Client sent an HTTP request to an HTTPS server.\n",
        ),
        case(
            "a secure server's page",
            "400 Bad Request",
            html,
            "<html><center>The plain HTTP request was sent to HTTPS port</center>",
        ),
        // As a secure connection begins to say no.
        Case("a secure server", vec![0x15, 3, 1, 0, 2, 2, 70]),
        Case("an empty stream", chunked(&[])),
        Case("half a piece", chunked(&[r#"{"choices":["#])),
    ]
}

/// OpenAI's own words, which compatible servers use as well.
fn openai() -> Vec<Case> {
    let key = format!(
        r#"{{"error":{{"message":"Incorrect API key provided: {KEY}","type":"invalid_request_error","code":"invalid_api_key"}}}}"#
    );
    vec![
        case("key", "401 Unauthorized", "", &key),
        case(
            "model",
            "404 Not Found",
            "",
            r#"{"error":{"message":"The model `small` does not exist","type":"invalid_request_error","code":"model_not_found"}}"#,
        ),
        case(
            "too long",
            "400 Bad Request",
            "",
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        ),
        case(
            "empty account",
            "429 Too Many Requests",
            "",
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        ),
    ]
}

fn cases(speaker: &Speaker) -> Vec<Case> {
    match speaker.protocol {
        Protocol::OpenAiChat => {
            let mut cases = openai();
            cases.extend([
                // As xAI says it.
                case("key (xAI)", "400 Bad Request", "", &format!(r#"{{"code":"Client specified an invalid argument","error":"Incorrect API key provided: {KEY}."}}"#)),
                case("model (xAI)", "404 Not Found", "", r#"{"code":"Some requested entity was not found","error":"The model grok-9 does not exist or your team does not have access to it."}"#),
                case("empty account (xAI)", "403 Forbidden", "", r#"{"code":"The caller does not have permission","error":"Your newly created team doesn't have any credits yet."}"#),
                case("spending limit (xAI)", "429 Too Many Requests", "", r#"{"code":"Some resource has been exhausted","error":"Your team has either used all available credits or reached its monthly spending limit."}"#),
                // As Ollama and LM Studio say it.
                case("model (Ollama)", "404 Not Found", "", r#"{"error":{"message":"model \"small\" not found, try pulling it first","type":"api_error","param":null,"code":null}}"#),
                case("words alone (LM Studio)", "400 Bad Request", "", r#"{"error":"No models loaded. Please load a model in the developer page."}"#),
                Case("overloaded in the stream", chunked(&[r#"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#, "[DONE]"])),
                Case("limited in the stream", chunked(&[r#"{"error":{"message":"slow down","code":429}}"#])),
                Case("broken in the stream", chunked(&[r#"{"error":"out of memory"}"#])),
                Case("too long in the stream", chunked(&[r#"{"error":{"code":400,"message":"too much","type":"exceed_context_size_error"}}"#])),
                Case("filtered", chunked(&[r#"{"choices":[{"delta":{"content":""},"finish_reason":"content_filter"}]}"#, "[DONE]"])),
                Case("filtered, with words for it", chunked(&[r#"{"choices":[{"delta":{},"finish_reason":"content_filter: RECITATION"}]}"#])),
                Case("broken off", chunked(&[r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#, "[DONE]"])),
                Case("only the end mark", chunked(&["[DONE]"])),
                Case("no words and the end mark", chunked(&[r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#, "[DONE]"])),
            ]);
            cases
        }
        Protocol::OpenAiResponses => {
            let mut cases = openai();
            cases.extend([
                Case("failed in the stream", chunked(&[r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"The model failed"}}}"#])),
                Case("limited in the stream", chunked(&[r#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}}"#])),
                Case("an error event", chunked(&[r#"{"type":"error","code":"insufficient_quota","message":"You exceeded your current quota","param":null}"#])),
                Case("an error event around an error", chunked(&[r#"{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}"#])),
                Case("filtered", chunked(&[r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}"#])),
                Case("only the end mark of others", chunked(&["[DONE]"])),
            ]);
            cases
        }
        Protocol::Anthropic => vec![
            case(
                "key",
                "401 Unauthorized",
                "",
                r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}"#,
            ),
            case(
                "model",
                "404 Not Found",
                "",
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-nine"}}"#,
            ),
            case(
                "too long",
                "400 Bad Request",
                "",
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            ),
            case(
                "limited",
                "429 Too Many Requests",
                "retry-after: 12\r\n",
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit"}}"#,
            ),
            case(
                "overloaded",
                "529 ",
                "",
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            ),
            case(
                "empty account",
                "400 Bad Request",
                "",
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
            ),
            case(
                "thinking of another conversation",
                "400 Bad Request",
                "",
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block."}}"#,
            ),
            Case(
                "overloaded in the stream",
                chunked(&[
                    r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                ]),
            ),
            Case(
                "limited in the stream",
                chunked(&[
                    r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#,
                ]),
            ),
            Case(
                "broken in the stream",
                chunked(&[
                    r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
                ]),
            ),
            Case(
                "refused",
                chunked(&[
                    r#"{"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":1}}"#,
                    r#"{"type":"message_stop"}"#,
                ]),
            ),
            Case("only the end mark", chunked(&[r#"{"type":"message_stop"}"#])),
        ],
        Protocol::Gemini => vec![
            case(
                "key",
                "400 Bad Request",
                "",
                r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#,
            ),
            case(
                "no key",
                "403 Forbidden",
                "",
                r#"{"error":{"code":403,"message":"Method doesn't allow unregistered callers.","status":"PERMISSION_DENIED"}}"#,
            ),
            case(
                "model",
                "404 Not Found",
                "",
                r#"{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.","status":"NOT_FOUND"}}"#,
            ),
            case(
                "too long",
                "400 Bad Request",
                "",
                r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
            ),
            case(
                "limited, the wait in the body",
                "429 Too Many Requests",
                "",
                r#"[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_free_tier_requests","quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier","quotaValue":"10"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"}]}}]"#,
            ),
            case(
                "none allowed",
                "429 Too Many Requests",
                "",
                r#"{"error":{"code":429,"message":"You exceeded your current quota. Quota exceeded for metric: free_tier_requests, limit: 0","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"20s"}]}}"#,
            ),
            case(
                "overloaded",
                "503 Service Unavailable",
                "",
                r#"{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}"#,
            ),
            Case(
                "overloaded in the stream",
                chunked(&[
                    r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#,
                ]),
            ),
            Case(
                "blocked before it began",
                chunked(&[r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}"#]),
            ),
            Case("filtered", chunked(&[r#"{"candidates":[{"finishReason":"SAFETY"}]}"#])),
            Case(
                "a call it could not write",
                chunked(&[
                    r#"{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call"}]}"#,
                ]),
            ),
            Case(
                "recited",
                chunked(&[
                    r#"{"candidates":[{"content":{"parts":[]},"finishReason":"RECITATION"}]}"#,
                ]),
            ),
            Case(
                "nothing said",
                chunked(&[
                    r#"{"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}]}"#,
                ]),
            ),
        ],
        Protocol::Rehearsal | Protocol::Acp => Vec::new(),
    }
}

/// Kind, whether it is tried again, and the words, for every case.
async fn table(speaker: &Speaker) -> String {
    let mut table = String::new();
    for Case(what, answer) in everywhere().into_iter().chain(cases(speaker)) {
        let error = error(speaker, answer).await;
        let soon = error.is_temporary() && error.renewal().is_none();
        assert_eq!(soon, retry_after(&error, 1, 0.0).is_some(), "{what}");
        let again = retry_after(&error, 1, 0.0).map_or("not tried again".to_owned(), |wait| {
            format!("tried again in {} s", wait.as_secs())
        });
        writeln!(table, "{what}\n    {} ({again})\n    {error}", error.code())
            .expect("text can be written to");
    }
    table
}

#[tokio::test]
async fn every_error_of_chat_completions() {
    expect_file!["./errors/chat.txt"].assert_eq(&table(&chat()).await);
}

#[tokio::test]
async fn every_error_of_responses() {
    expect_file!["./errors/responses.txt"].assert_eq(&table(&responses()).await);
}

#[tokio::test]
async fn every_error_of_anthropic() {
    expect_file!["./errors/anthropic.txt"].assert_eq(&table(&anthropic()).await);
}

#[tokio::test]
async fn every_error_of_gemini() {
    expect_file!["./errors/gemini.txt"].assert_eq(&table(&gemini()).await);
}

#[tokio::test]
async fn a_quota_says_when_it_is_renewed() {
    let day = Duration::from_secs(24 * 3600);
    let body = r#"{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"30s"}]}}"#;
    let daily = error(&gemini(), plain("429 Too Many Requests", "", body)).await;
    let ModelError::Quota { reset: Some(reset) } = daily else { panic!("{daily:?}") };
    assert!(reset > Duration::ZERO && reset <= day, "{reset:?}");

    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 9999-12-01 at 00:00 UTC."}}"#;
    let monthly = error(&anthropic(), plain("400 Bad Request", "", body)).await;
    let ModelError::Quota { reset: Some(reset) } = monthly else { panic!("{monthly:?}") };
    assert!(reset > 1000 * day, "{reset:?}");
}

async fn unreachable(speaker: &Speaker, base_url: &str) -> (Reach, bool) {
    let error = turn(&*speaker.client(base_url), hello(speaker)).await.1.expect("this must fail");
    let temporary = error.is_temporary();
    let ModelError::Unreachable { why, .. } = error else { panic!("{error:?}") };
    (why, temporary)
}

#[tokio::test]
async fn what_can_not_be_reached_says_why() {
    let refused = ModelError::Unreachable { why: Reach::Refused, address: "http://here/v1".into() };
    let words = "nothing answers at http://here/v1: is the server running?";
    assert_eq!(refused.to_string(), words);
    for speaker in protocols() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let closed = format!("http://{address}/v1");
        assert_eq!(unreachable(&speaker, &closed).await, (Reach::Refused, false));
        let nowhere = "http://no-such-host.invalid/v1";
        assert_eq!(unreachable(&speaker, nowhere).await, (Reach::NoHost, false));
        assert_eq!(unreachable(&speaker, "not an address").await, (Reach::Invalid, false));

        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            use tokio::io::{AsyncReadExt, AsyncWriteExt};
            let (mut socket, _) = listener.accept().await.unwrap();
            socket.read_u8().await.unwrap();
            socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        });
        let insecure = format!("https://{address}/v1");
        assert_eq!(unreachable(&speaker, &insecure).await, (Reach::NotSecure, false));
        let unknown = format!("https://127.0.0.1:{}/v1", self_signed());
        assert_eq!(unreachable(&speaker, &unknown).await, (Reach::Tls, false));
    }
}

/// A server may say nothing for so many seconds.
fn within(seconds: u64) -> Patience {
    Patience { silence: Duration::from_secs(seconds), ..Patience::default() }
}

/// Two seconds are far longer than the pauses of a server that goes on talking, and no test waits
/// for the five minutes that a real one has.
#[tokio::test]
async fn a_slow_answer_is_read_to_its_end_and_a_silent_one_is_given_up() {
    for speaker in protocols() {
        let patience = within(2);
        let whole = chunked(speaker.words);
        let slow = Server::slow(whole.clone(), 6, Duration::from_millis(400)).await;
        let client = speaker.client_within(&slow.base_url(&speaker), patience);
        let (events, error) = turn(&*client, hello(&speaker)).await;
        assert_eq!(error, None, "{}: longer in all than it may be silent", speaker.name);
        assert!(matches!(events.last(), Some(ModelEvent::Done(_))), "{events:?}");

        let patience = within(1);
        for said in [0, whole.len() / 2] {
            let begun = whole[..said].to_vec();
            let hangs = Server::start(move |_| Answer { bytes: begun.clone(), then: Then::Hang });
            let hangs = hangs.await;
            let client = speaker.client_within(&hangs.base_url(&speaker), patience);
            let (_, error) = turn(&*client, hello(&speaker)).await;
            assert_eq!(error, Some(ModelError::Silent { seconds: 1 }), "{}", speaker.name);
        }
    }
}

/// A head and then nothing: whatever the head says, nobody waits for the rest for ever.
#[tokio::test]
async fn a_head_without_a_body_is_given_up_as_well() {
    let patience = within(1);
    let silent = ModelError::Silent { seconds: 1 };
    let (retry_after, message) = (None, String::new());
    let broken = ModelError::Server { status: Some(500), retry_after, message };
    let key = ModelError::InvalidKey { provider: "home".into() };
    let rows = [
        ("200 OK", "text/event-stream", "transfer-encoding: chunked", &silent),
        ("200 OK", "text/event-stream", "content-length: 100", &silent),
        ("200 OK", "text/event-stream", "connection: close", &silent),
        ("200 OK", "application/json", "transfer-encoding: chunked", &silent),
        ("200 OK", "text/html", "content-length: 100", &silent),
        ("500 Internal Server Error", "application/json", "content-length: 100", &broken),
        ("401 Unauthorized", "application/json", "content-length: 100", &key),
    ];
    for speaker in protocols() {
        for (status, kind, framing, expected) in rows {
            let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{framing}\r\n\r\n");
            let answer = move |_| Answer { bytes: head.clone().into_bytes(), then: Then::Hang };
            let hangs = Server::start(answer).await;
            let client = speaker.client_within(&hangs.base_url(&speaker), patience);
            let place = format!("{}: {status}, {kind}, {framing}", speaker.name);
            let answered = tokio::time::timeout(models::SILENCE / 4, async {
                turn(&*client, hello(&speaker)).await
            });
            let (events, error) = answered.await.unwrap_or_else(|_| panic!("{place}: it hangs"));
            assert_eq!((events, error.as_ref()), (Vec::new(), Some(expected)), "{place}");
        }
    }
}
