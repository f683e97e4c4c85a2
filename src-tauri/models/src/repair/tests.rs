use super::*;

fn read(text: &str) -> Result<String, Unreadable> {
    repair(text, Whole::Yes)
}

#[test]
fn what_is_json_stays_as_it_is() {
    for text in [r#"{ "a" : [1, 2.50, "x\u00e9\n"] }"#, "null", r#""words""#, "-0.5e3", "[[],{}]"] {
        assert_eq!(read(&format!("\n {text}\t")).as_deref(), Ok(text));
    }
    let deep = "[".repeat(120) + &"]".repeat(120);
    assert_eq!(read(&deep), Ok(deep.clone()));
}

#[test]
fn what_can_be_read_in_one_way_is_put_right() {
    let expected = r#"{"path":"a.txt","all":true}"#;
    for text in [
        "```json\n{\"path\": \"a.txt\", \"all\": true}\n```",
        "```{\"path\": \"a.txt\", \"all\": true}```",
        "```json\n{\"path\": \"a.txt\", \"all\": true,}",
        r#"{"path": "a.txt", "all": true,}"#,
        r#"{'path': 'a.txt', 'all': True}"#,
        r#"{path: "a.txt", all : true}"#,
        "{\"path\": \"a.txt\", // where\n \"all\": /* yes */ true # so\n}",
        r#"{"path": "a.txt", "all": true"#,
        r#"{"path": "a.txt", "all": true}}"#,
        r#"{"path": "a.txt", "all": true}</tool_call>"#,
        r#"{"path": "a.txt", "all": true}<|im_end|>"#,
        r#"{"path": "a.txt", "path": "a.txt", "all": true,}"#,
    ] {
        let read = read(text).map(|json| json.replace(r#""path":"a.txt","path""#, r#""path""#));
        let plain = read.map(|json| json.replace(": ", ":").replace(", ", ","));
        assert_eq!(plain.as_deref(), Ok(expected), "{text}");
    }
    assert_eq!(read("[None, False, {},]").as_deref(), Ok("[null,false,{}]"));
    assert_eq!(read(r#"{"steps": [{"text": "a"], "goal": "g"}"#).as_deref(), {
        Ok(r#"{"steps":[{"text":"a"}],"goal":"g"}"#)
    });
    assert_eq!(read(r#"{"steps": ["a", "b"}"#).as_deref(), Ok(r#"{"steps":["a","b"]}"#));
}

#[test]
fn strings_are_kept_to_the_letter() {
    for (text, expected) in [
        ("{'a': 'she said \"hi\"'}", r#"{"a":"she said \"hi\""}"#),
        (r"{'a': 'it\'s'}", r#"{"a":"it's"}"#),
        ("{\"a\": \"one\ntwo\tthree\",}", r#"{"a":"one\ntwo\tthree"}"#),
        (r#"{"a": "f([1,]); // {x: None} ```",}"#, r#"{"a":"f([1,]); // {x: None} ```"}"#),
        (r#"{"a": "\ud83d\ude00 \\d",}"#, r#"{"a":"😀 \\d"}"#),
    ] {
        assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_may_go_on_is_never_closed() {
    for text in [
        r#"{"command": "rm -r build"#,
        r#"{"command": "rm -r build\"#,
        r#"{"command":"#,
        r#"{"command""#,
        r#"{"steps": ["a","#,
        r#"{"steps": [{"#,
        r#"{"steps": ["#,
        "{",
        r#"{"all": tru"#,
        r#"{"a": "\u00"#,
        "```json\n{\"a\": \"hel",
    ] {
        assert_eq!(read(text), Err(Unreadable::CutOff), "{text}");
    }
    for text in [r#"{"steps": ["a""#, r#"{"n": 12"#, r#"{"a": {"b": 1}"#] {
        assert!(read(text).is_ok(), "{text}");
        assert_eq!(repair(text, Whole::Unknown), Err(Unreadable::CutOff), "{text}");
    }
    assert!(repair(r#"{"steps": ["a"}"#, Whole::Unknown).is_err());
    assert!(repair(r#"{"a": "b",}"#, Whole::Unknown).is_ok(), "nothing can be missing");
}

#[test]
fn what_can_be_read_in_two_ways_is_not_read() {
    let stray = |at: &str| Err(Unreadable::Stray(at.to_owned()));
    assert_eq!(read(r#"{"a": "echo "x" > y"}"#), stray(r#"x" > y"}"#));
    assert_eq!(read("{'a': 'it's fine'}"), stray("s fine'}"));
    assert_eq!(read(r#"{"a": notes.txt}"#), stray("notes.txt}"));
    assert_eq!(read(r#"{"a": "x" "b": "y"}"#), stray(r#""b": "y"}"#));
    assert_eq!(read(r#"["a": "b"]"#), stray(r#": "b"]"#));
    assert_eq!(read(r#"{"a": "x" + "y"}"#), stray(r#"+ "y"}"#));
    assert_eq!(read(r#"{"a": 1 // "b": 2}"#), stray(r#"// "b": 2}"#));
    assert_eq!(read("I will write it"), stray("I will write it"));
    assert_eq!(read(r#"{"a": "\d+"}"#), Err(Unreadable::Escape('d')));
    assert_eq!(read(r#"{"a": "\ud800x"}"#), Err(Unreadable::Half("d800".to_owned())));
    assert_eq!(read(r#"{"a":1}{"a":2}"#), Err(Unreadable::More(r#"{"a":2}"#.to_owned())));
    assert_eq!(read(r#"{"a":1} and more"#), Err(Unreadable::More("and more".to_owned())));
    assert_eq!(read(r#"{"p": {"a": "x", "a": "y"}}"#), Err(Unreadable::Twice("a".to_owned())));
    assert_eq!(read(" "), Err(Unreadable::Empty));
}
