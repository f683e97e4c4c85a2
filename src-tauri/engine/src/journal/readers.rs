//! A few connections for reading, opened when they are first needed.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::JournalError;
use super::error::Doing;
use super::files::Files;
use super::open::open_reader;

/// Reads are short and most come from memory; a third connection already
/// waits for the disk more than for the others.
const MOST: usize = 3;

/// The connections that read.
#[derive(Debug)]
pub(super) struct Readers {
    files: Files,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Connection>,
    open: usize,
}

/// A connection on loan; it goes back even when its user panics.
struct Loan<'a> {
    readers: &'a Readers,
    conn: Option<Connection>,
}

impl Readers {
    pub(super) fn of(files: Files) -> Self {
        Self { files, state: Mutex::default(), returned: Condvar::new() }
    }

    /// Runs one read, waiting for a connection if all are in use.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        let mut loan = self.borrow();
        let conn = match loan.conn.take() {
            Some(conn) => conn,
            None => open_reader(&self.files)?,
        };
        let answer = read(loan.conn.insert(conn)).doing("read the journal");
        if answer.as_ref().is_err_and(JournalError::is_damage) {
            self.files.mark_suspect();
        }
        answer
    }

    fn borrow(&self) -> Loan<'_> {
        let mut state = self.lock();
        loop {
            if let Some(conn) = state.idle.pop() {
                return Loan { readers: self, conn: Some(conn) };
            }
            if state.open < MOST {
                state.open += 1;
                return Loan { readers: self, conn: None };
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut state = self.readers.lock();
        match self.conn.take() {
            Some(conn) => state.idle.push(conn),
            // It could not be opened: the next one may try.
            None => state.open -= 1,
        }
        self.readers.returned.notify_one();
    }
}
