//! Lists: newest first, in pages.

use serde::{Deserialize, Serialize};

/// The usual and the largest page.
const USUAL: usize = 50;
const LARGEST: usize = 200;

/// One page of a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Page<T> {
    /// The rows.
    pub(crate) items: Vec<T>,
    /// Give this as `before` for the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

impl<T> Page<T> {
    /// A page of at most `limit` rows out of one more than that.
    pub(crate) fn of(mut items: Vec<T>, limit: usize, cursor: impl Fn(&T) -> String) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(cursor);
        Self { items, next }
    }
}

/// Which page is wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// The `next` of the page before.
    pub(crate) before: Option<String>,
    /// How many rows, 200 at most.
    #[param(minimum = 1, maximum = 200)]
    pub(crate) limit: Option<usize>,
}

impl PageQuery {
    pub(crate) fn limit(&self) -> usize {
        self.limit.unwrap_or(USUAL).clamp(1, LARGEST)
    }
}
