//! Reads YAML text into a tree with positions: aliases and merge keys are
//! resolved, a key written twice is an error.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, options};

use super::report::Report;
use super::tree::{Entry, Mark, Node, Source, Value};

/// Aliases of aliases can make a small file huge; no real configuration comes near this.
const MOST_NODES: usize = 50_000;

/// Reads one file; `None` when it is not YAML at all, which is then reported.
pub(super) fn read(text: &str, source: Source, report: &Report) -> Option<Node> {
    let options = options! { emit_comments: false };
    let mut builder = Builder {
        events: Parser::new_from_str_with_options(text, options),
        source,
        report,
        anchors: BTreeMap::new(),
        path: Vec::new(),
        nodes: 0,
    };
    match builder.document() {
        Ok(node) => Some(node),
        Err((at, message)) => {
            report.error(at, "", message);
            None
        }
    }
}

type Stop = (Mark, String);

struct Builder<'a, P> {
    events: P,
    source: Source,
    report: &'a Report,
    anchors: BTreeMap<usize, Node>,
    /// The keys above what is being read, for messages.
    path: Vec<String>,
    nodes: usize,
}

impl<'t, P> Builder<'_, P>
where
    P: Iterator<Item = Result<(Event<'t>, Span), ScanError>>,
{
    fn document(&mut self) -> Result<Node, Stop> {
        let mut root = None;
        loop {
            let (event, at) = self.next()?;
            if event == Event::StreamEnd {
                break;
            }
            if matches!(event, Event::StreamStart | Event::DocumentEnd) {
                continue;
            }
            if !matches!(event, Event::DocumentStart(..)) {
                root = Some(self.node(event, at)?);
            } else if root.is_some() {
                return Err((at, "a second document starts here; allowed: one".into()));
            }
        }
        Ok(root.unwrap_or(Node { at: Mark::whole(self.source), value: Value::Null }))
    }

    fn next(&mut self) -> Result<(Event<'t>, Mark), Stop> {
        match self.events.next() {
            Some(Ok((event, span))) => Ok((event, self.mark(span.start.line(), span.start.col()))),
            Some(Err(error)) => {
                let at = self.mark(error.marker().line(), error.marker().col());
                Err((at, format!("this is not YAML: {}", error.info())))
            }
            None => Ok((Event::StreamEnd, Mark::whole(self.source))),
        }
    }

    fn mark(&self, line: usize, column: usize) -> Mark {
        Mark {
            source: self.source,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
        }
    }

    fn node(&mut self, event: Event<'t>, at: Mark) -> Result<Node, Stop> {
        self.count(1, at)?;
        let (anchor, value) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                (anchor, scalar(text.into_owned(), plain))
            }
            Event::SequenceStart(_, anchor, _) => (anchor, self.list()?),
            Event::MappingStart(_, anchor, _) => (anchor, self.map()?),
            Event::Alias(anchor) => return self.alias(anchor, at),
            // The parser gives these only between nodes, or only when asked for.
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd
            | Event::Anchor(..)
            | Event::UnresolvedAlias(_)
            | Event::Comment(..)
            | _ => return Err((at, "this is not YAML: a value is missing here".into())),
        };
        let node = Node { at, value };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn list(&mut self) -> Result<Value, Stop> {
        let mut items = Vec::new();
        loop {
            let (event, at) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok(Value::List(items));
            }
            items.push(self.node(event, at)?);
        }
    }

    fn map(&mut self) -> Result<Value, Stop> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut merged = Vec::new();
        loop {
            let (event, key_at) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            let Some(key) = key_text(self.node(event, key_at)?) else {
                return Err((key_at, "a key here is not text".into()));
            };
            self.path.push(key.clone());
            let path = self.path.join(".");
            let (event, at) = self.next()?;
            let value = self.node(event, at)?;
            self.path.pop();
            if key == "<<" {
                merged.push(value);
            } else if let Some(first) = entries.iter().find(|entry| entry.key == key) {
                let message = format!("is already set on line {}", first.key_at.line);
                self.report.error(key_at, &path, message);
            } else {
                entries.push(Entry { key, key_at, value });
            }
        }
        for node in merged {
            merge(&mut entries, node)?;
        }
        Ok(Value::Map(entries))
    }

    fn alias(&mut self, anchor: usize, at: Mark) -> Result<Node, Stop> {
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            return Err((at, "an alias here stands inside what it names".into()));
        };
        self.count(size(&node), at)?;
        Ok(node)
    }

    fn count(&mut self, more: usize, at: Mark) -> Result<(), Stop> {
        self.nodes += more;
        if self.nodes > MOST_NODES {
            return Err((at, format!("the file is too large; allowed: {MOST_NODES} values")));
        }
        Ok(())
    }
}

fn scalar(text: String, plain: bool) -> Value {
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" if plain => Value::Null,
        _ => Value::Scalar { text, plain, written: None },
    }
}

fn key_text(key: Node) -> Option<String> {
    match key.value {
        Value::Scalar { text, .. } => Some(text),
        Value::Null | Value::List(_) | Value::Map(_) => None,
    }
}

/// Adds what `<<` brings; a key written out wins, and so does an earlier merge.
fn merge(entries: &mut Vec<Entry>, node: Node) -> Result<(), Stop> {
    match node.value {
        Value::Map(more) => {
            for entry in more {
                if entries.iter().all(|own| own.key != entry.key) {
                    entries.push(entry);
                }
            }
            Ok(())
        }
        Value::List(nodes) => nodes.into_iter().try_for_each(|node| merge(entries, node)),
        Value::Null | Value::Scalar { .. } => Err((node.at, "<< needs a map".into())),
    }
}

fn size(node: &Node) -> usize {
    let below: usize = match &node.value {
        Value::Null | Value::Scalar { .. } => 0,
        Value::List(items) => items.iter().map(size).sum(),
        Value::Map(entries) => entries.iter().map(|entry| size(&entry.value)).sum(),
    };
    below + 1
}
