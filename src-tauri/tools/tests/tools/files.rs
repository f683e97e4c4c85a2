use crate::support::desk;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use tools::{Change, ChangeKind, Effect, Facts, Target, ToolError, Toolbox};

#[test]
fn every_tool_has_a_spec_that_says_what_it_takes() {
    let toolbox = Toolbox::builtin();
    let names: Vec<_> = toolbox.specs().iter().map(|spec| spec.name).collect();
    let listed: Vec<_> = tools::catalogue().iter().map(|entry| entry.name).collect();
    assert_eq!(names, listed);
    for spec in toolbox.specs() {
        assert_eq!(spec.schema["type"], "object");
        assert!(toolbox.knows(spec.name));
    }
    assert!(!toolbox.knows("rm"));
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let desk = desk();
    let error = desk.run("read_file", json!({ "file": "a" })).await.unwrap_err();
    let words = error.to_string();
    assert!(words.contains("no argument `file`") && words.contains("path (text, required)"));
    for (args, expected) in [
        (json!({}), "`path` is missing"),
        (json!({ "path": null }), "`path` is missing"),
        (json!({ "path": 1 }), "`path` has to be text"),
        (json!({ "path": "a", "start_line": "1" }), "`start_line` has to be a whole number"),
        (json!("a"), "the arguments are no object"),
    ] {
        let words = desk.run("read_file", args).await.unwrap_err().to_string();
        assert!(words.starts_with(&format!("read_file: {expected}; it takes")), "{words}");
    }
    assert_eq!(desk.fails("read_file", json!({})).await, "BAD_ARGUMENTS");
    assert_eq!(desk.fails("read_file", json!({"path": 1})).await, "BAD_ARGUMENTS");
    assert_eq!(desk.fails("read_file", json!("a")).await, "BAD_ARGUMENTS");
    assert_eq!(
        desk.fails("read_file", json!({"path": "a", "start_line": 0})).await,
        "BAD_ARGUMENTS"
    );
    assert_eq!(desk.fails("nothing", json!({})).await, "UNKNOWN_TOOL");
}

#[tokio::test]
async fn a_cancelled_call_does_not_start() {
    let desk = desk();
    desk.ctx.cancel.cancel();
    assert_eq!(desk.fails("write_file", json!({"path": "a", "content": ""})).await, "CANCELLED");
    assert!(!desk.path("a").exists());
}

#[tokio::test]
async fn read_file_shows_an_image_whatever_its_name() {
    let desk = desk();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0";
    desk.put("shot.txt", png);
    let shown = desk.run("read_file", json!({"path": "shot.txt"})).await.unwrap();
    assert_eq!(shown.text, "an image, PNG, 640×480, 29 bytes");
    assert_eq!((shown.images.len(), shown.images[0].mime), (1, "image/png"));
    assert_eq!(shown.images[0].bytes, png);
    desk.put("no.png", b"\x7fELF\0\xff");
    assert_eq!(desk.fails("read_file", json!({"path": "no.png"})).await, "BINARY");
    let edit = json!({"path": "shot.txt", "old": "P", "new": "p"});
    assert_eq!(desk.fails("edit_file", edit).await, "BINARY");
    desk.put("words.gif", "GIF89a is how such a file begins");
    let words = desk.run("read_file", json!({"path": "words.gif"})).await.unwrap();
    assert!(words.images.is_empty() && words.text.starts_with("GIF89a is"));
}

#[tokio::test]
async fn read_file_gives_text_and_lines() {
    let desk = desk();
    desk.put("a.txt", "one\ntwo\nthree\n");
    let read = async |args| desk.run("read_file", args).await.unwrap().text;
    assert_eq!(read(json!({"path": "a.txt"})).await, "one\ntwo\nthree\n");
    assert_eq!(read(json!({"path": desk.path("a.txt")})).await, "one\ntwo\nthree\n");
    assert_eq!(
        read(json!({"path": "a.txt", "start_line": 2, "line_count": 1})).await,
        "two\n[lines 2 to 2 of 3; read on with start_line=3]"
    );
    assert_eq!(read(json!({"path": "a.txt", "start_line": 3})).await, "three\n");
    let past = read(json!({"path": "a.txt", "start_line": 9})).await;
    assert_eq!(past, "(there is no line 9; there are 3 lines)");
    desk.put("empty", "");
    assert_eq!(read(json!({"path": "empty"})).await, "(the file is empty)");
}

