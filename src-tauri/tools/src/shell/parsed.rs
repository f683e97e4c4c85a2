//! Reads a command with a parser for bash, and takes out its simple commands.
//!
//! Understood are simple commands joined by `&&`, `||`, `;`, `|` and line ends,
//! also in groups and conditions, with literal words, patterns of file names,
//! and redirections that change nothing. Whatever the shell would expand,
//! assign, define or start in the background makes the whole command not
//! understood: `None`, never a guess.
//!
//! Each simple command is told with the folder it runs in: after `cd sub &&` that is `sub`, and
//! after a `cd` that may have failed nobody knows.

use crate::facts;
use brush_parser::ast::{
    AndOr, AndOrList, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList,
    IoFileRedirectKind as Kind, IoFileRedirectTarget as Into, IoRedirect, Pipeline,
    SeparatorOperator, SimpleCommand, Word as Raw,
};
use brush_parser::word::{self, WordPiece};
use brush_parser::{Parser, ParserOptions};
use std::path::{Component, Path};

/// Longer commands are scripts, which nobody reads at a glance.
const LONGEST: usize = 8 * 1024;
/// The parser takes twice as long for each of these, so there are few.
const NESTING: [&str; 8] = ["if", "while", "until", "for", "case", "select", "coproc", "[["];
const DEEPEST: usize = 6;

/// Commands of the shell by which later ones, or the folder they run in, may come to be others.
const CHANGING: &str = ". alias bind builtin command compgen complete compopt declare enable eval \
    exec export fc getopts hash history let local mapfile popd pushd read readarray readonly set \
    shopt source trap typeset unalias unset";

/// A simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Simple {
    /// The folder it runs in, from the workspace on; `None` where nobody knows.
    pub(crate) folder: Option<String>,
    pub(crate) words: Vec<Word>,
}

/// One word of a simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// As the program gets it, or the pattern that stands for file names.
    pub(crate) text: String,
    /// Whether it is a pattern.
    pub(crate) pattern: bool,
}

/// The simple commands of a command that begins in the workspace, or `None` when anything is
/// unclear.
pub(crate) fn read(command: &str) -> Option<Vec<Simple>> {
    read_in(command, Path::new(""), Some(String::new()))
}

/// The same for one that begins in a folder of the workspace at `root`.
pub(crate) fn read_in(command: &str, root: &Path, folder: Option<String>) -> Option<Vec<Simple>> {
    if command.len() > LONGEST || !is_plain(command) {
        return None;
    }
    // As `bash -c` reads it.
    let options = ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() };
    let read = || {
        let program = Parser::new(command.as_bytes(), &options).parse_program().ok()?;
        let folder = folder.clone();
        let mut found = Found { options: &options, root, folder, moves: 0, commands: Vec::new() };
        program.complete_commands.iter().try_for_each(|list| found.list(list))?;
        Some(found.commands)
    };
    // A parser that gives up on strange input must not take more with it.
    let commands = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).ok()??;
    (!commands.is_empty()).then_some(commands)
}

/// The commands as they are told.
pub(crate) fn simple(commands: Vec<Simple>) -> Vec<facts::SimpleCommand> {
    let told = |Simple { folder, words }: Simple| facts::SimpleCommand {
        folder,
        literal: !words.iter().any(|word| word.pattern),
        argv: words.into_iter().map(|word| word.text).collect(),
    };
    commands.into_iter().map(told).collect()
}

/// Whether there is nothing in a command that is never understood, and little
/// that nests: what the parser need not look at.
fn is_plain(command: &str) -> bool {
    let (mut quote, mut nested, mut outside) = (None, 0, String::new());
    for c in command.chars() {
        // Control characters, and blanks that only look like a space.
        if !matches!(c, ' ' | '\t' | '\n') && (c.is_control() || c.is_whitespace()) {
            return false;
        }
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some('\''), _) => {}
            (_, '$' | '`' | '\\') => return false,
            (Some(_), _) => {}
            (None, '\'' | '"') => {
                quote = Some(c);
                outside.push('_');
            }
            // A comment may hold anything, half a quote too.
            (None, '#') if outside.chars().last().is_none_or(|last| !last.is_alphanumeric()) => {
                return false;
            }
            (None, '(' | '{') => nested += 1,
            (None, _) => outside.push(c),
        }
    }
    let words = outside.split(|c: char| c.is_whitespace() || ";&|".contains(c));
    nested + words.filter(|word| NESTING.contains(word)).count() <= DEEPEST && quote.is_none()
}

