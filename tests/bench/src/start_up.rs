//! How long a person waits after starting the program: from its start to the first request that
//! reaches the model, with a room that is there already.

use std::time::Duration;

use crate::Outcome;
use crate::numbers::{median, quantile};
use crate::script::Script;
use crate::served::{Place, Served};
use crate::table::{Row, Table};

/// The row.
pub const ROWS: [&str; 1] = ["cold-start"];

const STARTS: usize = 15;
const MOST_MS: f64 = 100.0;

/// Starts the program several times on the same folders.
pub async fn first_request(table: &mut Table) -> Outcome {
    eprintln!("{}: {STARTS} times", ROWS[0]);
    let script = Script::words(1);
    let server = script.serve().await;
    let place = Place::new(&server.base_url(), "")?;
    let served = Served::start(&place).await?;
    let room = served.rest.create_room(&place.workspace()).await?;
    served.rest.say(&room, &Script::message(0)).await?;
    script.wait_for_ended(1).await?;
    served.rest.wait_for_rest(&room).await?;
    served.stop().await?;

    let (mut listening, mut asked): (Vec<Duration>, Vec<Duration>) = (Vec::new(), Vec::new());
    for start in 1..=STARTS {
        let served = Served::start(&place).await?;
        listening.push(served.spawned.elapsed());
        served.rest.say(&room, &Script::message(0)).await?;
        script.wait_for_ended(1 + start).await?;
        let last = script.last_turn(0).ok_or("the model was never asked")?;
        asked.push(last - served.spawned);
        served.rest.wait_for_rest(&room).await?;
        served.stop().await?;
    }
    let value = median(&asked);
    table.add(Row {
        name: ROWS[0],
        value,
        unit: "ms",
        ratio: None,
        target: format!("≤ {MOST_MS}"),
        holds: value <= MOST_MS,
        note: format!(
            "listens after {:.1} ms; slowest of {STARTS}: {:.1} ms",
            median(&listening),
            quantile(&asked, 1.0)
        ),
    });
    Ok(())
}
