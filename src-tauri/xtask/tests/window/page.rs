//! What the page's own code does not do.

use crate::{files, text};

const CODE: [&str; 4] = [".ts", ".svelte", ".js", ".html"];
const BACKEND: &str = "ui/src/lib/backend.ts";
/// The one place where text becomes elements, and where that text is made safe.
const MARKDOWN: &str = "ui/src/chat/Markdown.svelte";
const SAFE: &str = "ui/src/chat/blocks.ts";

#[test]
fn only_the_backend_knows_tauri() {
    for file in files("ui/src", &CODE) {
        let source = text(&file);
        let imports = file == BACKEND || !source.contains("@tauri-apps");
        assert!(imports, "{file} goes past {BACKEND}");
        assert!(!source.contains("__TAURI"), "{file} reaches for Tauri's own things");
    }
}

#[test]
fn text_becomes_elements_in_one_place_and_is_made_safe_there() {
    let places: Vec<String> = files("ui/src", &CODE)
        .into_iter()
        .flat_map(|file| vec![file.clone(); text(&file).matches("{@html").count()])
        .collect();
    assert_eq!(places, [MARKDOWN, MARKDOWN]);
    assert!(text(MARKDOWN).contains("{@html block.html}"));
    assert!(text(MARKDOWN).contains("{#each block.pieces as piece, j (j)}{@html piece}{/each}"));
    assert!(text(MARKDOWN).contains("import { Blocks } from './blocks'"));
    assert_eq!(text(SAFE).matches("DOMPurify.sanitize(").count(), 1);
    // Whatever is parsed goes through it.
    let parsed = text(SAFE).matches("marked.parse").count();
    assert_eq!(text(SAFE).matches("safe(marked.parse").count(), parsed);
}

#[test]
fn no_code_runs_text_or_writes_markup() {
    let words = [
        "eval(",
        "new Function",
        "Function(",
        "import(",
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "setHTMLUnsafe",
        "createContextualFragment",
        "document.write",
        "srcdoc",
        "javascript:",
        "<iframe",
        "<object",
        "<embed",
        "<base",
        "new Worker",
        "fetch(",
        "XMLHttpRequest",
        "WebSocket",
        "window.open",
    ];
    for file in files("ui/src", &CODE) {
        // Parts of the window may be loaded when they are shown, each by its own name.
        let source = text(&file).replace("await import('.", "");
        for word in words {
            assert!(!source.contains(word), "{file} uses {word}");
        }
    }
}

#[test]
fn the_page_and_its_styles_load_nothing_from_elsewhere() {
    let page = text("ui/index.html");
    assert!(!page.contains("//"), "ui/index.html names an address");
    assert_eq!(page.matches("<script").count(), 2);
    for entry in ["ahead", "main"] {
        let script = format!(r#"<script type="module" src="/src/{entry}.ts"></script>"#);
        assert!(page.contains(&script), "{script}");
    }
    assert!(!page.contains("<style") && !page.contains("http-equiv"));
    for file in files("ui/src", &[".css", ".svelte"]) {
        for line in text(&file).lines() {
            let loads = ["url(", "@import", "src=", "href="].iter().any(|word| line.contains(word));
            let far = ["http:", "https:", "\"//", "'//", "(//", "data:"];
            let far = loads && far.iter().any(|word| line.contains(word));
            assert!(!far, "{file} loads from elsewhere: {}", line.trim());
        }
    }
}
