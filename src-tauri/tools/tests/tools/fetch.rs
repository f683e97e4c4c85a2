//! Getting text from the web, and from nowhere else.

use crate::support::{Desk, desk};
use crate::web::{Web, ok};
use serde_json::{Value, json};
use std::sync::Arc;
use tools::{Effect, Target};

async fn web() -> Web {
    Web::serve(|path| match path {
        "/page" => ok("text/html; charset=utf-8", "<p>hello</p>"),
        "/data" => ok("application/json", "{\"a\":1}"),
        "/picture" => ok("image/png", "x"),
        "/binary" => ok("text/plain", "a\0b"),
        "/long" => ok("text/plain", &"one line of text\n".repeat(10_000)),
        "/huge" => ok("text/plain", &"0123456789abcdef".repeat(400_000)),
        "/here" => "HTTP/1.1 302 Found\r\nLocation: /page\r\nConnection: close\r\n\r\n".into(),
        "/round" => "HTTP/1.1 302 Found\r\nLocation: /round\r\nConnection: close\r\n\r\n".into(),
        "/away" => {
            "HTTP/1.1 302 Found\r\nLocation: http://other.example/x\r\nConnection: close\r\n\r\n"
                .into()
        }
        _ => "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nnone"
            .into(),
    })
    .await
}

fn at(web: &Web, path: &str) -> Value {
    json!({ "url": format!("http://127.0.0.1:{}{path}", web.port) })
}

fn allowing(web: &Web) -> Desk {
    let mut desk = desk();
    desk.ctx.private_hosts = Arc::new([format!("127.0.0.1:{}", web.port)]);
    desk
}

#[tokio::test]
async fn text_is_fetched_and_everything_else_is_told() {
    let web = web().await;
    let desk = allowing(&web);
    let get = async |path| desk.run("fetch", at(&web, path)).await;
    assert_eq!(get("/page").await.unwrap().text, "<p>hello</p>");
    assert_eq!(get("/data").await.unwrap().text, "{\"a\":1}");
    assert_eq!(get("/here").await.unwrap().text, "<p>hello</p>", "followed on the same host");
    let missing = get("/none").await.unwrap();
    assert!(missing.failed && missing.text.starts_with("(the server said 404"));
    for (path, words) in [
        ("/picture", "it is image/png, and only text is fetched"),
        ("/binary", "it is binary data, although the server calls it text/plain"),
        ("/round", "leads on more than 5 times"),
    ] {
        let error = get(path).await.unwrap_err();
        assert_eq!(error.code(), "FETCH_FAILED");
        assert!(error.to_string().contains(words), "{error}");
    }
    let away = get("/away").await.unwrap();
    assert_eq!(
        away.text,
        "(it leads to http://other.example/x; fetch that address if you need it)"
    );
    assert!(web.seen().iter().all(|head| head.starts_with("GET ")));
}

