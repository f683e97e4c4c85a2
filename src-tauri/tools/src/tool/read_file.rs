//! `read_file`: the text of a file, or some lines of it; or a picture.

use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined};
use crate::image::{Images, Kind};
use crate::output::Output;
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use crate::{args, cut};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// The largest file that is read.
pub(crate) const LARGEST: u64 = 32 * 1024 * 1024;
/// The most text a model gets in one call.
const SHOWN: usize = 32 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
    start_line: Option<usize>,
    line_count: Option<usize>,
    start_byte: Option<usize>,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "read_file",
        description: "Read a text file of the workspace, or look at an image (PNG, JPEG, GIF, \
            WebP). Long files are cut in the middle; read on with start_line and line_count.",
        schema: json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "Relative to the workspace." },
                "start_line": { "type": "integer", "minimum": 1, "description": "First line to read, from 1." },
                "line_count": { "type": "integer", "minimum": 1, "description": "How many lines to read." },
                "start_byte": { "type": "integer", "minimum": 0, "description": "Read from this byte instead, where a line is too long." }
            },
            "required": ["path"],
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value, ws: &Workspace) -> Result<Facts, ToolError> {
    let args: Args = args::read(spec, args)?;
    files::reads(ws, &args.path)
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
) -> Result<Output, ToolError> {
    let args: Args = args::read(spec, args)?;
    let lines = Lines::new(spec, args.start_line, args.line_count, args.start_byte)?;
    let path = files::to_read(ws, &args.path, ctx)?;
    let (file, stat) = confined::open_file(ws, &path)?;
    let size = stat.st_size as u64;
    let secrets = Arc::clone(&ctx.secrets);
    files::off_the_loop(size, move || {
        let bytes = bytes_of(file, size, &args.path)?;
        let text = match text_in(bytes) {
            Ok(text) => text,
            Err(bytes) => return picture(bytes, &args.path),
        };
        // Before anything is cut: a part of a secret would not be known for one.
        let text = secrets.clean(text);
        // The file itself can be read further, so no copy of it is kept.
        Ok(Output { full: None, ..show(&text, lines) })
    })
    .await
}

/// Reads a whole file that has to be text.
pub(super) fn text_of(file: File, size: u64, path: &str) -> Result<String, ToolError> {
    let bytes = bytes_of(file, size, path)?;
    text_in(bytes).map_err(|bytes| binary(&bytes, path))
}

fn bytes_of(file: File, size: u64, path: &str) -> Result<Vec<u8>, ToolError> {
    let too_large = |size| ToolError::TooLarge { path: path.into(), size, limit: LARGEST };
    if size > LARGEST {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    // The file may grow while it is read.
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|err| ToolError::io(format!("reading `{path}`"), err))?;
    let size = bytes.len() as u64;
    if size > LARGEST {
        return Err(too_large(size));
    }
    Ok(bytes)
}

/// The text in these bytes, or the bytes again.
fn text_in(bytes: Vec<u8>) -> Result<String, Vec<u8>> {
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        Ok(text) => Err(text.into_bytes()),
        Err(error) => Err(error.into_bytes()),
    }
}

/// A file that is no text has to be a picture.
fn picture(bytes: Vec<u8>, path: &str) -> Result<Output, ToolError> {
    let Some(kind) = Kind::of(&bytes) else { return Err(binary(&bytes, path)) };
    let mut images = Images::default();
    let words = images.take(kind, bytes);
    Ok(Output { images: images.0, ..Output::said(words) })
}

fn binary(bytes: &[u8], path: &str) -> ToolError {
    ToolError::Binary { path: path.into(), size: bytes.len() as u64 }
}

/// Which part of a text is wanted.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    start: Option<usize>,
    count: Option<usize>,
    byte: Option<usize>,
}

impl Lines {
    /// Checks that lines count from 1, and are not wanted with a byte.
    pub(super) fn new(
        spec: &ToolSpec,
        start: Option<usize>,
        count: Option<usize>,
        byte: Option<usize>,
    ) -> Result<Self, ToolError> {
        match (start, count) {
            (Some(0), _) | (_, Some(0)) => {
                Err(args::bad(spec, "start_line and line_count count from 1"))
            }
            (None, None) => Ok(Self { start, count, byte }),
            (_, _) if byte.is_some() => {
                Err(args::bad(spec, "start_byte goes without start_line and line_count"))
            }
            (start, count) => Ok(Self { start, count, byte }),
        }
    }
}

/// Shows lines of a text, and how to read on.
pub(super) fn show(text: &str, wanted: Lines) -> Output {
    if text.is_empty() {
        return Output::said("(the file is empty)".into());
    }
    let Lines { start, count, byte } = wanted;
    if let Some(byte) = byte {
        return from_byte(text, byte);
    }
    let first = start.unwrap_or(1);
    let (skipped, wanted) = match (start, count) {
        (None, None) => (0, text),
        (_, count) => lines(text, first - 1, count.unwrap_or(usize::MAX)),
    };
    let total = text.lines().count();
    if wanted.is_empty() {
        return Output::said(format!("(there is no line {first}; there are {total} lines)"));
    }
    let cut = cut::middle(wanted, SHOWN, |head, left_out| {
        let next = first + head.matches('\n').count();
        let count = left_out.matches('\n').count();
        if count == 0 {
            // All of it is inside one line.
            let at = skipped + head.len();
            return format!(
                "[… {} bytes left out; read them with start_byte={at} …]",
                left_out.len()
            );
        }
        format!(
            "[… lines {next} to {} of {total} left out; read them with start_line={next} and line_count={count} …]",
            next + count - 1
        )
    });
    let mut output = match cut {
        Some(cut) => Output { full: Some(wanted.into()), ..Output::said(cut) },
        None => Output::said(wanted.into()),
    };
    let last = first + wanted.lines().count() - 1;
    if last < total && count.is_some() {
        let gap = if output.text.ends_with('\n') { "" } else { "\n" };
        output.text += &format!(
            "{gap}[lines {first} to {last} of {total}; read on with start_line={}]",
            last + 1
        );
    }
    output
}

/// A part of a text that begins at a byte, or at the next whole character.
fn from_byte(text: &str, byte: usize) -> Output {
    let start = text.ceil_char_boundary(byte.min(text.len()));
    let end = text.floor_char_boundary((start + SHOWN).min(text.len()));
    let mut shown = text[start..end].to_owned();
    if end < text.len() {
        shown +=
            &format!("\n[bytes {start} to {end} of {}; read on with start_byte={end}]", text.len());
    } else if shown.is_empty() {
        shown = format!("(there is no byte {byte}; there are {})", text.len());
    }
    Output::said(shown)
}

/// The part of `text` after `skip` lines that is `count` lines long, and where it begins.
fn lines(text: &str, skip: usize, count: usize) -> (usize, &str) {
    let mut ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let start = match skip {
        0 => 0,
        skip => ends.nth(skip - 1).unwrap_or(text.len()),
    };
    let end = ends.nth(count - 1).unwrap_or(text.len());
    (start, &text[start..end])
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_are_taken_from_where_they_are_asked() {
        let text = "1\n2\n3\n4";
        assert_eq!(lines(text, 0, 2), (0, "1\n2\n"));
        assert_eq!(lines(text, 1, 2), (2, "2\n3\n"));
        assert_eq!(lines(text, 2, usize::MAX), (4, "3\n4"));
        assert_eq!(lines(text, 3, 9), (6, "4"));
        assert_eq!(lines(text, 4, 1), (7, ""));
    }
}
