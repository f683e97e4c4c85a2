//! Who asks which address now, so that a check in the background never stands in the way.

use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::watch;

/// How many ask each address.
#[derive(Default)]
pub(super) struct Uses {
    counts: watch::Sender<HashMap<String, usize>>,
}

/// Someone who asks, for as long as it lives.
pub(super) struct Use {
    uses: Arc<Uses>,
    address: String,
}

impl Uses {
    /// Someone begins to ask.
    pub(super) fn begin(self: &Arc<Self>, address: &str) -> Use {
        self.counts.send_modify(|counts| *counts.entry(address.to_owned()).or_default() += 1);
        Use { uses: Arc::clone(self), address: address.to_owned() }
    }

    /// Returns when nobody asks this address.
    pub(super) async fn idle(&self, address: &str) {
        // The sender lives as long as this, so the wait can't fail.
        let _ = self.counts.subscribe().wait_for(|counts| !counts.contains_key(address)).await;
    }

    /// Returns when somebody asks this address.
    pub(super) async fn busy(&self, address: &str) {
        let _ = self.counts.subscribe().wait_for(|counts| counts.contains_key(address)).await;
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.uses.counts.send_modify(|counts| {
            let left = counts.get(&self.address).map_or(0, |count| count.saturating_sub(1));
            match left {
                0 => drop(counts.remove(&self.address)),
                left => drop(counts.insert(self.address.clone(), left)),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[tokio::test]
    async fn an_address_is_busy_until_the_last_one_has_its_answer() {
        let uses = Arc::new(Uses::default());
        let idle = |address| uses.idle(address).now_or_never().is_some();
        let (one, two) = (uses.begin("here"), uses.begin("here"));
        uses.busy("here").await;
        drop(one);
        assert!(!idle("here") && idle("there"));
        drop(two);
        assert!(idle("here") && uses.busy("here").now_or_never().is_none());
    }
}