struct Found<'a> {
    options: &'a ParserOptions,
    root: &'a Path,
    /// Where the next command runs.
    folder: Option<String>,
    /// How often `cd` was met.
    moves: usize,
    commands: Vec<Simple>,
}

impl Found<'_> {
    fn list(&mut self, list: &CompoundList) -> Option<()> {
        list.0.iter().try_for_each(|item| match item.1 {
            SeparatorOperator::Sequence => {
                let moves = self.moves;
                self.and_or(&item.0)?;
                self.forget_folder_since(moves);
                Some(())
            }
            SeparatorOperator::Async => None,
        })
    }

    /// A `cd` since then may have failed, or not have been reached.
    fn forget_folder_since(&mut self, moves: usize) {
        if self.moves != moves {
            self.folder = None;
        }
    }

    fn and_or(&mut self, list: &AndOrList) -> Option<()> {
        let moves = self.moves;
        self.pipeline(&list.first)?;
        list.additional.iter().try_for_each(|next| match next {
            AndOr::And(pipeline) => self.pipeline(pipeline),
            AndOr::Or(pipeline) => {
                self.forget_folder_since(moves);
                self.pipeline(pipeline)?;
                self.forget_folder_since(moves);
                Some(())
            }
        })
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Option<()> {
        if pipeline.timed.is_some() {
            return None;
        }
        let moves = self.moves;
        if let [command] = pipeline.seq.as_slice() {
            self.command(command)?;
            if pipeline.bang {
                self.forget_folder_since(moves);
            }
            return Some(());
        }
        pipeline.seq.iter().try_for_each(|command| self.apart(|found| found.command(command)))
    }

    /// What runs in a shell of its own moves no other command.
    fn apart(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let (folder, moves) = (self.folder.clone(), self.moves);
        read(self)?;
        (self.folder, self.moves) = (folder, moves);
        Some(())
    }

    fn command(&mut self, command: &Command) -> Option<()> {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                let mut redirects = redirects.iter().flat_map(|list| &list.0);
                redirects.try_for_each(|redirect| self.redirect(redirect))?;
                self.compound(compound)
            }
            Command::Function(_) | Command::ExtendedTest(..) => None,
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Option<()> {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(group) => self.apart(|found| found.list(&group.list)),
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition)?;
                self.list(&clause.then)?;
                clause.elses.iter().flatten().try_for_each(|other| {
                    other.condition.iter().try_for_each(|list| self.list(list))?;
                    self.list(&other.body)
                })
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                let (moves, first) = (self.moves, self.commands.len());
                self.list(&clause.0)?;
                self.list(&clause.1.list)?;
                // What comes last is before what comes first.
                if self.moves != moves {
                    self.commands[first..].iter_mut().for_each(|command| command.folder = None);
                }
                Some(())
            }
            CompoundCommand::Arithmetic(_)
            | CompoundCommand::ArithmeticForClause(_)
            | CompoundCommand::ForClause(_)
            | CompoundCommand::CaseClause(_)
            | CompoundCommand::Coprocess(_) => None,
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) -> Option<()> {
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect)?,
                // An assignment can make any program do anything.
                Item::AssignmentWord(..) | Item::Word(_) | Item::ProcessSubstitution(..) => {
                    return None;
                }
            }
        }
        let program = self.word(simple.word_or_name.as_ref()?)?;
        if program.pattern || program.text.is_empty() || program.text.contains('=') {
            return None;
        }
        let mut words = vec![program];
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect)?,
                Item::Word(word) | Item::AssignmentWord(_, word) => words.push(self.word(word)?),
                Item::ProcessSubstitution(..) => return None,
            }
        }
        let (program, args) = words.split_first()?;
        let sets = |words: &[Word]| match program.text.as_str() {
            "printf" => words.first().is_some_and(|word| word.text.starts_with("-v")),
            // What stands in brackets is worked out.
            "test" => words.iter().any(|word| word.text.contains('[')),
            name => CHANGING.split(' ').any(|one| one == name),
        };
        if sets(args) {
            return None;
        }
        let next = (program.text == "cd").then(|| self.led_to(args));
        self.commands.push(Simple { folder: self.folder.clone(), words });
        if let Some(next) = next {
            self.folder = next;
            self.moves += 1;
        }
        Some(())
    }

    /// Where `cd` leads in the workspace, as the shell works it out; `None` where it is elsewhere.
    fn led_to(&self, args: &[Word]) -> Option<String> {
        let [to] = args else { return None };
        let path = Path::new(&to.text);
        if to.pattern || to.text.is_empty() || to.text.starts_with('-') {
            return None;
        }
        let (folder, named) = match path.is_absolute() {
            true => ("", path.strip_prefix(self.root).ok()?),
            false => (self.folder.as_deref()?, path),
        };
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in named.components() {
            match part {
                Component::Normal(name) => parts.push(name.to_str()?),
                Component::ParentDir => drop(parts.pop()?),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(parts.join("/"))
    }

    /// Redirections that read, that join outputs, or that throw one away.
    fn redirect(&self, redirect: &IoRedirect) -> Option<()> {
        let fine = match redirect {
            IoRedirect::File(_, Kind::Read, Into::Filename(word)) => {
                let word = self.word(word)?;
                !word.pattern && !is_connection(&word.text)
            }
            IoRedirect::File(
                _,
                Kind::Write | Kind::Append | Kind::Clobber,
                Into::Filename(word),
            )
            | IoRedirect::OutputAndError(word, _) => self.word(word)?.text == "/dev/null",
            IoRedirect::File(_, Kind::DuplicateInput | Kind::DuplicateOutput, Into::Fd(_)) => true,
            IoRedirect::File(
                _,
                Kind::DuplicateInput | Kind::DuplicateOutput,
                Into::Duplicate(word),
            ) => self.word(word)?.text.bytes().all(|byte| byte.is_ascii_digit()),
            IoRedirect::File(..) | IoRedirect::HereDocument(..) | IoRedirect::HereString(..) => {
                false
            }
        };
        fine.then_some(())
    }

    fn word(&self, raw: &Raw) -> Option<Word> {
        let pieces = word::parse(&raw.value, self.options).ok()?;
        let mut found = Word { text: String::new(), pattern: false };
        for piece in pieces {
            match piece.piece {
                WordPiece::Text(text) => {
                    if text.contains(['{', '}', '$', '`', '\\']) || expands_home(&text) {
                        return None;
                    }
                    found.pattern |= text.contains(['*', '?', '[']);
                    found.text.push_str(&text);
                }
                WordPiece::SingleQuotedText(text) => found.text.push_str(&text),
                WordPiece::DoubleQuotedSequence(inner) => {
                    for piece in inner {
                        found.text.push_str(&quoted(piece.piece)?);
                    }
                }
                WordPiece::EscapeSequence(_)
                | WordPiece::AnsiCQuotedText(_)
                | WordPiece::GettextDoubleQuotedSequence(_)
                | WordPiece::TildeExpansion(_)
                | WordPiece::ParameterExpansion(_)
                | WordPiece::CommandSubstitution(_)
                | WordPiece::BackquotedCommandSubstitution(_)
                | WordPiece::ArithmeticExpression(_) => return None,
            }
        }
        Some(found)
    }
}

/// Bash makes a connection of such a name.
fn is_connection(file: &str) -> bool {
    file.starts_with("/dev/tcp/") || file.starts_with("/dev/udp/")
}

/// What stands in double quotes, where it stands for itself.
fn quoted(piece: WordPiece) -> Option<String> {
    match piece {
        WordPiece::Text(text) if !text.contains(['$', '`', '\\']) => Some(text),
        WordPiece::Text(_)
        | WordPiece::EscapeSequence(_)
        | WordPiece::SingleQuotedText(_)
        | WordPiece::DoubleQuotedSequence(_)
        | WordPiece::AnsiCQuotedText(_)
        | WordPiece::GettextDoubleQuotedSequence(_)
        | WordPiece::TildeExpansion(_)
        | WordPiece::ParameterExpansion(_)
        | WordPiece::CommandSubstitution(_)
        | WordPiece::BackquotedCommandSubstitution(_)
        | WordPiece::ArithmeticExpression(_) => None,
    }
}

/// `~` means a home folder at the start of a word and after `:` or `=`.
fn expands_home(text: &str) -> bool {
    text.starts_with('~') || text.contains(":~") || text.contains("=~")
}

#[cfg(test)]
mod tests {
    use super::{read, read_in, simple};
    use std::path::Path;

    fn split(command: &str) -> Option<Vec<Vec<String>>> {
        let commands = simple(read(command)?).into_iter();
        commands.map(|command| command.literal.then_some(command.argv)).collect()
    }

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
            ("ls;", &[&["ls"]]),
            ("ls\nrm x", &[&["ls"], &["rm", "x"]]),
            ("echo 'a\nb'", &[&["echo", "a\nb"]]),
            ("(ls)", &[&["ls"]]),
            ("{ ls; rm x; }", &[&["ls"], &["rm", "x"]]),
            ("! ls", &[&["ls"]]),
            ("if true; then rm x; else ls; fi", &[&["true"], &["rm", "x"], &["ls"]]),
            ("while a; do b; done", &[&["a"], &["b"]]),
            ("cargo test > /dev/null 2>&1", &[&["cargo", "test"]]),
            ("cargo test &> /dev/null", &[&["cargo", "test"]]),
            ("ls |& cat", &[&["ls"], &["cat"]]),
            ("cat < f", &[&["cat"]]),
            ("git show HEAD~1:a", &[&["git", "show", "HEAD~1:a"]]),
            ("ls | (cat; rm x)", &[&["ls"], &["cat"], &["rm", "x"]]),
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
    fn each_command_is_told_with_its_folder() {
        for (command, expected) in [
            ("make", "/ws/on make"),
            ("cd a && make", "/ws/on cd a|/ws/on/a make"),
            ("cd ./a/../b/ && make && ls", "/ws/on cd ./a/../b/|/ws/on/b make|/ws/on/b ls"),
            ("cd a && cd ../.. && make", "/ws/on cd a|/ws/on/a cd ../..|/ws make"),
            ("cd /ws && make", "/ws/on cd /ws|/ws make"),
            ("cd /ws/on/x && make", "/ws/on cd /ws/on/x|/ws/on/x make"),
            ("cd a && make | tee b", "/ws/on cd a|/ws/on/a make|/ws/on/a tee b"),
            ("(cd a && make); ls", "/ws/on cd a|/ws/on/a make|/ws/on ls"),
            ("cd a | make", "/ws/on cd a|/ws/on make"),
            ("make || cd a; ls", "/ws/on make|/ws/on cd a|? ls"),
            ("make || cd a && ls", "/ws/on make|/ws/on cd a|? ls"),
            ("cd a || make", "/ws/on cd a|? make"),
            ("cd a; make", "/ws/on cd a|? make"),
            ("cd a\nmake", "/ws/on cd a|? make"),
            ("cd .; make", "/ws/on cd .|? make"),
            ("cd evil && cd ../no/..; make", "/ws/on cd evil|/ws/on/evil cd ../no/..|? make"),
            ("! cd a && make", "/ws/on cd a|? make"),
            ("{ cd a; } && make", "/ws/on cd a|? make"),
            ("if cd a; then make; fi; ls", "/ws/on cd a|? make|? ls"),
            ("while make; do cd a && ls; done", "? make|? cd a|? ls"),
            ("cd /ws/../etc && make", "/ws/on cd /ws/../etc|? make"),
            ("cd ../.. && make", "/ws/on cd ../..|? make"),
            ("cd /wsx && make", "/ws/on cd /wsx|? make"),
            ("cd && make", "/ws/on cd|? make"),
            ("cd - && make", "/ws/on cd -|? make"),
            ("cd -P a && make", "/ws/on cd -P a|? make"),
            ("cd a* && make", "/ws/on cd a*|? make"),
            ("cd '' && make", "/ws/on cd |? make"),
        ] {
            let found = read_in(command, Path::new("/ws"), Some("on".to_owned())).unwrap();
            let told = simple(found).into_iter().map(|command| {
                let folder =
                    command.folder.map_or("?".to_owned(), |folder| format!("/ws/{folder}"));
                format!("{} {}", folder.trim_end_matches('/'), command.argv.join(" "))
            });
            assert_eq!(told.collect::<Vec<_>>().join("|"), expected, "{command}");
        }
    }

    #[test]
    fn patterns_are_known_and_never_certain() {
        for command in ["ls *.rs", "ls src/?.rs", "cat [ab]", "git pus?"] {
            assert!(read(command).is_some() && split(command).is_none(), "{command}");
        }
        assert_eq!(split("ls '*.rs'").unwrap(), [["ls", "*.rs"]], "a quoted one is a word");
    }

    #[test]
    #[rustfmt::skip]
    fn not_understood() {
        let rows = [
            "", "   ", ";", "ls &&", "&& ls", "ls ;; ls", "ls & rm x", "ls &",
            "ls ||| cat", "ls &&& cat", "ls > f", "ls >> f", "> f", "ls 2> f",
            "cat << E\nx\nE", "ls &> f", "cat <<< x", "echo $HOME", "echo \"$HOME\"", "echo $(id)",
            "echo `id`", "echo \"`id`\"", "echo \"$(id)\"", "echo ${x}", "echo $'a'", "\\ls",
            "l\\s", "ls a\\ b", "echo \"a\\b\"", "*", "l? x", "echo {a,b}", "echo x{1..3}",
            "ls ~", "ls ~root", "x=~ ls", "A=1 ls", "A=1", "A+=1 ls", "LD_PRELOAD=./x.so ls",
            "ls\r", "time ls", "[[ a ]]", "f() { ls; }", "function f { ls; }", "'unclosed",
            "\"unclosed", "ls\u{a0}x", "echo\u{2028}x", "ls \u{0}", "for x in a; do ls; done",
            "for PATH in .; do ls; done", "case a in a) ls;; esac", "coproc ls", "((1))",
            "<(ls)", "cat <(ls)", "ls >(rm x)", "'' ls", "a=b", "(ls", "{ ls", "if ls; fi",
            "export CDPATH=evil", "export CDPATH=evil && cd a && make", "pushd a && make", "popd",
            "command cd a && make", "builtin cd a", "alias make=evil", "set -- a", "read CDPATH",
            "printf -v CDPATH evil", "test -v 'a[CDPATH=1]'", "hash -p evil make", "declare -x A",
            "unset PATH", "shopt -s cdspell", "eval make", ". a", "trap make EXIT", "exec make",
            "echo \"a\n$(id)\"", "ls >| f", "ls <> f", "ls > /dev/null > f", "{ ls; } > f",
            "(ls) &", "ls # x", "# rm", "ls 2>&$x", "echo a:~/x", "echo --a=~/x", "cat << 'E'\n$(id)\nE",
        ];
        let understood: Vec<&str> = rows.into_iter().filter(|row| split(row).is_some()).collect();
        assert_eq!(understood, Vec::<&str>::new());
    }

    /// Nothing typed makes the parser slow, deep or fall over.
    #[test]
    fn strange_input_is_answered_at_once() {
        let small = std::thread::Builder::new().stack_size(1024 * 1024);
        let thread = small.spawn(|| {
            let words =
                ["(", "{ ", "$(", "`", "if ", "while ", "[", "((", "\"$(", "! ", "a|", "<("];
            for word in words {
                for times in [6, 24, 200, 2000] {
                    let started = std::time::Instant::now();
                    let _ = read(&word.repeat(times));
                    let _ = read(&format!("{}a{}", word.repeat(times), ")".repeat(times)));
                    assert!(started.elapsed().as_secs() < 60, "{word} {times}");
                }
            }
        });
        thread.unwrap().join().unwrap();
    }
}
