//! A look at a workspace beside other work: its files and its repositories.

use super::changes::Snapshot;
use super::repositories::Repositories;
use std::path::Path;

/// What was seen. Without files where there are too many.
pub(crate) type Seen = (Option<Snapshot>, Repositories);

/// Begins to look at once; whoever wants to know what was seen waits for it.
pub(crate) fn begin(root: &Path) -> impl Future<Output = Seen> + Send + use<> {
    let root = root.to_owned();
    let looking = tokio::task::spawn_blocking(move || {
        let files = Snapshot::take(&root);
        let repositories = Repositories::of(&root, files.as_ref());
        (files, repositories)
    });
    // A look that broke off is as good as one that was too long.
    async move { looking.await.unwrap_or_default() }
}
