//! Files of a workspace by a part of their name, for completing what a person types.

use crate::Workspace;
use crate::ignored::Ignored;
use ignore::overrides::Override;

/// Entries looked at before giving up.
const MOST_ENTRIES: usize = 20_000;

impl Workspace {
    /// Paths that contain `words`, shortest first, at most `most`; ignored files are left out.
    pub fn find(&self, words: &str, most: usize) -> Vec<String> {
        let words = words.to_lowercase();
        let walk = Ignored::walk(self.root(), Override::empty(), |_| true).hidden(true).build();
        let mut found: Vec<String> = walk
            .flatten()
            .take(MOST_ENTRIES)
            .filter(|entry| entry.depth() > 0)
            .filter_map(|entry| {
                let path = entry.path().strip_prefix(self.root()).ok()?.to_str()?.to_owned();
                path.to_lowercase().contains(&words).then_some(path)
            })
            .collect();
        found.sort_by_key(|path| (path.len(), path.clone()));
        found.truncate(most);
        found
    }
}
