//! `fetch`: the text at an address on the web.
//!
//! Only GET, and only to the host that was named: a redirect to another host
//! is told, not followed, because nobody has agreed to that one.

mod encoding;

use crate::error::ToolError;
use crate::facts::{Effect, Facts, Target};
use crate::network::{Host, resolve};
use crate::output::Output;
use crate::secrets::Secrets;
use crate::toolbox::{Means, RunContext, ToolSpec};
use crate::{args, cut};
use futures::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The most that is read of an answer, and the most of it a model gets.
const LARGEST: usize = 4 * 1024 * 1024;
const SHOWN: usize = 32 * 1024;
/// Redirects on one host that are followed.
const HOPS: usize = 5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    url: String,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "fetch",
        description: "Get the text at an http or https address. A person is asked for each host.",
        schema: json!({
            "type": "object",
            "properties": {
                "url": { "type": "string", "description": "The whole address, with https://." }
            },
            "required": ["url"],
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value) -> Result<Facts, ToolError> {
    let args: Args = args::read(spec, args)?;
    let (_, host) = address(spec, &args.url)?;
    Ok(Facts { effect: Effect::Network, targets: vec![Target::Host { host: host.to_string() }] })
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ctx: &RunContext,
    means: &Means,
) -> Result<Output, ToolError> {
    let args: Args = args::read(spec, args)?;
    let (mut url, host) = address(spec, &args.url)?;
    let problem = |problem: String| ToolError::Fetch { url: args.url.clone(), problem };
    let Some(http) = means.http else {
        return Err(problem("this program has no way to the web".into()));
    };
    let work = async {
        for _ in 0..=HOPS {
            let (_, hop) = address(spec, url.as_str())?;
            // As grants name it: another port is another server.
            if hop.to_string() != host.to_string() {
                let text = format!("(it leads to {url}; fetch that address if you need it)");
                return Ok(Output::said(text));
            }
            let client = client(http, &hop, &ctx.private_hosts).await?;
            let sent =
                client.get(url.clone()).header(ACCEPT, "text/*, application/json;q=0.9, */*;q=0.1");
            let response = sent.send().await.map_err(|err| problem(in_words(&err)))?;
            match next(&url, &response) {
                Some(next) => url = next,
                None => return read(response, &args.url, &*ctx.secrets).await,
            }
        }
        Err(problem(format!("it leads on more than {HOPS} times")))
    };
    tokio::select! {
        answer = work => answer,
        () = ctx.cancel.cancelled() => Err(ToolError::Cancelled { so_far: None }),
    }
}

/// The address and the host in it.
fn address(spec: &ToolSpec, text: &str) -> Result<(Url, Host), ToolError> {
    let bad = |words: &str| args::bad(spec, format!("`url` {words}"));
    let mut url = Url::parse(text).map_err(|_| {
        let why = "is no whole address, which begins with https:// and names a host";
        bad(&format!("{why}: {}", args::shown(text)))
    })?;
    let port = match url.scheme() {
        "https" => 443,
        "http" => 80,
        _ => return Err(bad("has to begin with http:// or https://")),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("holds a user name or password, which does not belong there"));
    }
    let name = url.host_str().ok_or_else(|| bad("names no host"))?;
    let named = match url.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    };
    let host = Host::parse(&named, port).ok_or_else(|| bad("names no host"))?;
    // A name that ends with a dot is the same name, and would be looked up as another one.
    if name.ends_with('.') {
        url.set_host(Some(&host.name)).map_err(|_| bad("names no host"))?;
    }
    Ok((url, host))
}

/// A client that knows one name, and only the addresses of it that may be reached.
async fn client(
    http: fn() -> reqwest::ClientBuilder,
    host: &Host,
    private: &Arc<[String]>,
) -> Result<Client, ToolError> {
    let addresses = resolve(host, private).await?;
    http()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .resolve_to_addrs(&host.name, &addresses)
        .build()
        .map_err(|err| ToolError::io("preparing to fetch", std::io::Error::other(err)))
}

/// Where a redirect leads.
fn next(url: &Url, response: &Response) -> Option<Url> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    response.status().is_redirection().then(|| url.join(location).ok())?
}

async fn read(response: Response, url: &str, secrets: &dyn Secrets) -> Result<Output, ToolError> {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("text/plain").to_ascii_lowercase();
    let problem = |problem: String| ToolError::Fetch { url: url.to_owned(), problem };
    if !is_text(&kind) {
        return Err(problem(format!("it is {kind}, and only text is fetched")));
    }
    let mut bytes = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        bytes.extend_from_slice(&piece.map_err(|err| problem(in_words(&err)))?);
        if bytes.len() > LARGEST {
            bytes.truncate(LARGEST);
            break;
        }
    }
    let whole = bytes.len() < LARGEST;
    let mut text = encoding::decode(&bytes, &kind);
    if encoding::is_binary(&text) {
        let words = format!("it is binary data, although the server calls it {kind}");
        return Err(problem(format!("{words}, and only text is fetched")));
    }
    if !whole {
        text.truncate(secrets.clear_until(&text));
    }
    let text = secrets.clean(text);
    let cut = cut::middle(&text, SHOWN, |head, left_out| {
        let first = head.matches('\n').count() + 1;
        let lines = left_out.matches('\n').count().max(1);
        format!("[… {} bytes left out: lines {first} to {} …]", left_out.len(), first + lines - 1)
    });
    let mut output = match cut {
        Some(cut) => Output { full: Some(text), ..Output::said(cut) },
        None => Output::said(text),
    };
    if !whole {
        output.text += &format!("\n[stopped after {LARGEST} bytes]");
    }
    if !status.is_success() {
        output.text = format!("(the server said {status})\n{}", output.text);
        output.failed = true;
    }
    Ok(output)
}

fn is_text(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || matches!(
            kind,
            "application/json"
                | "application/xml"
                | "application/javascript"
                | "application/x-javascript"
                | "application/yaml"
                | "application/x-yaml"
                | "application/toml"
                | "application/x-ndjson"
                | "application/x-sh"
        )
}

/// The innermost reason says most.
fn in_words(error: &reqwest::Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    reason.to_string()
}
