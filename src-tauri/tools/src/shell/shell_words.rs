//! Splits a command into its simple commands when that is certain.
//!
//! Understood are plain words and quoted literals, joined by `&&`, `||`, `;`
//! and `|`. Everything the shell would expand, redirect, assign or nest makes
//! the whole command not understood: `None`, never a guess.

/// The words of each simple command, or `None` when anything is unclear.
pub(crate) fn split(command: &str) -> Option<Vec<Vec<String>>> {
    let mut commands = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut chars = command.chars().peekable();
    loop {
        while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let Some(next) = chars.peek().copied() else {
            break;
        };
        match next {
            ';' | '|' | '&' => {
                chars.next();
                let doubled = chars.next_if_eq(&next).is_some();
                match (next, doubled) {
                    (';', false) | ('|', _) | ('&', true) => {}
                    // `;;` belongs to `case`; a single `&` starts a background job.
                    _ => return None,
                }
                // `|&`, `&>`, `|||` and the like.
                if matches!(chars.peek(), Some(';' | '|' | '&' | '<' | '>')) {
                    return None;
                }
                commands.push(finish(&mut words)?);
            }
            _ => words.push(word(&mut chars)?),
        }
    }
    commands.push(finish(&mut words)?);
    Some(commands)
}

/// Ends a simple command; one without words, or that is a keyword, is unclear.
fn finish(words: &mut Vec<String>) -> Option<Vec<String>> {
    let first = words.first()?;
    if first.is_empty() || first.contains('=') || KEYWORDS.contains(&first.as_str()) {
        return None;
    }
    Some(std::mem::take(words))
}

const KEYWORDS: &[&str] = &[
    "!", "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until",
    "do", "done", "in", "function", "time", "coproc", "[[", "]]", "{", "}",
];

/// Reads one word: plain characters and quoted literals next to each other.
fn word(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
    let mut word = String::new();
    let mut at_start = true;
    while let Some(&next) = chars.peek() {
        match next {
            ' ' | '\t' | ';' | '|' | '&' => break,
            '\'' | '"' => {
                chars.next();
                loop {
                    let inner = chars.next()?;
                    match inner {
                        quote if quote == next => break,
                        '$' | '`' | '\\' | '!' if next == '"' => return None,
                        other if unclear(other) => return None,
                        other => word.push(other),
                    }
                }
            }
            // `~` and `#` mean something only at the start of a word, and
            // `~` also after `:` or `=`.
            '#' | '~' if at_start || next == '~' => return None,
            plain if is_plain(plain) => {
                chars.next();
                word.push(plain);
            }
            _ => return None,
        }
        at_start = false;
    }
    Some(word)
}

/// Characters that stand for themselves outside quotes.
fn is_plain(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => true,
        '-' | '_' | '.' | '/' | ',' | ':' | '+' | '@' | '%' | '=' | '^' | '#' => true,
        ascii if ascii.is_ascii() => false,
        other => !unclear(other),
    }
}

/// Line ends, control characters and blanks that only look like a space.
fn unclear(c: char) -> bool {
    c.is_control() || (c.is_whitespace() && c != ' ')
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn understood() {
        let rows: &[(&str, &[&[&str]])] = &[
            ("ls", &[&["ls"]]),
            ("  ls   -la\tsrc  ", &[&["ls", "-la", "src"]]),
            ("git log --oneline -n 5", &[&["git", "log", "--oneline", "-n", "5"]]),
            ("a && b || c; d | e", &[&["a"], &["b"], &["c"], &["d"], &["e"]]),
            ("a&&b", &[&["a"], &["b"]]),
            ("rg 'fn (a|b)$' src", &[&["rg", "fn (a|b)$", "src"]]),
            ("echo \"a  b\"'c'd", &[&["echo", "a  bcd"]]),
            ("echo ''", &[&["echo", ""]]),
            ("grep 'a;b' \"x && y\"", &[&["grep", "a;b", "x && y"]]),
            ("echo grün", &[&["echo", "grün"]]),
            ("cargo test -p plan", &[&["cargo", "test", "-p", "plan"]]),
            ("echo a=b c#d", &[&["echo", "a=b", "c#d"]]),
        ];
        for (command, expected) in rows {
            let expected: Vec<Vec<String>> = expected
                .iter()
                .map(|words| words.iter().map(|word| word.to_string()).collect())
                .collect();
            assert_eq!(split(command), Some(expected), "{command}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn not_understood() {
        let rows = [
            "", "   ", ";", "ls;", "ls &&", "&& ls", "ls ;; ls", "ls & rm x", "ls &",
            "ls |& cat", "ls ||| cat", "ls &&& cat", "ls > f", "ls >> f", "ls 2>&1", "cat < f",
            "cat << E", "ls &> f", "cat <<< x", "echo $HOME", "echo \"$HOME\"", "echo $(id)",
            "echo `id`", "echo \"`id`\"", "echo \"$(id)\"", "echo ${x}", "echo $'a'", "\\ls",
            "l\\s", "ls a\\ b", "echo \"a\\b\"", "ls *.rs", "ls ?", "ls [a]", "echo {a,b}",
            "ls ~", "ls ~root", "x=~ ls", "A=1 ls", "A=1", "A+=1 ls", "(ls)", "{ ls; }",
            "ls\nrm x", "ls\r", "echo 'a\nb'", "# rm", "ls # x", "if true; then rm x; fi",
            "! ls", "time ls", "[[ a ]]", "f() { ls; }", "'unclosed", "\"unclosed",
            "echo \"!x\"", "ls\u{a0}x", "echo\u{2028}x", "ls \u{0}", "for x in a; do ls; done",
            "<(ls)", "cat <(ls)", "'' ls", "a=b", "'if' true",
        ];
        for command in rows {
            assert_eq!(split(command), None, "{command:?}");
        }
    }
}
