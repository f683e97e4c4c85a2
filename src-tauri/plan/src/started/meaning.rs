//! Commands that change what later words mean: variables that programs go by, names for programs,
//! and what the shell's own commands work out of their words.

/// Commands of the shell that set variables by words such as `A=b`, and programs that hand them on.
const ASSIGNING: &[&str] =
    &["env", "sudo", "doas", "export", "declare", "typeset", "local", "readonly"];

/// Commands of the shell that set the variables they are given.
const FILLING: &[&str] = &["read", "getopts"];

/// Commands of the shell that work out what stands in the brackets of a name.
const WORKING_OUT: &[&str] = &[
    "[", "declare", "export", "getopts", "let", "local", "printf", "read", "readonly", "test",
    "typeset", "unset", "wait",
];

/// How variables begin by which a program finds or runs others.
const BEGUN: &[&str] = &[
    "BASH",
    "ENV",
    "GCONV",
    "GIT_",
    "IFS",
    "LD_",
    "LESS",
    "MAKEFLAGS",
    "NODE_",
    "PATH",
    "PERL",
    "PROMPT",
    "PS4",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONWARNINGS",
    "RUBY",
    "RUSTC",
    "RUSTFLAGS",
];

/// What stands in such variables.
const WITHIN: &[&str] = &[
    "ASKPASS", "BROWSER", "COMMAND", "EDITOR", "LINKER", "OPTIONS", "PAGER", "PROGRAM", "RSH",
    "RUNNER", "SHELL", "SSH", "VISUAL", "WRAPPER",
];

/// Programs that give another one a new name or place.
const COPYING: &[&str] = &["cp", "dd", "hash", "install", "link", "ln", "mv", "rsync"];

/// Whether a command makes later ones, or the one it starts, mean something else.
pub(super) fn is_changed_by(name: &str, rest: &[String]) -> bool {
    let assigned = |word: &String| {
        let assignment = word.split_once('=').filter(|_| !word.starts_with('-'));
        assignment.is_some_and(|(variable, _)| is_gone_by(variable))
    };
    let evaluated = |word: &String| word.contains('[') && word.contains(['$', '`']);
    let any = |test: &dyn Fn(&String) -> bool| rest.iter().any(test);
    ASSIGNING.contains(&name) && any(&assigned)
        || FILLING.contains(&name) && any(&|word| is_gone_by(word))
        || name == "printf" && filled_by_printf(rest).is_some_and(is_gone_by)
        || WORKING_OUT.contains(&name) && any(&evaluated)
        || name == "set" && any(&|word| word == "keyword")
}

/// The programs that a command hands on under another name, each by its plain name.
pub(crate) fn renamed(argv: &[String]) -> Vec<&str> {
    let Some((program, rest)) = argv.split_first() else { return Vec::new() };
    if !COPYING.contains(&super::plain(program)) {
        return Vec::new();
    }
    let installed =
        |word: &&String| !word.contains('/') || word.contains("bin/") || word.contains("git-core/");
    rest.iter().filter(installed).map(|word| super::plain(word)).collect()
}

/// Whether programs go by a variable of this name.
fn is_gone_by(variable: &str) -> bool {
    let name = variable.split(['[', '+']).next().unwrap_or(variable).to_ascii_uppercase();
    // `NODE_ENV` names no program.
    let is_plain = name == "NODE_ENV";
    let begins = BEGUN.iter().any(|begun| name.starts_with(begun));
    !is_plain && (begins || WITHIN.iter().any(|within| name.contains(within)))
}

/// The variable of `printf -v`.
fn filled_by_printf(rest: &[String]) -> Option<&str> {
    match rest.first()?.strip_prefix("-v")? {
        "" => rest.get(1).map(String::as_str),
        attached => Some(attached),
    }
}
