//! A workspace with very many files and repositories.

use crate::support::desk;
use std::time::Instant;

/// Times are only told: the machine decides them. What holds is that all of them are found.
#[tokio::test(flavor = "multi_thread")]
async fn all_repositories_of_a_large_workspace_are_read_only() {
    let desk = desk();
    let make = |folder: usize| {
        for inner in 0..20 {
            let path = desk.path(&format!("p{}/s{}/d{inner}", folder % 40, folder / 40));
            std::fs::create_dir_all(&path).unwrap();
            for file in 0..10 {
                std::fs::write(path.join(format!("f{file}")), "").unwrap();
            }
        }
    };
    (0..LARGE / 200).for_each(make);
    for n in 0..100 {
        let git = format!("p{}/s{}/d{}/.git", n % 40, n / 40, n % 20);
        desk.put(&format!("{git}/HEAD"), "ref: refs/heads/main\n");
    }
    for name in ["first", "second", "third", "fourth"] {
        let begun = Instant::now();
        desk.shell("x=1; true").await;
        println!("{name}: {:?}", begun.elapsed());
    }
    for n in [0, 50, 99] {
        let git = format!("p{}/s{}/d{}/.git", n % 40, n / 40, n % 20);
        let output = desk.shell(&format!("echo x > {git}/config")).await;
        assert!(output.failed && !desk.path(&format!("{git}/config")).exists(), "{}", output.text);
    }
}

/// Entries; the measure is 200,000.
const LARGE: usize = 40_000;
