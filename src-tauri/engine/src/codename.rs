//! Names of sidekicks: an adjective and an animal.

use crate::journal::{Journal, JournalError};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

const ADJECTIVES: [&str; 40] = [
    "amber", "bold", "brave", "bright", "brisk", "calm", "clever", "cosy", "crisp", "curious",
    "deft", "eager", "early", "fair", "gentle", "glad", "golden", "happy", "honest", "jolly",
    "keen", "kind", "lively", "lucky", "mellow", "merry", "mild", "neat", "nimble", "noble",
    "patient", "proud", "quick", "quiet", "ready", "silver", "steady", "sunny", "swift", "witty",
];

const ANIMALS: [&str; 40] = [
    "badger", "bear", "beaver", "bison", "crane", "cricket", "deer", "dolphin", "eagle", "falcon",
    "ferret", "finch", "fox", "gecko", "hare", "hawk", "heron", "ibex", "jay", "koala", "lark",
    "lemur", "lynx", "marten", "mole", "newt", "otter", "owl", "panda", "puffin", "raven", "robin",
    "seal", "sparrow", "stork", "swan", "tern", "turtle", "wombat", "wren",
];

/// The names that were given. None is given twice while others are free.
#[derive(Default)]
pub(crate) struct Codenames {
    /// Read from the log when the first is given.
    given: Mutex<Option<BTreeSet<String>>>,
}

impl Codenames {
    /// A name that no sidekick has.
    pub(crate) fn give(&self, journal: &dyn Journal) -> Result<String, JournalError> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let given = match &mut *given {
            Some(given) => given,
            none => {
                let rooms = journal.sidekicks(None)?;
                none.insert(rooms.into_iter().map(|room| room.row.title).collect())
            }
        };
        let name = free(given, crate::fresh_id().as_u128());
        given.insert(name.clone());
        Ok(name)
    }
}

/// The first free name from a place on; when all are taken, the first with a number.
fn free(given: &BTreeSet<String>, from: u128) -> String {
    let most = ADJECTIVES.len() * ANIMALS.len();
    let start = usize::try_from(from % most as u128).unwrap_or(0);
    let name = |index: usize| {
        // A step that shares no factor with the number of names reaches all of them.
        let place = (start + index * 761) % most;
        format!("{}-{}", ADJECTIVES[place % ADJECTIVES.len()], ANIMALS[place / ADJECTIVES.len()])
    };
    let numbered = |round: usize| {
        (0..most).map(name).map(move |name| match round {
            1 => name,
            round => format!("{name}-{round}"),
        })
    };
    let mut names = (1..).flat_map(numbered);
    names.find(|name| !given.contains(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_given_twice() {
        let mut given = BTreeSet::new();
        for n in 0..1_700 {
            assert!(given.insert(free(&given, n * 977)));
        }
        assert!(given.contains("brave-otter"));
        assert_eq!(given.iter().filter(|name| name.ends_with("-2")).count(), 100);
    }
}