/// Who does not write UTF-8 says so in one of several places.
#[tokio::test]
async fn text_in_another_encoding_is_read_in_it() {
    let wide = |text: &str, big: bool| -> Vec<u8> {
        let units = text.encode_utf16();
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let marked = |mark: &[u8], body: Vec<u8>| [mark.to_vec(), body].concat();
    let in_page = |meta: &str, bytes: &[u8]| [meta.as_bytes(), bytes].concat();
    let html5 = "<!doctype html><html><head><meta charset='windows-1251'>";
    let html4 = "<META http-equiv=Content-Type content=\"text/html; charset=Shift_JIS\">";
    let xml = "<?xml version=\"1.0\" encoding='ISO-8859-2'?>";
    let rows: Vec<(&str, &str, Vec<u8>, String)> = vec![
        ("/latin", "text/plain; charset=ISO-8859-1", b"caf\xe9".to_vec(), "café".into()),
        ("/quoted", "text/plain; Charset=\"windows-1252\"", b"\x93x\x94".to_vec(), "“x”".into()),
        ("/kanji", "text/html;charset=shift_jis", b"\x93\xfa\x96\x7b".to_vec(), "日本".into()),
        ("/euc", "text/plain; charset=euc-kr", b"\xc7\xd1".to_vec(), "한".into()),
        ("/wide", "text/plain; charset=utf-16le", wide("añb", false), "añb".into()),
        ("/mark16", "text/plain", marked(b"\xfe\xff", wide("añb", true)), "añb".into()),
        ("/mark8", "text/plain; charset=latin1", "\u{feff}añb".into(), "añb".into()),
        ("/meta5", "text/html", in_page(html5, b"\xe4\xe0"), format!("{html5}да")),
        ("/meta4", "text/html", in_page(html4, b"\x93\xfa"), format!("{html4}日")),
        ("/xml", "application/xml", in_page(xml, b"\xb3"), format!("{xml}ł")),
        ("/untold", "text/plain", b"caf\xe9 au lait".to_vec(), "café au lait".into()),
        ("/utf8", "text/plain", "añb".into(), "añb".into()),
        ("/nonsense", "text/plain; charset=klingon", "añb".into(), "añb".into()),
        ("/broken", "text/plain; charset=utf-8", b"a\xffb".to_vec(), "a\u{fffd}b".into()),
    ];
    let served = rows.clone();
    let web = Web::serve(move |path| {
        let (_, kind, body, _) = served.iter().find(|(at, ..)| *at == path).unwrap();
        [ok(kind, "").into_bytes(), body.clone()].concat()
    })
    .await;
    let desk = allowing(&web);
    for (path, kind, _, text) in rows {
        let read = desk.run("fetch", at(&web, path)).await;
        assert_eq!(read.unwrap().text, text, "{path} as {kind}");
    }
}

/// Whatever a server calls it.
#[tokio::test]
async fn binary_data_is_refused_in_plain_words() {
    let picture = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR".to_vec();
    let packed: Vec<u8> = (1..=255u8).cycle().take(5000).collect();
    for (kind, bytes) in [
        ("text/plain", picture.clone()),
        ("text/html; charset=windows-1252", picture),
        ("text/plain", packed.clone()),
        ("application/json; charset=iso-8859-1", packed),
    ] {
        let web = Web::serve(move |_| [ok(kind, "").into_bytes(), bytes.clone()].concat()).await;
        let error = allowing(&web).run("fetch", at(&web, "/")).await.unwrap_err().to_string();
        let words = "it is binary data, although the server calls it ";
        assert!(error.contains(words), "{kind}: {error}");
    }
}

/// Nothing may be looked up again after its addresses were seen to be fine.
#[tokio::test]
async fn a_name_with_a_dot_at_its_end_is_the_same_name() {
    let web = web().await;
    let mut desk = desk();
    desk.ctx.private_hosts = Arc::new([format!("localhost:{}", web.port)]);
    for dots in ["", "."] {
        let url = json!({ "url": format!("http://localhost{dots}:{}/page", web.port) });
        let facts = desk.facts("fetch", url.clone()).unwrap();
        let host = format!("localhost:{}", web.port);
        assert_eq!(facts.targets, [Target::Host { host: host.clone() }]);
        assert_eq!(desk.run("fetch", url).await.unwrap().text, "<p>hello</p>");
        let asked = web.seen().pop().unwrap().to_lowercase();
        assert!(asked.contains(&format!("host: {host}\r\n")), "{asked}");
    }
}

/// A grant is for one server, and another port is another one.
#[tokio::test]
async fn a_redirect_to_another_port_is_told_and_not_followed() {
    let other = web().await;
    let to = format!(
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{}/page\r\nConnection: close\r\n\r\n",
        other.port
    );
    let first = Web::serve(move |_| to.clone()).await;
    let mut desk = desk();
    let hosts = [&first, &other].map(|web| format!("127.0.0.1:{}", web.port));
    desk.ctx.private_hosts = Arc::new(hosts);
    let led = desk.run("fetch", at(&first, "/")).await.unwrap();
    assert!(led.text.starts_with("(it leads to http://127.0.0.1:"), "{}", led.text);
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn long_text_is_cut_and_huge_text_is_stopped() {
    let web = web().await;
    let desk = allowing(&web);
    let long = desk.run("fetch", at(&web, "/long")).await.unwrap();
    assert!(long.text.len() < 34_000 && long.text.contains("bytes left out: lines "));
    assert_eq!(long.full.unwrap().lines().count(), 10_000);
    let huge = desk.run("fetch", at(&web, "/huge")).await.unwrap();
    assert!(huge.text.ends_with("[stopped after 4194304 bytes]"), "{}", huge.text.len());
}

#[tokio::test]
async fn this_computer_and_its_neighbours_are_refused() {
    let web = web().await;
    let desk = desk();
    let port = web.port;
    for url in [
        format!("http://127.0.0.1:{port}/page"),
        format!("http://localhost:{port}/page"),
        format!("http://[::1]:{port}/page"),
        format!("http://[::ffff:127.0.0.1]:{port}/page"),
        format!("http://0.0.0.0:{port}/page"),
        format!("http://127.1:{port}/page"),
        format!("http://2130706433:{port}/page"),
        format!("http://0x7f000001:{port}/page"),
        "http://169.254.169.254/latest/meta-data".into(),
        "http://10.0.0.1/".into(),
        "http://192.168.0.1/".into(),
    ] {
        assert_eq!(desk.fails("fetch", json!({ "url": url })).await, "PRIVATE_HOST", "{url}");
    }
    assert!(web.seen().is_empty());
}

#[tokio::test]
async fn facts_name_the_host_and_bad_addresses_are_refused() {
    let desk = desk();
    let facts = desk.facts("fetch", json!({"url": "https://Docs.Example/x?y"})).unwrap();
    assert_eq!(facts.effect, Effect::Network);
    assert_eq!(facts.targets, [Target::Host { host: "docs.example".into() }]);
    let facts = desk.facts("fetch", json!({"url": "http://a.example:8080/"})).unwrap();
    assert_eq!(facts.targets, [Target::Host { host: "a.example:8080".into() }]);
    for url in
        ["", "a.example", "file:///etc/passwd", "ftp://a", "https://u:p@a.example/", "https://"]
    {
        assert_eq!(desk.fails("fetch", json!({ "url": url })).await, "BAD_ARGUMENTS", "{url}");
    }
}
