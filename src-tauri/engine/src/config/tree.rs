//! A configuration file as a tree in which every value knows where it was
//! written. Scalars stay text: what `off` or `1.10` means is for the key to
//! say, not for the parser.

/// Which of the two files a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    Person,
    Settings,
}

/// A place in a file; line 0 is the file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) source: Source,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Mark {
    pub(super) fn whole(source: Source) -> Self {
        Self { source, line: 0, column: 0 }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) at: Mark,
    pub(super) value: Value,
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    /// `plain` is false when it was quoted, so that `"5"` can stay text. `written` is the text
    /// before variables were filled in, where there were any.
    Scalar {
        text: String,
        plain: bool,
        written: Option<String>,
    },
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_at: Mark,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// The entries of a map; none for anything else.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            Value::Null | Value::Scalar { .. } | Value::List(_) => &[],
        }
    }
}

/// Lays the person's tree over the settings': maps key by key, anything else
/// whole. What is left empty in the person's file says nothing.
pub(super) fn lay_over(person: Node, settings: Node) -> Node {
    match (person.value, settings.value) {
        (Value::Null, value) => Node { at: settings.at, value },
        (Value::Map(mut ours), Value::Map(theirs)) => {
            for entry in theirs {
                match ours.iter_mut().find(|own| own.key == entry.key) {
                    Some(own) => own.value = lay_over(own.value.clone(), entry.value),
                    None => ours.push(entry),
                }
            }
            Node { at: person.at, value: Value::Map(ours) }
        }
        (value, _) => Node { at: person.at, value },
    }
}
