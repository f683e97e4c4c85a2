//! What a command that was not understood seems to run, for rules that forbid or ask.
//!
//! A rough reading that would rather see a command too many than miss one: quotes, blanks and
//! separators count, and whatever the shell would expand stays as it is written. No permission
//! ever comes of it.

/// Words before a command that are no part of it.
const KEYWORDS: [&str; 10] =
    ["if", "then", "elif", "else", "while", "until", "do", "!", "time", "coproc"];

/// The simple commands in a text, by the words that can be read.
pub(crate) fn commands(text: &str) -> Vec<Vec<String>> {
    let mut reader = Reader { levels: vec![Level::new(None)], ..Reader::default() };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = reader.take(c, &rest[c.len_utf8()..]);
    }
    while reader.levels.len() > 1 {
        reader.close();
    }
    reader.end_command();
    reader.found
}

/// A command that is being read: one in brackets stands within another.
#[derive(Default)]
struct Level {
    /// What ends it.
    until: Option<char>,
    /// Whether double quotes are open.
    quoted: bool,
    words: Vec<String>,
    word: Option<String>,
    /// Whether the next word is where a redirection goes.
    redirected: bool,
}

impl Level {
    fn new(until: Option<char>) -> Self {
        Self { until, ..Self::default() }
    }
}

#[derive(Default)]
struct Reader<'a> {
    levels: Vec<Level>,
    found: Vec<Vec<String>>,
    /// What ends the texts that begin at the next line.
    texts: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    /// Takes one character, and gives back what is left to read.
    fn take(&mut self, c: char, rest: &'a str) -> &'a str {
        let (quoted, fresh) = (self.top().quoted, self.top().word.is_none());
        match c {
            '\\' => {
                let Some(next) = rest.chars().next() else { return rest };
                if next != '\n' {
                    self.push(next);
                }
                return &rest[next.len_utf8()..];
            }
            '"' => {
                self.begin_quotes();
                self.top().quoted = !quoted;
            }
            '`' if self.top().until == Some('`') => self.close(),
            '`' => self.open('`'),
            '$' if rest.starts_with('(') => {
                self.push('$');
                self.open(')');
                return &rest[1..];
            }
            _ if quoted => self.push(c),
            '\'' => {
                self.begin_quotes();
                let (inside, after) = rest.split_once('\'').unwrap_or((rest, ""));
                inside.chars().for_each(|c| self.push(c));
                return after;
            }
            '#' if fresh => return &rest[rest.find('\n').unwrap_or(rest.len())..],
            '(' => self.open(')'),
            ')' if self.top().until == Some(')') => self.close(),
            '<' | '>' => return self.redirect(c, rest),
            '\n' => {
                self.end_command();
                return self.skip_texts(rest);
            }
            ';' | '&' | '|' | ')' => self.end_command(),
            ' ' | '\t' => self.end_word(),
            _ => self.push(c),
        }
        rest
    }

    fn top(&mut self) -> &mut Level {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn push(&mut self, c: char) {
        self.top().word.get_or_insert_default().push(c);
    }

    /// Quotes make a word also where nothing is in them; the `$` of `$'…'` is no part of it.
    fn begin_quotes(&mut self) {
        let word = self.top().word.get_or_insert_default();
        if word.ends_with('$') {
            word.pop();
        }
    }

    fn open(&mut self, until: char) {
        self.levels.push(Level::new(Some(until)));
    }

    fn close(&mut self) {
        self.end_command();
        self.levels.pop();
    }

    fn end_word(&mut self) {
        let level = self.top();
        let Some(word) = level.word.take() else { return };
        if std::mem::take(&mut level.redirected) {
            return;
        }
        if word == "{" || word == "}" {
            return self.end_command();
        }
        let level = self.top();
        let is_before = KEYWORDS.contains(&word.as_str()) || is_assignment(&word);
        if !(level.words.is_empty() && is_before) {
            level.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        let level = self.top();
        level.redirected = false;
        let words = std::mem::take(&mut level.words);
        if !words.is_empty() {
            self.found.push(words);
        }
    }

    /// Leaves out `2> file`, and remembers where the text of `<< END` ends.
    fn redirect(&mut self, c: char, rest: &'a str) -> &'a str {
        let level = self.top();
        level.word.take_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        if c == '<' && rest.starts_with('<') && !rest.starts_with("<<") {
            let after = rest[1..].trim_start_matches(['-', ' ', '\t']);
            let end = after.find([' ', '\t', '\n', ';', '&', '|', '<', '>', ')']);
            self.texts.push(&after[..end.unwrap_or(after.len())]);
        }
        let rest = rest.trim_start_matches(['<', '>', '&', '|', '-']);
        self.top().redirected = !rest.starts_with('(');
        rest
    }

    /// Passes over texts that are given to a program, as far as nothing in them is run first.
    fn skip_texts(&mut self, mut rest: &'a str) -> &'a str {
        for end in std::mem::take(&mut self.texts) {
            let plain = end.trim_matches(['\'', '"']);
            let mut at = 0;
            let mut lines = rest.split_inclusive('\n');
            let found = lines.find(|line| {
                at += line.len();
                line.trim_end_matches('\n').trim_start_matches('\t') == plain
            });
            let runs = plain == end && ["$(", "`"].iter().any(|open| rest[..at].contains(open));
            if found.is_none() || runs {
                break;
            }
            rest = &rest[at..];
        }
        rest
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end_matches('+');
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_[]".contains(c);
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_are_seen_in_what_is_not_understood() {
        let rows = [
            ("rm -rf *", "rm -rf *"),
            ("cd 'sub'\nrm -rf *", "cd sub|rm -rf *"),
            ("ls; rm $X", "ls|rm $X"),
            ("true && rm -rf \"$X\" || a&b", "true|rm -rf $X|a|b"),
            ("git push origin $B > log 2>&1", "git push origin $B"),
            ("git push>log", "git push"),
            (">log git push", "git push"),
            ("A=1 B+=2 rm x", "rm x"),
            ("\"r\"m $'x'", "rm x"),
            ("r\\m \\\n x", "rm x"),
            ("echo $(rm x) y", "rm x|echo $ y"),
            ("echo \"a; `rm x` $(rm y) b\"", "rm x|rm y|echo a;  $ b"),
            ("echo 'a; rm x' > f", "echo a; rm x"),
            ("for f in a b; do rm $f; done", "for f in a b|rm $f|done"),
            ("case a in a) rm x;; esac", "case a in a|rm x|esac"),
            ("f() { rm x; }", "f|rm x"),
            ("if ! rm x; then ls; fi", "rm x|ls|fi"),
            ("cat <(rm x)", "rm x|cat"),
            ("(cd a; rm $X)", "cd a|rm $X"),
            ("ls # don't\nrm $X", "ls|rm $X"),
            ("cat > f <<'E'\nit's\nrm x\nE\nrm $Y", "cat|rm $Y"),
            ("cat <<E\n$(rm x)\nE", "cat|rm x|$|E"),
            ("cat <<E\nrm x", "cat|rm x"),
            ("echo ${x#y} $#", "echo ${x#y} $#"),
            ("'unclosed; rm x", "unclosed; rm x"),
            ("", ""),
        ];
        for (text, expected) in rows {
            let found: Vec<String> = commands(text).iter().map(|words| words.join(" ")).collect();
            assert_eq!(found.join("|"), expected, "{text}");
        }
    }
}
