//! The tasks: small, in short plain words, each judged by what lies on disk or by the answer.

use crate::task::{Kind, Planned, Scene, Solution, Task};

/// What stands for a task where nothing else is said.
const PLAIN: Task = Task {
    name: "",
    kind: Kind::Make,
    files: &[],
    say: "",
    planned: Planned::Either,
    answer: None,
    check: |_| Err("no check".into()),
    solution: Solution { files: &[], answer: "Done." },
};

/// Not counted: it lets the model read the instructions before the clock runs.
pub const WARM_UP: Task = Task {
    name: "warm-up",
    kind: Kind::Question,
    say: "Say hello.",
    check: |scene| scene.says("hello"),
    solution: Solution { files: &[], answer: "Hello." },
    ..PLAIN
};

/// Every task, in the order in which they are run.
pub const TASKS: &[Task] = &[
    Task {
        name: "two-files",
        kind: Kind::Make,
        say: "Make two files: a.txt with the word apple in it, and b.txt with the word banana in it.",
        check: |scene| {
            scene.holds("a.txt", "apple")?;
            scene.lacks("a.txt", "banana")?;
            scene.holds("b.txt", "banana")?;
            scene.lacks("b.txt", "apple")
        },
        solution: Solution {
            files: &[("a.txt", "apple\n"), ("b.txt", "banana\n")],
            answer: "Both files are there.",
        },
        ..PLAIN
    },
    Task {
        name: "readme",
        kind: Kind::Make,
        say: "Create the file README.md. Its first line is the heading `# Garden`. Below it \
              stands one sentence about tomatoes.",
        check: |scene| {
            let text = scene.read("README.md")?;
            if !text.starts_with("# Garden") {
                return Err("README.md does not begin with `# Garden`".into());
            }
            scene.holds("README.md", "tomato")
        },
        solution: Solution {
            files: &[("README.md", "# Garden\n\nTomatoes like the sun.\n")],
            answer: "Done.",
        },
        ..PLAIN
    },
    Task {
        name: "folder",
        kind: Kind::Make,
        say: "Make a folder named docs. In it, make the file notes.md with this text: Water the beans.",
        check: |scene| scene.holds("docs/notes.md", "Water the beans"),
        solution: Solution { files: &[("docs/notes.md", "Water the beans.\n")], answer: "Done." },
        ..PLAIN
    },
    Task {
        name: "json-file",
        kind: Kind::Make,
        say: "Write the file config.json. It must be valid JSON with two keys: \"name\" is \"demo\" \
              and \"port\" is 8080.",
        check: |scene| {
            let text = scene.read("config.json")?;
            let value: serde_json::Value = serde_json::from_str(&text)
                .map_err(|error| format!("config.json is no JSON: {error}"))?;
            let port = &value["port"];
            if value["name"] != "demo" || (port != 8080 && port != "8080") {
                return Err(format!("config.json holds {value}"));
            }
            Ok(())
        },
        solution: Solution {
            files: &[("config.json", "{ \"name\": \"demo\", \"port\": 8080 }\n")],
            answer: "Done.",
        },
        ..PLAIN
    },
    Task {
        name: "change-port",
        kind: Kind::Edit,
        files: &[("settings.txt", "host=localhost\nport=3000\nmode=fast\n")],
        say: "In settings.txt, change the port from 3000 to 8080. Keep the other lines as they are.",
        check: |scene| scene.lines("settings.txt", &["host=localhost", "port=8080", "mode=fast"]),
        solution: Solution {
            files: &[("settings.txt", "host=localhost\nport=8080\nmode=fast\n")],
            answer: "Done.",
        },
        ..PLAIN
    },
    Task {
        name: "fix-typo",
        kind: Kind::Edit,
        files: &[("letter.txt", "Dear Ann,\nteh garden is green.\nSee you soon.\n")],
        say: "There is a typo in letter.txt: `teh` must be `the`. Fix it in the file.",
        check: |scene| {
            scene.lacks("letter.txt", "teh")?;
            scene
                .lines("letter.txt", &["Dear Ann,", "the garden is green.", "See you soon."])
                .or(scene
                    .lines("letter.txt", &["Dear Ann,", "The garden is green.", "See you soon."]))
        },
        solution: Solution {
            files: &[("letter.txt", "Dear Ann,\nthe garden is green.\nSee you soon.\n")],
            answer: "Fixed.",
        },
        ..PLAIN
    },
    Task {
        name: "add-function",
        kind: Kind::Edit,
        files: &[("calc.py", "def add(a, b):\n    return a + b\n")],
        say: "Add a function sub(a, b) to calc.py. It returns a - b. Keep the function add.",
        check: |scene| {
            scene.holds_dense("calc.py", "def add(a, b):return a + b")?;
            scene.holds_dense("calc.py", "def sub(a, b):")?;
            scene.holds_dense("calc.py", "return a - b")
        },
        solution: Solution {
            files: &[(
                "calc.py",
                "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n",
            )],
            answer: "Added.",
        },
        ..PLAIN
    },
    Task {
        name: "find-todo",
        kind: Kind::Search,
        files: &[
            ("login.py", "def login(name):\n    return name\n"),
            ("billing.py", "def bill(total):\n    # TODO: add tax\n    return total\n"),
            ("report.py", "def report():\n    return []\n"),
        ],
        say: "One of the files in this folder has a TODO in it. Which one? Answer with the name of \
              that file only.",
        planned: Planned::No,
        check: |scene| {
            scene.says("billing.py")?;
            scene.is_silent_about("login.py")?;
            scene.is_silent_about("report.py")
        },
        solution: Solution { files: &[], answer: "It is billing.py." },
        ..PLAIN
    },
    Task {
        name: "find-value",
        kind: Kind::Search,
        files: &[
            ("src/main.py", "from limits import MAX_RETRIES\n\nprint(MAX_RETRIES)\n"),
            ("src/limits.py", "TIMEOUT = 5\nMAX_RETRIES = 37\n"),
        ],
        say: "What is the value of MAX_RETRIES in this project? Look in the files and answer with \
              the number.",
        planned: Planned::No,
        check: |scene| scene.says("37"),
        solution: Solution { files: &[], answer: "MAX_RETRIES is 37." },
        ..PLAIN
    },
    Task {
        name: "run-script",
        kind: Kind::Shell,
        files: &[("hello.sh", "echo \"The number is $((6 * 7 + 100))\"\n")],
        say: "Run the command `sh hello.sh` and tell me the number that it prints.",
        check: |scene| scene.says("142"),
        solution: Solution { files: &[], answer: "It prints 142." },
        ..PLAIN
    },
    Task {
        name: "sort-names",
        kind: Kind::Shell,
        files: &[("names.txt", "mia\nben\nzoe\nada\n")],
        say: "Sort the lines of names.txt with the sort command and save the result in sorted.txt.",
        check: |scene| scene.lines("sorted.txt", &["ada", "ben", "mia", "zoe"]),
        solution: Solution { files: &[("sorted.txt", "ada\nben\nmia\nzoe\n")], answer: "Done." },
        ..PLAIN
    },
    Task {
        name: "upper-and-count",
        kind: Kind::Steps,
        files: &[("input.txt", "red green blue yellow\n")],
        say: "Make a plan, then do it. First read input.txt. Then write the same text in capital \
              letters to upper.txt. Then write the number of words to count.txt.",
        planned: Planned::Yes,
        check: |scene| {
            if scene.read("upper.txt")? != "RED GREEN BLUE YELLOW" {
                return Err("upper.txt is not the text in capitals".into());
            }
            let count = scene.read("count.txt")?;
            if !has_number(&count, "4") {
                return Err(format!("count.txt holds `{count}`"));
            }
            Ok(())
        },
        solution: Solution {
            files: &[("upper.txt", "RED GREEN BLUE YELLOW\n"), ("count.txt", "4\n")],
            answer: "Done.",
        },
        ..PLAIN
    },
    Task {
        name: "small-project",
        kind: Kind::Steps,
        say: "Make a plan with three steps, then do it. 1: make src/main.py that prints hello. \
              2: make README.md that names src/main.py. 3: make .gitignore with the line *.pyc",
        planned: Planned::Yes,
        check: |scene| {
            scene.holds("src/main.py", "print(")?;
            scene.holds("src/main.py", "hello")?;
            scene.holds("README.md", "main.py")?;
            scene.holds(".gitignore", "*.pyc")
        },
        solution: Solution {
            files: &[
                ("src/main.py", "print(\"hello\")\n"),
                ("README.md", "Start src/main.py.\n"),
                (".gitignore", "*.pyc\n"),
            ],
            answer: "Done.",
        },
        ..PLAIN
    },
    Task {
        name: "script-and-output",
        kind: Kind::Steps,
        say: "Write the script count.sh that prints the numbers from 1 to 5, one on each line. Run \
              it and save what it prints in out.txt.",
        check: |scene| {
            scene.read("count.sh")?;
            scene.lines("out.txt", &["1", "2", "3", "4", "5"])
        },
        solution: Solution {
            files: &[("count.sh", "seq 1 5\n"), ("out.txt", "1\n2\n3\n4\n5\n")],
            answer: "Done.",
        },
        ..PLAIN
    },
    Task {
        name: "best-region",
        kind: Kind::Research,
        files: &[
            ("reports/north.md", "# North\n\nWe sold 120 bikes.\n"),
            ("reports/south.md", "# South\n\nWe sold 340 bikes.\n"),
            ("reports/west.md", "# West\n\nWe sold 90 bikes.\n"),
        ],
        say: "Look into the three files in the folder reports, at the same time if you can. Each \
              says how many bikes a region sold. Write the name of the region that sold the most \
              to best.txt.",
        check: |scene| {
            scene.holds("best.txt", "south")?;
            scene.lacks("best.txt", "north")?;
            scene.lacks("best.txt", "west")
        },
        solution: Solution { files: &[("best.txt", "South\n")], answer: "South sold the most." },
        ..PLAIN
    },
    Task {
        name: "owners",
        kind: Kind::Research,
        files: &[
            ("shop/notes.md", "Opened in May.\nOwner: Maria\n"),
            ("farm/notes.md", "Has forty cows.\nOwner: Jonas\n"),
            ("mill/notes.md", "Closed on Sundays.\nOwner: Petra\n"),
        ],
        say: "The folders shop, farm and mill each have a file notes.md. Read all three and tell me \
              who owns the shop, who owns the farm and who owns the mill.",
        check: |scene| {
            scene.says("Maria")?;
            scene.says("Jonas")?;
            scene.says("Petra")
        },
        solution: Solution {
            files: &[],
            answer: "Maria owns the shop, Jonas the farm and Petra the mill.",
        },
        ..PLAIN
    },
    Task {
        name: "strict-hello",
        kind: Kind::Strict,
        say: "Write the file hello.txt with the word hello in it.",
        planned: Planned::Yes,
        check: |scene| scene.holds("hello.txt", "hello"),
        solution: Solution { files: &[("hello.txt", "hello\n")], answer: "Done." },
        ..PLAIN
    },
    Task {
        name: "strict-version",
        kind: Kind::Strict,
        files: &[("version.txt", "version 1.0\n")],
        say: "Change version.txt so that it says version 1.1 in place of version 1.0.",
        planned: Planned::Yes,
        check: |scene| scene.lines("version.txt", &["version 1.1"]),
        solution: Solution { files: &[("version.txt", "version 1.1\n")], answer: "Done." },
        ..PLAIN
    },
    Task {
        name: "missing-file",
        kind: Kind::Recovery,
        files: &[("notes.md", "Pumpkins need space.\n")],
        say: "Read notes.txt and write its first word to first.txt. If notes.txt is not there, take \
              the file with the most similar name.",
        check: |scene| {
            scene.holds("first.txt", "pumpkins")?;
            scene.lacks("first.txt", "space")
        },
        solution: Solution { files: &[("first.txt", "Pumpkins\n")], answer: "Done." },
        ..PLAIN
    },
    Task {
        name: "broken-build",
        kind: Kind::Recovery,
        files: &[(
            "build.sh",
            "if [ ! -f version.txt ]; then\n  echo \"version.txt is missing\" >&2\n  exit 1\nfi\n\
             cp version.txt built.txt\necho built\n",
        )],
        say: "Run `sh build.sh`. It will fail and say which file is missing. Make that file with \
              the text 1.0 in it, then run `sh build.sh` again.",
        check: |scene| {
            scene.holds("version.txt", "1.0")?;
            scene.holds("built.txt", "1.0")
        },
        solution: Solution {
            files: &[("version.txt", "1.0\n"), ("built.txt", "1.0\n")],
            answer: "It is built.",
        },
        ..PLAIN
    },
    Task {
        name: "capital",
        kind: Kind::Question,
        say: "What is the capital of France?",
        planned: Planned::No,
        check: |scene| scene.says("Paris"),
        solution: Solution { files: &[], answer: "Paris." },
        ..PLAIN
    },
    Task {
        name: "explain",
        kind: Kind::Question,
        files: &[("area.py", "def area(w, h):\n    return w * h\n")],
        say: "What does area(3, 14) in area.py return? Answer with the number.",
        planned: Planned::No,
        check: |scene| scene.says("42"),
        solution: Solution { files: &[], answer: "It returns 42." },
        ..PLAIN
    },
    Task {
        name: "favourite",
        kind: Kind::Question,
        say: "Ask me which colour I like best. When I have answered, write that colour to colour.txt.",
        answer: Some("purple"),
        check: |scene| scene.holds("colour.txt", "purple"),
        solution: Solution { files: &[("colour.txt", "purple\n")], answer: "Done." },
        ..PLAIN
    },
    Task {
        name: "three-colours",
        kind: Kind::Goal,
        say: "Make three files: red.txt with the word red, green.txt with the word green, and \
              blue.txt with the word blue. The three files do not depend on each other.",
        planned: Planned::Yes,
        check: |scene| {
            scene.holds("red.txt", "red")?;
            scene.holds("green.txt", "green")?;
            scene.holds("blue.txt", "blue")?;
            scene.lacks("red.txt", "blue")?;
            scene.lacks("green.txt", "red")?;
            scene.lacks("blue.txt", "green")
        },
        solution: Solution {
            files: &[("red.txt", "red\n"), ("green.txt", "green\n"), ("blue.txt", "blue\n")],
            answer: "Done.",
        },
        ..PLAIN
    },
    Task {
        name: "council",
        kind: Kind::Council,
        files: &[("notes.txt", "Sow the beans in May.\n")],
        say: "Make the file beans.txt. It says in which month the beans in notes.txt are sown.",
        planned: Planned::Yes,
        check: |scene| scene.holds("beans.txt", "May"),
        solution: Solution { files: &[("beans.txt", "May\n")], answer: "Done." },
        ..PLAIN
    },
];

