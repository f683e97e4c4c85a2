//! Whether a text that could be a command reads like a sentence: "npm test passes", "ls shows it".
//!
//! Programs are called like English words, so that a program is found is not enough. Words about
//! what is so (verbs, or little words where nothing else looks like a command) make a sentence. A
//! program that is itself an everyday word needs an option, a path, a quote or an operator.

/// What is said of things, and of hardly any file.
const VERBS: [&str; 63] = [
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "does",
    "works",
    "work",
    "worked",
    "passes",
    "pass",
    "passed",
    "fails",
    "failed",
    "shows",
    "showed",
    "finds",
    "found",
    "prints",
    "printed",
    "returns",
    "returned",
    "outputs",
    "exits",
    "succeeds",
    "succeed",
    "succeeded",
    "contains",
    "contain",
    "displays",
    "lists",
    "gives",
    "reports",
    "runs",
    "ran",
    "builds",
    "compiles",
    "completes",
    "completed",
    "says",
    "exists",
    "exist",
    "matches",
    "produces",
    "creates",
    "created",
    "includes",
    "starts",
    "loads",
    "opens",
    "reads",
    "responds",
    "yields",
    "reveals",
    "confirms",
    "should",
    "must",
    "can",
    "will",
    "looks",
    "finishes",
];
/// What binds words together.
const LITTLE: [&str; 45] = [
    "the",
    "of",
    "for",
    "with",
    "without",
    "that",
    "this",
    "these",
    "it",
    "its",
    "to",
    "from",
    "than",
    "no",
    "not",
    "any",
    "every",
    "each",
    "and",
    "or",
    "but",
    "when",
    "if",
    "on",
    "at",
    "by",
    "as",
    "in",
    "into",
    "there",
    "sure",
    "correctly",
    "successfully",
    "properly",
    "cleanly",
    "only",
    "exactly",
    "after",
    "before",
    "least",
    "still",
    "both",
    "whether",
    "again",
    "now",
];
/// Programs whose names are said in other ways.
const EVERYDAY: [&str; 44] = [
    "look", "free", "more", "less", "link", "install", "touch", "time", "test", "file", "find",
    "sort", "split", "join", "cut", "kill", "sleep", "watch", "write", "wait", "who", "expand",
    "fold", "head", "tail", "paste", "last", "locate", "nice", "read", "type", "cat", "which",
    "where", "top", "host", "open", "view", "at", "script", "yes", "seq", "clear", "reset",
];

/// Whether a text reads like words and not like a command.
pub(super) fn is_one(text: &str) -> bool {
    let bare = without_quotes(text);
    let words: Vec<&str> = bare.split_whitespace().collect();
    let Some((program, rest)) = words.split_first() else { return false };
    let operator = bare.contains(['|', ';', '>', '<', '&', '$', '`']);
    // A line of shell that says what it does in several commands.
    if operator {
        return rest.iter().filter(|word| is_any(&VERBS, word)).count() > 1;
    }
    if rest.iter().any(|word| is_any(&VERBS, word)) || ends_in_words(&words) {
        return true;
    }
    let articles = rest.windows(2).filter(|two| is_article(two[0], two[1])).count();
    let little = articles + rest.iter().filter(|word| is_any(&LITTLE, word)).count();
    let marked = bare.len() < text.len() || rest.iter().any(|word| word.starts_with('-'));
    match (marked, little) {
        (true, 0 | 1) => false,
        (true, _) | (false, 1..) => true,
        (false, 0) => is_any(&EVERYDAY, program) && !rest.iter().any(|word| names_a_file(word)),
    }
}

fn is_any(words: &[&str], word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', ':', '!']);
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// Whether a word is an article, and not the name of a file.
fn is_article(word: &str, next: &str) -> bool {
    is_any(&["a", "an"], word) && next.len() > 2 && next.chars().all(char::is_alphabetic)
}

/// Whether the last word ends a sentence.
fn ends_in_words(words: &[&str]) -> bool {
    let last = words.last().and_then(|word| word.strip_suffix(['.', '!']));
    last.is_some_and(|word| {
        words.len() > 1 && !word.is_empty() && word.chars().all(char::is_alphabetic)
    })
}

/// Whether a word looks like a path.
fn names_a_file(word: &str) -> bool {
    let is_path = |c: char| "/.*?~=_0123456789".contains(c);
    word.len() == 1 || word.contains(is_path) || word.chars().next().is_some_and(char::is_uppercase)
}

/// The text without what stands in quotes: that may be words.
fn without_quotes(text: &str) -> String {
    let mut out = String::new();
    let mut open = None;
    for c in text.chars() {
        match open {
            None if matches!(c, '"' | '\'') => open = Some(c),
            Some(quote) if c == quote => open = None,
            None => out.push(c),
            Some(_) => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENTENCES: [&str; 50] = [
        "ls shows a.txt",
        "ls -la shows a.txt",
        "npm test passes",
        "npm test passes without errors",
        "npm run build succeeds",
        "cargo test passes.",
        "cargo build works",
        "cargo test is green",
        "grep finds hello",
        "grep finds hello in a.txt",
        "grep -q hello a.txt returns 0",
        "grep output contains hello",
        "grep for hello in a.txt",
        "look for errors",
        "look at the page",
        "free of errors",
        "free memory",
        "install works",
        "install finished",
        "more than three lines",
        "less than 3 lines",
        "touch grass",
        "link works",
        "test that it works",
        "test passes",
        "test the login page",
        "test -f a.txt and it is not empty",
        "find the file a.txt",
        "find errors",
        "file exists",
        "file a.txt exists",
        "file a.txt contains hello",
        "make sure it builds",
        "make builds without warnings",
        "make all of it green",
        "python main.py prints hello",
        "python main.py runs without errors",
        "python script works",
        "node index.js outputs 42",
        "curl localhost:3000 returns 200",
        "git status shows a clean tree",
        "git log has one more commit",
        "cat a.txt shows hello",
        "cat prints hello",
        "sort order",
        "time passes",
        "watch it",
        "who is there",
        "install the packages",
        "run the tests and see that all pass",
    ];

    const COMMANDS: [&str; 46] = [
        "ls",
        "ls a.txt",
        "ls src",
        "ls -la src",
        "npm test",
        "npm run build",
        "npm run lint -- --fix",
        "npx tsc --noEmit",
        "yarn test",
        "cargo test",
        "cargo build --release",
        "cargo test -p engine reading",
        "make",
        "make test",
        "make all",
        "git show",
        "cmp a b",
        "cat a",
        "make -C sub check",
        "go test ./...",
        "go vet ./...",
        "pytest",
        "pytest tests",
        "python3 main.py",
        "python3 -m unittest discover",
        "python3 -c 'print(\"it works\")'",
        "node index.js",
        "test -f a.txt",
        "test -s out/report.md",
        "grep hello a.txt",
        "grep -q hello a.txt",
        "grep -q the a.txt",
        "grep -q \"it works\" a.txt",
        "grep -c 'the end is near' README",
        "cat a.txt",
        "cat a.txt | grep -q the",
        "test -f a.txt && test -f b.txt",
        "find . -name '*.rs'",
        "diff a.txt b.txt",
        "git diff --exit-code",
        "git status",
        "sh check.sh",
        "head -1 a.txt",
        "true",
        "test $(wc -l < a.txt) -eq 3",
        "file README",
    ];

    #[test]
    fn sentences_are_told_from_commands() {
        for text in SENTENCES {
            assert!(is_one(text), "words: {text}");
        }
        for text in COMMANDS {
            assert!(!is_one(text), "a command: {text}");
        }
    }
}
