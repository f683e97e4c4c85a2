//! Files that run later, outside the sandbox, when a person does something ordinary.

use globset::{Glob, GlobSet, GlobSetBuilder};
use std::path::Path;
use std::sync::OnceLock;

/// As many are named at once.
const NAMED: usize = 10;

/// Patterns of paths, and when these run. A pattern without `/` means a file of that name anywhere.
const LIST: &[(&str, &str)] = &[
    (".githooks/**", "your next commit"),
    (".husky/**", "your next commit"),
    (".pre-commit-config.yaml", "your next commit"),
    ("lefthook.y*ml", "your next commit"),
    (".gitattributes", "your next `git` command"),
    (".gitmodules", "your next `git submodule`"),
    ("{GNUm,M,m}akefile", "your next `make`"),
    ("*.mk", "your next `make`"),
    ("{j,J}ustfile", "your next `just`"),
    ("Taskfile.y*ml", "your next `task`"),
    ("Rakefile", "your next `rake`"),
    ("CMakeLists.txt", "your next `cmake`"),
    ("meson.build", "your next `meson`"),
    ("package.json", "your next `npm install` or `npm run`"),
    (".npmrc", "your next `npm install`"),
    (".yarnrc*", "your next `yarn`"),
    (".pnpmfile.cjs", "your next `pnpm install`"),
    ("node_modules/.bin/*", "your next `npm run`"),
    ("build.rs", "your next `cargo build`"),
    ("Cargo.toml", "your next `cargo build`"),
    (".cargo/config*", "your next `cargo build`"),
    ("rust-toolchain*", "your next `cargo build`"),
    ("setup.{py,cfg}", "your next `pip install`"),
    ("pyproject.toml", "your next `pip install`"),
    ("{conftest,noxfile,sitecustomize}.py", "your next Python tests"),
    ("tox.ini", "your next `tox`"),
    ("*.pth", "your next `python`"),
    ("{.venv,venv}/bin/*", "your next use of the virtual environment"),
    ("build.gradle*", "your next `gradle`"),
    ("settings.gradle*", "your next `gradle`"),
    ("{gradlew,mvnw}", "your next build"),
    ("pom.xml", "your next `mvn`"),
    ("{Gemfile,*.gemspec}", "your next `bundle`"),
    ("composer.json", "your next `composer install`"),
    ("{Dockerfile,Containerfile}*", "your next image build"),
    ("{docker-,}compose*.y*ml", "your next `docker compose up`"),
    (".envrc", "your next `cd` into the folder"),
    ("{.mise,mise}.toml", "your next `cd` into the folder"),
    ("flake.nix", "your next `nix` command"),
    ("shell.nix", "your next `nix` command"),
    (".vscode/{tasks,launch,settings}.json", "your editor"),
    ("*.code-workspace", "your editor"),
    (".idea/**", "your editor"),
    ("{.vimrc,.exrc,.nvim.lua,.dir-locals.el}", "your editor"),
    (".devcontainer/**", "your editor"),
    (".github/{workflows,actions}/**", "your next push (CI)"),
    ("{.gitlab-ci,.travis,azure-pipelines,bitbucket-pipelines}.yml", "your next push (CI)"),
    (".circleci/**", "your next push (CI)"),
    ("Jenkinsfile", "your next push (CI)"),
    ("{.bashrc,.bash_profile,.profile,.zshrc,.zshenv,.zprofile,config.fish}", "your next shell"),
    (".mcp.json", "your next agent"),
    ("{AGENTS,CLAUDE,GEMINI}.md", "your next agent"),
    ("{.cursorrules,.windsurfrules}", "your next agent"),
    ("{.claude,.cursor}/**", "your next agent"),
];

fn globs() -> &'static GlobSet {
    static GLOBS: OnceLock<GlobSet> = OnceLock::new();
    GLOBS.get_or_init(|| {
        let mut set = GlobSetBuilder::new();
        for (pattern, _) in LIST {
            // The test reads every one.
            if let Ok(glob) = Glob::new(&format!("**/{pattern}")) {
                set.add(glob);
            }
        }
        set.build().unwrap_or_else(|_| GlobSet::empty())
    })
}

/// When a file runs, in words that follow "on".
pub(crate) fn when(path: &Path) -> Option<&'static str> {
    let first = globs().matches(path).into_iter().next()?;
    LIST.get(first).map(|(_, when)| *when)
}

/// What is said after a path, or nothing.
pub(crate) fn mark(path: &str) -> String {
    when(Path::new(path)).map_or_else(String::new, |when| format!("; it runs on {when}"))
}

/// What is said of the files among these that run later.
pub(crate) fn told<'a>(paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let marked = paths.filter_map(|path| Some(format!("{path} on {}", when(Path::new(path))?)));
    let mut marked: Vec<String> = marked.collect();
    if marked.len() > NAMED {
        let more = marked.split_off(NAMED).len();
        marked.push(format!("{more} more"));
    }
    (!marked.is_empty())
        .then(|| format!("(runs later, outside the sandbox: {})", marked.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_read_and_paths_are_found_at_any_depth() {
        assert_eq!(globs().len(), LIST.len());
        for (path, expected) in [
            ("Makefile", "make"),
            ("sub/deep/makefile", "make"),
            ("package.json", "npm"),
            (".envrc", "cd"),
            (".vscode/tasks.json", "editor"),
            (".github/workflows/ci.yml", "CI"),
            ("web/node_modules/.bin/tsc", "npm run"),
            (".venv/bin/activate", "virtual environment"),
            ("AGENTS.md", "agent"),
            (".husky/pre-commit", "commit"),
        ] {
            let found = when(Path::new(path)).unwrap_or_default();
            assert!(found.contains(expected), "{path}: {found}");
        }
        for path in ["src/main.rs", "notes.md", "Makefile.txt.bak"] {
            assert_eq!(when(Path::new(path)), None, "{path}");
        }
    }
}
