//! A server's answer: words and pictures.

use crate::image::{Images, Kind};
use crate::output::Output;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};

/// The answer of a tool. A tool's failure is an answer, too.
pub(super) fn of_call(result: &CallToolResult) -> Output {
    let mut images = Images::default();
    let mut parts: Vec<String> = result.content.iter().map(|one| block(one, &mut images)).collect();
    if parts.is_empty()
        && let Some(structured) = &result.structured_content
    {
        parts.push(structured.to_string());
    }
    Output { failed: result.is_error == Some(true), images: images.0, ..shown(&parts) }
}

/// The contents of a resource.
pub(super) fn of_resource(contents: &[ResourceContents]) -> Output {
    let mut images = Images::default();
    let parts: Vec<String> = contents.iter().map(|one| resource(one, &mut images)).collect();
    Output { images: images.0, ..shown(&parts) }
}

/// The resources there are, one to a line.
pub(super) fn of_resources(resources: &[Resource]) -> Output {
    if resources.is_empty() {
        return Output::said("There are no resources.".to_owned());
    }
    shown(&resources.iter().map(listed).collect::<Vec<_>>())
}

fn shown(parts: &[String]) -> Output {
    let text = parts.join("\n");
    if text.is_empty() {
        return Output::said("(it succeeded and said nothing)".to_owned());
    }
    Output::said(text)
}

fn block(block: &ContentBlock, images: &mut Images) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => picture(&image.data, images)
            .unwrap_or_else(|| noted("image", &image.mime_type, &image.data)),
        ContentBlock::Audio(audio) => noted("sound", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => resource(&embedded.resource, images),
        ContentBlock::ResourceLink(link) => listed(link),
        // The protocol may grow; what is not known is said to be there.
        _ => "[something that can't be shown]".to_owned(),
    }
}

fn resource(contents: &ResourceContents, images: &mut Images) -> String {
    match contents {
        ResourceContents::TextResourceContents { text, .. } => text.clone(),
        ResourceContents::BlobResourceContents { mime_type, blob, uri, .. } => {
            let kind = mime_type.as_deref().unwrap_or("unknown type");
            let words = picture(blob, images).unwrap_or_else(|| noted("data", kind, blob));
            format!("{uri}: {words}")
        }
        _ => "[something that can't be shown]".to_owned(),
    }
}

fn listed(resource: &Resource) -> String {
    let about = resource.description.as_deref().or(resource.title.as_deref()).unwrap_or_default();
    let kind = resource.mime_type.as_deref().unwrap_or("unknown type");
    format!("{} ({}, {kind}) {about}", resource.uri, resource.name).trim_end().to_owned()
}

/// What is said of a picture that models take, told by its bytes and not by what the server says.
fn picture(base64: &str, images: &mut Images) -> Option<String> {
    let bytes = STANDARD.decode(base64).ok()?;
    let words = images.take(Kind::of(&bytes)?, bytes);
    Some(format!("[{words}]"))
}

/// What stands for data that is no text; its size is that before base64.
fn noted(what: &str, kind: &str, base64: &str) -> String {
    let kind: String = kind.chars().take(100).collect();
    format!("[{what}, {kind}, {} bytes; not shown]", base64.len() / 4 * 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn output(result: Value) -> Output {
        of_call(&serde_json::from_value(result).unwrap())
    }

    #[test]
    fn a_failure_of_the_tool_is_a_failed_answer() {
        let words = json!({ "content": [{ "type": "text", "text": "no" }], "isError": true });
        let output = output(words);
        assert!(output.failed && output.text == "no");
    }

    #[test]
    fn a_picture_is_given_on_whatever_the_server_calls_it() {
        let gif = json!({ "content": [
            { "type": "text", "text": "a picture:" },
            { "type": "image", "data": "R0lGODlhAgADAA==", "mimeType": "image/png" },
        ] });
        let output = output(gif);
        assert_eq!(output.text, "a picture:\n[an image, GIF, 2×3, 10 bytes]");
        assert_eq!(output.images.len(), 1);
        assert_eq!((output.images[0].mime, output.images[0].bytes.len()), ("image/gif", 10));
    }

    #[test]
    fn other_data_is_noted_and_structured_answers_told() {
        let picture = json!({ "content": [
            { "type": "text", "text": "a picture:" },
            { "type": "image", "data": "AAAAAAAA", "mimeType": "image/png" },
        ] });
        assert_eq!(output(picture).text, "a picture:\n[image, image/png, 6 bytes; not shown]");
        let structured = json!({ "content": [], "structuredContent": { "n": 1 } });
        assert_eq!(output(structured).text, r#"{"n":1}"#);
        assert!(output(json!({ "content": [] })).text.contains("said nothing"));
    }
}
