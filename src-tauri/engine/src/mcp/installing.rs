//! Asks a person whether a server's package may be fetched, and fetches it.

use super::ready::list;
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn::submit;
use plan::{Ask, AskId, AskKind, Command, Detail, Event};
use std::sync::Arc;
use tools::mcp::{Install, Place, Server};

/// The fact that such a question is known by.
const INSTALL: &str = "install";

/// Asks once, and fetches it on a yes; where that fails, it says why and asks again. After a no it
/// is asked again when the server is wanted after all (see `asked`). The room works on without it
/// meanwhile.
pub(super) fn offer(engine: &Engine, live: &Arc<LiveRoom>, server: &Server, place: &Place) {
    let Some(install) = Install::of(server) else { return };
    let questions = &engine.shared.mcp.questions;
    if !questions.begin(live.id, &server.name, &install.package) {
        return;
    }
    // One that was asked before a restart is still open.
    let open = {
        let inner = live.lock();
        let open = inner.room.asks.values().find(|ask| is_about(ask, &server.name));
        open.map(|ask| {
            questions.put(live.id, &server.name, ask.id);
            (ask.id, inner.room.seq)
        })
    };
    let asked = open.or_else(|| raise(engine, live, server, question(server, &install)));
    let Some(asked) = asked else {
        questions.forget(live.id, &server.name);
        return;
    };
    let (engine, live) = (engine.clone(), Arc::clone(live));
    let (server, place) = (server.clone(), place.clone());
    let (tasks, runtime) = (engine.shared.tasks.clone(), engine.shared.runtime.clone());
    let stopping = engine.shared.stopping.clone();
    let wait = async move {
        tokio::select! {
            () = fetch(&engine, &live, &server, &install, asked) => {
                list(&engine, &server, &place).await;
            }
            () = stopping.cancelled() => {}
        }
    };
    tasks.spawn_on(wait, &runtime);
}

/// Fetches it as often as a person allows that, until it is there or they say no.
async fn fetch(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    server: &Server,
    install: &Install,
    mut asked: (AskId, u64),
) {
    let mcp = &engine.shared.mcp;
    while allowed(engine, live, asked).await {
        let Err(error) = mcp.servers.install(server).await else {
            mcp.questions.forget(live.id, &server.name);
            return;
        };
        tracing::warn!(server = server.name, %error, "an MCP server was not installed");
        let why = engine.redact(error.to_string());
        mcp.servers.note(&server.name, &why);
        let again = format!("{why}\n\nTry again? {}", question(server, install));
        let Some(raised) = raise(engine, live, server, again) else {
            mcp.questions.forget(live.id, &server.name);
            return;
        };
        asked = raised;
    }
}

fn is_about(ask: &Ask, server: &str) -> bool {
    ask.detail.iter().any(|detail| detail.name == INSTALL && detail.value == server)
}

fn question(server: &Server, install: &Install) -> String {
    format!(
        "May the MCP server {} be installed? {} fetches {} from its package registry, once; \
         nothing of it runs until then, and later without network.",
        server.name, install.by, install.package
    )
}

/// Puts the question; its id and where it stands in the log.
fn raise(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    server: &Server,
    text: String,
) -> Option<(AskId, u64)> {
    let id = AskId(crate::fresh_id());
    let package = Install::of(server)?.package;
    let ask = Ask {
        id,
        kind: AskKind::Permission,
        plan_id: None,
        step_id: None,
        call_id: None,
        text,
        detail: vec![Detail::new(INSTALL, server.name.clone()), Detail::new("package", package)],
        created_at: engine.shared.clock.now(),
    };
    // Before anyone can answer.
    engine.shared.mcp.questions.put(live.id, &server.name, id);
    let raised = submit(engine, live, Command::RaiseAsk { ask }, Vec::new()).ok()?;
    Some((id, raised.seq))
}

/// Waits for the answer.
async fn allowed(engine: &Engine, live: &LiveRoom, (id, after): (AskId, u64)) -> bool {
    let Ok(mut watch) = engine.watch(live.id, after) else { return false };
    loop {
        let Ok(news) = watch.next().await else { return false };
        for (_, event) in news {
            // Anything else is about something else.
            if let Event::AskAnswered { ask, answer, .. } = &event
                && *ask == id
            {
                return answer == "allow";
            }
            if matches!(&event, Event::AskWithdrawn { ask, .. } if *ask == id) {
                return false;
            }
        }
    }
}
