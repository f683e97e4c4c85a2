//! Recorded and published answers of real models, replayed byte for byte through the real clients.
//!
//! Each is a pair in `tests/fixtures/streams/FOLDER`: `NAME.sse` with the raw body, and `NAME.json`
//! with its protocol, its HTTP status and one sentence about it. What the client makes of it
//! stands beside them in `NAME.txt`. `UPDATE_STREAMS=1` writes that file anew: read the difference
//! before you keep it.

mod fixture;
mod outcome;
mod server;

use fixture::Fixture;

/// Fewer would mean that they are not found.
const FEWEST: usize = 240;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_recorded_stream_is_understood_as_written_beside_it() {
    let fixtures = Fixture::all();
    assert!(fixtures.len() >= FEWEST, "only {} streams are there", fixtures.len());
    let update = std::env::var_os("UPDATE_STREAMS").is_some();
    let mut wrong = Vec::new();
    for fixture in &fixtures {
        let outcome = outcome::of(fixture).await;
        if update {
            fixture.write_expected(&outcome);
            continue;
        }
        let expected = fixture.expected();
        if expected.as_deref() != Some(outcome.as_str()) {
            let expected = expected.unwrap_or_else(|| "nothing, for the file is missing".into());
            wrong.push(format!(
                "{} ({})\n--- expected\n{expected}\n--- understood\n{outcome}",
                fixture.name, fixture.about
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), fixtures.len(), wrong.join("\n\n"));
}

#[test]
fn real_models_of_both_sizes_are_among_them() {
    let all = Fixture::all();
    let of = |model: &str| {
        let recorded = all.iter().filter(|one| one.source == "recorded by cargo xtask eval");
        recorded.filter(|one| one.name.starts_with(model)).count()
    };
    let (small, smallest) = (of("qwen2.5-coder-1.5b/"), of("qwen2.5-coder-0.5b/"));
    assert!(small + smallest >= 40, "{small} and {smallest}");
    assert!(small >= 10 && smallest >= 10, "{small} and {smallest}");
}

#[tokio::test]
async fn no_piece_of_a_stream_depends_on_where_the_network_cut_it() {
    for fixture in &Fixture::all() {
        let whole = outcome::of(fixture).await;
        let pieces = outcome::in_pieces(fixture, 7).await;
        assert_eq!(whole, pieces, "{}", fixture.name);
    }
}

#[test]
fn no_fixture_holds_a_key_or_a_path_of_someones_computer() {
    for fixture in &Fixture::all() {
        let text = String::from_utf8_lossy(&fixture.body).into_owned();
        for word in ["Bearer ", "sk-ant-", "sk-proj-", "AIza", "/home/", "/Users/", "/root/"] {
            assert!(!text.contains(word), "{} holds `{word}`", fixture.name);
        }
    }
}