/// Whether a text has this number and no other digits.
fn has_number(text: &str, number: &str) -> bool {
    text.chars().filter(char::is_ascii_digit).collect::<String>() == number
}

/// The scene that a folder and an answer make.
pub fn scene(folder: &std::path::Path, answer: &str) -> Scene {
    Scene { folder: folder.to_owned(), answer: answer.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::lay;
    use std::collections::BTreeSet;

    #[test]
    fn no_task_is_done_before_it_begins() {
        for task in TASKS {
            let folder = tempfile::tempdir().expect("a folder");
            task.lay_out(folder.path()).expect("its files");
            assert!((task.check)(&scene(folder.path(), "")).is_err(), "{}", task.name);
        }
    }

    #[test]
    fn the_person_repeating_the_task_is_no_answer() {
        for task in TASKS {
            let folder = tempfile::tempdir().expect("a folder");
            task.lay_out(folder.path()).expect("its files");
            assert!((task.check)(&scene(folder.path(), task.say)).is_err(), "{}", task.name);
        }
    }

    #[test]
    fn every_task_can_be_done_by_hand() {
        for task in TASKS {
            let folder = tempfile::tempdir().expect("a folder");
            task.lay_out(folder.path()).expect("its files");
            lay(folder.path(), task.solution.files).expect("the solution");
            let checked = (task.check)(&scene(folder.path(), task.solution.answer));
            assert_eq!(checked, Ok(()), "{}", task.name);
        }
    }

    #[test]
    fn there_are_enough_tasks_of_every_kind_and_names_are_not_shared() {
        assert!((20..=25).contains(&TASKS.len()), "{}", TASKS.len());
        for kind in Kind::ALL {
            assert!(TASKS.iter().any(|task| task.kind == kind), "{}", kind.name());
        }
        let names: BTreeSet<&str> = TASKS.iter().map(|task| task.name).collect();
        assert_eq!(names.len(), TASKS.len());
    }
}
