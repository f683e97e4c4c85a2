//! One call: the tool that was judged and no other, what it changed, and the
//! end of a server that can't be trusted to have stopped.

use super::calls::{Limits, Listener};
use super::connection::Connection;
use super::error::McpError;
use super::server::{Place, Server};
use super::servers::{Key, LISTING, Servers};
use crate::cut::Kept;
use crate::output::Output;
use crate::shell::look::{self, Seen};
use crate::shell::told;
use serde_json::{Map, Value};
use std::path::Path;

impl Servers {
    /// Calls a tool, if it still is the one with this hash.
    #[expect(clippy::too_many_arguments, reason = "each is one thing a call is made of")]
    pub async fn call(
        &self,
        server: &Server,
        place: &Place,
        tool: &str,
        hash: &str,
        args: &Map<String, Value>,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Result<Output, McpError> {
        let connection = tokio::select! {
            connection = self.connect(server, place) => connection?,
            () = limits.cancel.cancelled() => return Err(McpError::Cancelled),
        };
        let key = Key::of(server, place);
        let ran = self.run(&connection, &key, tool, hash, args, limits, listener).await;
        match &ran {
            // One behind an address is asked again; nothing of it was lost.
            Err(McpError::TooLong { .. }) if !connection.is_cut() => {}
            // Whether it heard us or not, it does nothing more.
            Err(
                error @ (McpError::Cancelled
                | McpError::TimedOut { .. }
                | McpError::TooLong { .. }
                | McpError::Gone { .. }),
            ) => self.retire(&key, &connection, error).await,
            Ok(_)
            | Err(
                McpError::NoSandbox { .. }
                | McpError::NotInstalled { .. }
                | McpError::NeedsHost { .. }
                | McpError::NotStarted { .. }
                | McpError::Starting { .. }
                | McpError::Resting { .. }
                | McpError::NeedsLogin { .. }
                | McpError::LoginFailed { .. }
                | McpError::NoTool { .. }
                | McpError::Changed { .. }
                | McpError::Refused { .. },
            ) => {}
        }
        ran
    }

    #[expect(clippy::too_many_arguments, reason = "each is one thing a call is made of")]
    async fn run(
        &self,
        connection: &Connection,
        key: &Key,
        tool: &str,
        hash: &str,
        args: &Map<String, Value>,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Result<Output, McpError> {
        let timeout = LISTING.min(limits.timeout);
        let listing = Limits { timeout, cancel: limits.cancel.clone() };
        let listed = connection.list(&listing).await?;
        let (server, name) = (key.server.clone(), tool.to_owned());
        let Some(found) = listed.iter().find(|listed| listed.name == tool) else {
            return Err(McpError::NoTool { server, tool: name });
        };
        if found.hash != hash {
            return Err(McpError::Changed { server, tool: name });
        }
        let writes = key.workspace.as_deref().filter(|_| key.may_write);
        let before = looked(writes, limits).await;
        let answer = connection.call(found, args, limits, listener).await?;
        let secrets = &*self.around().secrets;
        let whole = secrets.clean(answer.text);
        let told = told::so_far(Kept::of(whole, told::REMEMBERED), secrets);
        let mut output = Output { text: told.text, full: told.full, ..answer };
        match (writes, before, looked(writes, limits).await) {
            (None, ..) => {}
            (Some(folder), Some((before, was)), Some((after, now))) => {
                for line in was.until(&now, folder) {
                    told::add_line(&mut output.text, &line);
                }
                match (before, after) {
                    (Some(before), Some(after)) => output.changed = before.until(&after),
                    (_, _) => output.changes_known = false,
                }
            }
            (Some(_), ..) => output.changes_known = false,
        }
        Ok(output)
    }
}

/// The files and repositories of a folder that may be written to.
async fn looked(folder: Option<&Path>, limits: &Limits) -> Option<Seen> {
    look::everything(folder?, &limits.cancel).await
}