#[tokio::test]
async fn a_long_file_is_cut_and_the_note_leads_to_the_rest() {
    let desk = desk();
    let text: String = (1..=20_000).map(|n| format!("this is line {n}\n")).collect();
    desk.put("long.txt", &text);
    let output = desk.run("read_file", json!({"path": "long.txt"})).await.unwrap();
    assert!(output.text.len() < 40_000);
    assert_eq!(output.full, None, "the file itself can be read further");
    let note = output.text.lines().find(|line| line.starts_with("[…")).unwrap();
    let next: usize = note.split(' ').nth(2).unwrap().parse().unwrap();
    assert!(output.text.contains(&format!("this is line {}\n", next - 1)));
    assert!(!output.text.contains(&format!("this is line {next}\n")));
    let args = json!({"path": "long.txt", "start_line": next, "line_count": 1});
    let rest = desk.run("read_file", args).await.unwrap();
    assert!(rest.text.starts_with(&format!("this is line {next}\n")));
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_in_words() {
    let desk = desk();
    desk.put("zero", b"a\0b");
    desk.put("latin", b"\xff\xfe");
    desk.put("dir/x", "");
    assert_eq!(desk.fails("read_file", json!({"path": "zero"})).await, "BINARY");
    assert_eq!(desk.fails("read_file", json!({"path": "latin"})).await, "BINARY");
    assert_eq!(desk.fails("read_file", json!({"path": "dir"})).await, "WRONG_KIND");
    assert_eq!(desk.fails("read_file", json!({"path": "none"})).await, "NOT_FOUND");
    assert_eq!(desk.fails("read_file", json!({"path": "zero/below"})).await, "WRONG_KIND");
    assert_eq!(desk.fails("read_file", json!({"path": "a\0b"})).await, "NOT_FOUND");
    let huge = std::fs::File::create(desk.path("huge")).unwrap();
    huge.set_len(1 << 33).unwrap();
    assert_eq!(desk.fails("read_file", json!({"path": "huge"})).await, "TOO_LARGE");
    desk.shell("mkfifo pipe").await;
    assert_eq!(desk.fails("read_file", json!({"path": "pipe"})).await, "WRONG_KIND");
    assert_eq!(
        desk.fails("write_file", json!({"path": "pipe", "content": ""})).await,
        "WRONG_KIND"
    );
}

#[tokio::test]
async fn names_in_lists_are_one_line_each_and_plain() {
    let desk = desk();
    desk.put("a\nb\u{1b}[31m\u{7f}\u{9b}", "");
    desk.put("grün", "");
    for (tool, args) in [("list_dir", json!({})), ("glob", json!({"pattern": "*"}))] {
        let text = desk.run(tool, args).await.unwrap().text;
        assert_eq!(text, "a\\nb\\u{1b}[31m\\u{7f}\\u{9b}\ngrün", "{tool}");
    }
    desk.put("real:1:x\nforged", "word\n");
    let found = desk.run("search", json!({"pattern": "word"})).await.unwrap().text;
    assert_eq!(found, "real:1:x\\nforged:1:word");
}

#[tokio::test]
async fn list_dir_marks_folders_and_links() {
    let desk = desk();
    assert_eq!(desk.run("list_dir", json!({})).await.unwrap().text, "(the folder is empty)");
    desk.put("b.txt", "");
    desk.put("a/c", "");
    std::os::unix::fs::symlink("b.txt", desk.path("link")).unwrap();
    assert_eq!(desk.run("list_dir", json!({})).await.unwrap().text, "a/\nb.txt\nlink@");
    assert_eq!(desk.run("list_dir", json!({"path": "a"})).await.unwrap().text, "c");
    assert_eq!(desk.fails("list_dir", json!({"path": "b.txt"})).await, "WRONG_KIND");
    assert_eq!(desk.fails("list_dir", json!({"path": "none"})).await, "NOT_FOUND");
}

#[tokio::test]
async fn search_finds_lines_and_skips_what_is_ignored() {
    let desk = desk();
    desk.put("src/a.rs", "fn one() {}\nfn two() {}\n");
    desk.put("src/b.txt", "fn three\n");
    desk.put("target/c.rs", "fn four\n");
    desk.put(".gitignore", "target\n");
    desk.put(".git/d.rs", "fn five\n");
    desk.put("blob", b"fn six\0");
    let search = async |args| desk.run("search", args).await.unwrap().text;
    let all = "src/a.rs:1:fn one() {}\nsrc/a.rs:2:fn two() {}\nsrc/b.txt:1:fn three";
    assert_eq!(search(json!({"pattern": "^fn \\w+"})).await, all);
    assert_eq!(search(json!({"pattern": "fn", "glob": "*.txt"})).await, "src/b.txt:1:fn three");
    assert_eq!(
        search(json!({"pattern": "two", "path": "src/a.rs"})).await,
        "src/a.rs:2:fn two() {}"
    );
    assert_eq!(search(json!({"pattern": "absent"})).await, "(nothing matches)");
    assert_eq!(desk.fails("search", json!({"pattern": "("})).await, "BAD_ARGUMENTS");
    assert_eq!(desk.fails("search", json!({"pattern": "a", "glob": "{"})).await, "BAD_ARGUMENTS");
    assert_eq!(desk.fails("search", json!({"pattern": "a", "path": "none"})).await, "NOT_FOUND");
    desk.put("many", "x\n".repeat(1000));
    let many = search(json!({"pattern": "x", "path": "many"})).await;
    assert_eq!(many.lines().count(), 201);
    assert!(many.ends_with("narrow the pattern, path or glob …]"));
}

#[tokio::test]
async fn search_names_files_that_it_could_not_search_in_whole() {
    let desk = desk();
    let long = "x".repeat(2 << 20);
    let note = |name: &str| format!("[not searched in whole: {name} has a line of more than 1 MB]");
    desk.put("a/before", format!("needle\n{long}\n"));
    desk.put("b/within", format!("{long}needle\n"));
    desk.put("c/after", format!("{long}\nneedle\n"));
    desk.put("d/fits", format!("{}needle\n", "x".repeat(1 << 19)));
    let search = async |args| desk.run("search", args).await.unwrap();
    let before = search(json!({"pattern": "needle", "path": "a"})).await.text;
    assert_eq!(before, format!("a/before:1:needle\n{}", note("a/before")));
    for (folder, name) in [("b", "b/within"), ("c", "c/after")] {
        let text = search(json!({"pattern": "needle", "path": folder})).await.text;
        assert_eq!(text, format!("(nothing matches in what was searched)\n{}", note(name)));
    }
    let fits = search(json!({"pattern": "needle", "path": "d"})).await.text;
    assert!(fits.starts_with("d/fits:1:xxx") && fits.lines().count() == 1);

    desk.put("a/many", "needle\n".repeat(300));
    let many = search(json!({"pattern": "needle", "path": "a"})).await;
    assert!(many.text.contains("[… 101 lines left out") && many.text.ends_with(&note("a/before")));
    assert!(many.full.unwrap().ends_with(&note("a/before")));

    for number in 0..23 {
        desk.put(&format!("e/{number:02}"), &long);
    }
    let text = search(json!({"pattern": "needle", "path": "e"})).await.text;
    assert_eq!(text.lines().count(), 22);
    assert!(text.contains(&note("e/19")) && !text.contains("e/20"));
    assert!(text.ends_with("\n[not searched in whole: 3 more files or folders]"));
}

#[tokio::test]
async fn write_file_makes_folders_and_says_what_changed() {
    let desk = desk();
    let hash = |text: &str| Some(blake3::hash(text.as_bytes()).to_hex().to_string());
    let created =
        desk.run("write_file", json!({"path": "a/b/c.txt", "content": "1"})).await.unwrap();
    assert_eq!(
        created.changed,
        [Change {
            path: "a/b/c.txt".into(),
            kind: ChangeKind::Created,
            before: None,
            after: hash("1")
        }]
    );
    let replaced =
        desk.run("write_file", json!({"path": "a/b/c.txt", "content": "2"})).await.unwrap();
    assert_eq!(
        replaced.changed,
        [Change {
            path: "a/b/c.txt".into(),
            kind: ChangeKind::Modified,
            before: hash("1"),
            after: hash("2")
        }]
    );
    assert_eq!(desk.get("a/b/c.txt"), "2");
    assert_eq!(
        std::fs::read_dir(desk.path("a/b")).unwrap().count(),
        1,
        "nothing temporary is left"
    );
    assert_eq!(desk.fails("write_file", json!({"path": "a/b", "content": ""})).await, "WRONG_KIND");
    assert_eq!(desk.fails("write_file", json!({"path": ".", "content": ""})).await, "WRONG_KIND");
    assert_eq!(
        desk.fails("write_file", json!({"path": "a/b/c.txt/d", "content": ""})).await,
        "WRONG_KIND"
    );
}

#[tokio::test]
async fn a_large_file_is_written_and_read_off_the_loop() {
    let desk = desk();
    let text = "0123456789\n".repeat(100_000);
    desk.run("write_file", json!({"path": "large", "content": text})).await.unwrap();
    let output = desk.run("read_file", json!({"path": "large"})).await.unwrap();
    assert!(output.text.contains("of 100000 left out; read them with start_line="));
}

#[tokio::test]
async fn writing_keeps_the_mode() {
    let desk = desk();
    desk.put("run.sh", "old");
    std::fs::set_permissions(desk.path("run.sh"), PermissionsExt::from_mode(0o750)).unwrap();
    desk.run("write_file", json!({"path": "run.sh", "content": "new"})).await.unwrap();
    desk.run("edit_file", json!({"path": "run.sh", "old": "new", "new": "newer"})).await.unwrap();
    let mode = std::fs::metadata(desk.path("run.sh")).unwrap().permissions().mode();
    assert_eq!((mode & 0o7777, desk.get("run.sh").as_str()), (0o750, "newer"));
}

#[tokio::test]
async fn edit_file_wants_a_text_that_is_there_once() {
    let desk = desk();
    desk.put("a.txt", "one two two");
    let edit = json!({"path": "a.txt", "old": "one", "new": "1"});
    assert_eq!(desk.run("edit_file", edit).await.unwrap().text, "edited a.txt in 1 place");
    let twice = json!({"path": "a.txt", "old": "two", "new": "2"});
    match desk.run("edit_file", twice).await {
        Err(ToolError::TextNotUnique { times, .. }) => assert_eq!(times, 2),
        other => panic!("{other:?}"),
    }
    let all = json!({"path": "a.txt", "old": "two", "new": "2", "all": true});
    assert_eq!(desk.run("edit_file", all).await.unwrap().text, "edited a.txt in 2 places");
    assert_eq!(desk.get("a.txt"), "1 2 2");
    let gone = json!({"path": "a.txt", "old": "two", "new": "2"});
    assert_eq!(desk.fails("edit_file", gone).await, "TEXT_NOT_THERE");
    let empty = json!({"path": "a.txt", "old": "", "new": "2"});
    assert_eq!(desk.fails("edit_file", empty).await, "BAD_ARGUMENTS");
    let none = json!({"path": "b.txt", "old": "a", "new": "b"});
    assert_eq!(desk.fails("edit_file", none).await, "NOT_FOUND");
}

#[tokio::test]
async fn create_directory_tells_the_first_folder_it_made() {
    let desk = desk();
    let made = desk.run("create_directory", json!({"path": "a/b/c"})).await.unwrap();
    assert_eq!(made.changed[0].path, "a");
    assert!(desk.path("a/b/c").is_dir());
    let again = desk.run("create_directory", json!({"path": "a/b"})).await.unwrap();
    assert!(again.changed.is_empty());
    desk.put("file", "");
    assert_eq!(desk.fails("create_directory", json!({"path": "file/x"})).await, "WRONG_KIND");
    assert_eq!(desk.fails("create_directory", json!({"path": "file"})).await, "WRONG_KIND");
}

#[test]
fn facts_name_what_a_call_will_touch() {
    let desk = desk();
    let path =
        |path: &str, outside, write| vec![Target::Path { path: path.into(), outside, write }];
    let facts = |name, args| desk.facts(name, args).unwrap();
    let write = json!({"path": "./x/../a", "content": ""});
    let expected = Facts { effect: Effect::Write, targets: path("a", false, true) };
    assert_eq!(facts("write_file", write), expected);
    let expected = Facts { effect: Effect::Read, targets: path(".", false, false) };
    assert_eq!(facts("list_dir", json!({})), expected);
    let expected = Facts { effect: Effect::Read, targets: path("/etc/hosts", true, false) };
    assert_eq!(facts("read_file", json!({"path": "/etc/hosts"})), expected);
    let expected = Facts { effect: Effect::WriteOutside, targets: path("/etc/hosts", true, true) };
    assert_eq!(facts("create_directory", json!({"path": "/etc/hosts"})), expected);
    let expected = Facts {
        effect: Effect::Read,
        targets: vec![Target::Command { text: "ls".into(), simple: tools::simple_commands("ls") }],
    };
    assert_eq!(facts("shell", json!({"command": "ls"})), expected);
    assert_eq!(facts("shell", json!({"command": "make"})).effect, Effect::Exec);
    let network = facts("shell", json!({"command": "ls", "network": ["a.example"]}));
    assert_eq!(network.effect, Effect::Network);
    assert_eq!(network.targets[1], Target::Host { host: "a.example".into() });
}

#[tokio::test]
async fn a_line_that_is_too_long_is_read_on_by_bytes() {
    let desk = desk();
    let text = format!("first\n{}end", "ä".repeat(50_000));
    desk.put("one-line.json", &text);
    let cut = desk.run("read_file", json!({"path": "one-line.json"})).await.unwrap().text;
    let at = cut.split("start_byte=").nth(1).unwrap().split(' ').next().unwrap();
    let mut start: usize = at.parse().unwrap();
    let mut read = text[..start].to_owned();
    while start < text.len() {
        let args = json!({"path": "one-line.json", "start_byte": start});
        let piece = desk.run("read_file", args).await.unwrap().text;
        let piece = piece.split("\n[bytes ").next().unwrap().to_owned();
        start += piece.len();
        read += &piece;
    }
    assert_eq!(read, text);
    let both = json!({"path": "one-line.json", "start_byte": 1, "start_line": 1});
    assert_eq!(desk.fails("read_file", both).await, "BAD_ARGUMENTS");
}

/// Who starts it would run the agent's content with the rights of its owner.
#[tokio::test]
async fn new_content_does_not_run_with_the_rights_of_its_owner() {
    let desk = desk();
    for (mode, kept) in [(0o4755, 0o755), (0o2755, 0o755), (0o6711, 0o711), (0o640, 0o640)] {
        for (tool, args) in [
            ("edit_file", json!({"path": "program", "old": "old", "new": "new"})),
            ("write_file", json!({"path": "program", "content": "new"})),
        ] {
            desk.put("program", "old");
            let mode = PermissionsExt::from_mode(mode);
            std::fs::set_permissions(desk.path("program"), mode).unwrap();
            desk.run(tool, args).await.unwrap();
            let found = desk.path("program").metadata().unwrap().permissions().mode() & 0o7777;
            assert_eq!(found, kept, "{tool}: {found:o}");
        }
    }
}

/// A path that is longer than the system takes at once can't be opened by anybody, not even by root.
#[tokio::test]
async fn search_and_glob_say_what_they_could_not_look_at() {
    let desk = desk();
    desk.put("near.txt", "a needle\n");
    let deep = "n=$(printf 'd%.0s' {1..250}); f=$(printf 'f%.0s' {1..250}); \
                for _ in {1..16}; do mkdir $n; cd -P ./$n; done; echo needle > $f; \
                mkdir $n; echo needle > $n/x";
    let mut bash = std::process::Command::new("bash");
    let made = bash.args(["-ec", deep]).current_dir(desk.ws.root()).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let said = desk.run("search", json!({ "pattern": "needle" })).await.unwrap().text;
    let notes: Vec<&str> = said.lines().filter(|line| line.starts_with("[not")).collect();
    assert!(said.starts_with("near.txt:1:a needle\n"), "{said}");
    let can_not = |note: &&str| note.contains("can't be read: invalid filename]");
    assert!(notes.len() == 2 && notes.iter().all(can_not), "{said}");
    assert!(notes[0].contains("d/dd") && notes[1].contains("d/ff"), "{said}");
    let said = desk.run("search", json!({ "pattern": "none" })).await.unwrap().text;
    assert!(said.starts_with("(nothing matches in what was searched)\n[not searched"), "{said}");
    let said = desk.run("glob", json!({ "pattern": "*.txt" })).await.unwrap().text;
    assert!(said.starts_with("near.txt\n[not looked at: ddd"), "{said}");
    let said = desk.run("glob", json!({ "pattern": "*.none" })).await.unwrap().text;
    assert!(said.starts_with("(nothing matches in what was looked at)\n[not look"), "{said}");
}
