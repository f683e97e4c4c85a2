//! Asks a person whether a server's package may be fetched, and fetches it.

use super::ready::list;
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::turn::submit;
use plan::{Ask, AskId, AskKind, Command, Detail, Event};
use std::sync::Arc;
use tools::mcp::{Install, InstallGrant, McpError, Place, Server};

/// The fact that such a question is known by.
const INSTALL: &str = "install";
/// The fact that names the hosts which are asked about.
const HOSTS: &str = "hosts";

/// A question that was put.
struct Asked {
    id: AskId,
    /// Where it stands in the log.
    seq: u64,
    /// The hosts that it names. A yes is for these alone.
    hosts: Vec<String>,
}

/// Asks once, and fetches it on a yes; where that fails, it says why and asks again. After a no it
/// is asked again when the server is wanted after all (see `asked`). The room works on without it
/// meanwhile.
pub(super) fn offer(engine: &Engine, live: &Arc<LiveRoom>, server: &Server, place: &Place) {
    let Some(install) = Install::of(server) else { return };
    let questions = &engine.shared.mcp.questions;
    if !questions.begin(live.id, &server.name, &named(&install)) {
        return;
    }
    // One that was asked before a restart is still open.
    let open = {
        let inner = live.lock();
        let open = inner.room.asks.values().find(|ask| is_about(ask, server, &install));
        open.map(|ask| {
            questions.put(live.id, &server.name, ask.id);
            Asked { id: ask.id, seq: inner.room.seq, hosts: hosts_of(ask) }
        })
    };
    let asked = open.or_else(|| {
        let hosts = engine.shared.mcp.servers.install_hosts(server);
        raise(engine, live, server, &install, hosts, "")
    });
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

/// Fetches it as often as a person allows that, until it is there or they say no. A host that its
/// registry leads to is added to the next question.
async fn fetch(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    server: &Server,
    install: &Install,
    mut asked: Asked,
) {
    let mcp = &engine.shared.mcp;
    while allowed(engine, live, &asked).await {
        let private_hosts = &engine.shared.config.current().config.network.private_hosts;
        let private_hosts = private_hosts.as_slice().into();
        let mut hosts = asked.hosts;
        let grant = InstallGrant { hosts: hosts.clone(), private_hosts };
        let Err(error) = mcp.servers.install(server, &grant).await else {
            mcp.questions.forget(live.id, &server.name);
            return;
        };
        tracing::warn!(server = server.name, %error, "an MCP server was not installed");
        if let McpError::NeedsHost { host, .. } = &error {
            hosts.push(host.clone());
        }
        let why = engine.redact(error.to_string());
        mcp.servers.note(&server.name, &why);
        let again = format!("{why}\n\nTry again? ");
        let Some(raised) = raise(engine, live, server, install, hosts, &again) else {
            mcp.questions.forget(live.id, &server.name);
            return;
        };
        asked = raised;
    }
}

/// Whether a question is this one, and not one about another package for a server of this name.
fn is_about(ask: &Ask, server: &Server, install: &Install) -> bool {
    let is_install = ask.detail.iter().any(|detail| detail.name == INSTALL);
    is_install && ask.text.ends_with(&question(server, install, &hosts_of(ask).join(", ")))
}

/// A package, and who fetches it: the same name means another package elsewhere.
fn named(install: &Install) -> String {
    format!("{} fetches {}", install.by, install.package)
}

fn question(server: &Server, install: &Install, hosts: &str) -> String {
    format!(
        "May the MCP server {} be installed? {} in the sandbox, once, and reaches only {hosts}. \
         Nothing of it runs until then, and later it runs without network.",
        server.name,
        named(install)
    )
}

/// The hosts that a question names; none where it was asked before hosts were.
fn hosts_of(ask: &Ask) -> Vec<String> {
    let named = ask.detail.iter().find(|detail| detail.name == HOSTS);
    let hosts = named.into_iter().flat_map(|detail| detail.value.split(", "));
    hosts.filter(|host| !host.is_empty()).map(str::to_owned).collect()
}

/// Puts the question, after words that tell why it is put again.
fn raise(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    server: &Server,
    install: &Install,
    hosts: Vec<String>,
    again: &str,
) -> Option<Asked> {
    let (id, names) = (AskId(crate::fresh_id()), hosts.join(", "));
    let text = again.to_owned() + &question(server, install, &names);
    let ask = Ask {
        id,
        kind: AskKind::Permission,
        plan_id: None,
        step_id: None,
        call_id: None,
        text,
        detail: vec![
            Detail::new(INSTALL, server.name.clone()),
            Detail::new("package", install.package.clone()),
            Detail::new(HOSTS, names),
        ],
        created_at: engine.shared.clock.now(),
    };
    // Before anyone can answer.
    engine.shared.mcp.questions.put(live.id, &server.name, id);
    let raised = submit(engine, live, Command::RaiseAsk { ask }, Vec::new()).ok()?;
    Some(Asked { id, seq: raised.seq, hosts })
}

/// Waits for the answer.
async fn allowed(engine: &Engine, live: &LiveRoom, asked: &Asked) -> bool {
    let Ok(mut watch) = engine.watch(live.id, asked.seq) else { return false };
    loop {
        let Ok(news) = watch.next().await else { return false };
        for (_, event) in news {
            // Anything else is about something else.
            if let Event::AskAnswered { ask, answer, .. } = &event
                && *ask == asked.id
            {
                return answer == "allow";
            }
            if matches!(&event, Event::AskWithdrawn { ask, .. } if *ask == asked.id) {
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Time;
    use std::collections::BTreeMap;
    use tools::mcp::Reach;

    #[test]
    fn a_question_counts_for_the_very_package_that_it_names() {
        let server = |name: &str, command: &str, package: &str| {
            let reach = Reach::Program {
                command: command.to_owned(),
                args: vec![package.to_owned()],
                env: BTreeMap::new(),
                cwd: None,
                read: Vec::new(),
            };
            let effects = BTreeMap::new();
            Server { name: name.to_owned(), reach, share: false, trusted: false, effects }
        };
        let asked = server("tools", "npx", "left");
        let install = Install::of(&asked).unwrap();
        let ask = Ask {
            id: AskId(crate::fresh_id()),
            kind: AskKind::Permission,
            plan_id: None,
            step_id: None,
            call_id: None,
            text: format!("Why. Try again? {}", question(&asked, &install, "a.example, b.example")),
            detail: vec![
                Detail::new(INSTALL, "tools"),
                Detail::new("package", "left"),
                Detail::new(HOSTS, "a.example, b.example"),
            ],
            created_at: Time(0),
        };
        let is_it = |server: Server| is_about(&ask, &server, &Install::of(&server).unwrap());
        assert!(is_it(asked));
        for other in [
            server("tools", "npx", "right"),
            server("tools", "npx", "left@2"),
            server("tools", "uvx", "left"),
            server("other", "npx", "left"),
        ] {
            assert!(!is_it(other.clone()), "{other:?}");
        }
    }
}
