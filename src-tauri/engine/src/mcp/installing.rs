//! Asks a person whether a server's package may be fetched, and fetches it.

use super::ready::list;
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn::submit;
use plan::{Ask, AskId, AskKind, Command, Detail, Event};
use std::sync::{Arc, PoisonError};
use tools::mcp::{Install, Place, Server};

/// The fact that such a question is known by.
const INSTALL: &str = "install";

/// Asks once, and fetches it on a yes. The room works on without it meanwhile.
pub(super) fn offer(engine: &Engine, live: &Arc<LiveRoom>, server: &Server, place: &Place) {
    let Some(install) = Install::of(server) else { return };
    {
        let mut asked = engine.shared.mcp.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if !asked.insert((live.id, server.name.clone())) {
            return;
        }
    }
    // One that was asked before a restart is still open.
    let open = live.lock().room.asks.values().find(|ask| is_about(ask, &server.name)).cloned();
    let (ask, after) = match open {
        Some(ask) => (ask.id, live.lock().room.seq),
        None => {
            let ask = question(engine, server, &install);
            let id = ask.id;
            match submit(engine, live, Command::RaiseAsk { ask }, Vec::new()) {
                Ok(raised) => (id, raised.seq),
                Err(_) => return,
            }
        }
    };
    let (engine, live) = (engine.clone(), Arc::clone(live));
    let (server, place) = (server.clone(), place.clone());
    let (tasks, runtime) = (engine.shared.tasks.clone(), engine.shared.runtime.clone());
    let stopping = engine.shared.stopping.clone();
    let wait = async move {
        tokio::select! {
            yes = allowed(&engine, &live, ask, after) => if yes {
                if let Err(error) = engine.shared.mcp.servers.install(&server).await {
                    tracing::warn!(server = server.name, %error, "an MCP server was not installed");
                }
                list(&engine, &server, &place).await;
            },
            () = stopping.cancelled() => {}
        }
    };
    tasks.spawn_on(wait, &runtime);
}

fn is_about(ask: &Ask, server: &str) -> bool {
    ask.detail.iter().any(|detail| detail.name == INSTALL && detail.value == server)
}

fn question(engine: &Engine, server: &Server, install: &Install) -> Ask {
    let text = format!(
        "May the MCP server {} be installed? {} fetches {} from its package registry, once; \
         nothing of it runs until then, and later without network.",
        server.name, install.by, install.package
    );
    Ask {
        id: AskId(crate::fresh_id()),
        kind: AskKind::Permission,
        plan_id: None,
        step_id: None,
        call_id: None,
        text,
        detail: vec![
            Detail::new(INSTALL, server.name.clone()),
            Detail::new("package", install.package.clone()),
        ],
        created_at: engine.shared.clock.now(),
    }
}

/// Waits for the answer.
async fn allowed(engine: &Engine, live: &LiveRoom, id: AskId, after: u64) -> bool {
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
