//! A look at a workspace beside other work: its files and its repositories.

use super::changes::Snapshot;
use super::repositories::Repositories;
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What was seen. Without files where there are too many.
pub(crate) type Seen = (Option<Snapshot>, Repositories);

/// How long a look goes on after it was cancelled: an ordinary workspace is seen in less, and what a
/// command did before that is told.
const AFTER: Duration = Duration::from_millis(200);

/// Begins to look at files at once; whoever wants to know what was seen waits for it.
pub(crate) fn files(
    root: &Path,
    cancel: &CancellationToken,
) -> impl Future<Output = Option<Snapshot>> + Send + use<> {
    let (root, cancel) = (root.to_owned(), cancel.clone());
    let stop = cancel.clone();
    let looking = tokio::task::spawn_blocking(move || Snapshot::take(&root, &stop));
    // A look that broke off is as good as one that was too long.
    async move { cancel.run_until_cancelled_owned(looking).await?.ok()? }
}

/// Looks at files and repositories; `None` where it was cancelled.
pub(crate) async fn everything(root: &Path, cancel: &CancellationToken) -> Option<Seen> {
    let stop = CancellationToken::new();
    let _stops = stop.clone().drop_guard();
    let files = files(root, &stop);
    let root = root.to_owned();
    let found = tokio::task::spawn_blocking(move || Repositories::found(&root, &stop));
    let stopped = async {
        cancel.cancelled().await;
        tokio::time::sleep(AFTER).await;
    };
    tokio::select! {
        (files, found) = async { (files.await, found.await) } => Some((files, found.ok()??)),
        () = stopped => None,
    }
}
