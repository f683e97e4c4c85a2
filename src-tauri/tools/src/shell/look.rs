//! A look at a workspace beside other work: its files and its repositories.

use super::changes::Snapshot;
use super::repositories::Repositories;
use std::path::Path;

/// What was seen. Without files where there are too many.
pub(crate) type Seen = (Option<Snapshot>, Repositories);

/// Begins to look at files at once; whoever wants to know what was seen waits for it.
pub(crate) fn files(root: &Path) -> impl Future<Output = Option<Snapshot>> + Send + use<> {
    let root = root.to_owned();
    let looking = tokio::task::spawn_blocking(move || Snapshot::take(&root));
    // A look that broke off is as good as one that was too long.
    async move { looking.await.unwrap_or_default() }
}

/// Looks at files and repositories.
pub(crate) async fn everything(root: &Path) -> Seen {
    let files = files(root);
    let root = root.to_owned();
    let repositories = tokio::task::spawn_blocking(move || Repositories::found(&root));
    (files.await, repositories.await.unwrap_or_default())
}
