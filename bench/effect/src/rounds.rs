//! The rounds of a set-up: each applies a monitor, and changes it later.

use anyhow::{Context, Result};
use e2e::lab::Lab;
use lab::console::line;

use crate::clock;
use crate::figures::{Figure, Measure};
use crate::operator::Operator;
use crate::server::{Added, Server};
use crate::setup::Setup;

/// Measures a set-up in several rounds. After a failure, `figures` has those of the rounds before.
pub(crate) async fn measure(
    lab: &Lab,
    operator: &Operator,
    setup: Setup,
    rounds: u32,
    figures: &mut Vec<Figure>,
) -> Result<()> {
    operator.deploy(setup).await?;
    let server = Server::create(lab).await?;
    line(format!("{}: the operator and a Prometheus are ready", setup.name()));
    // The first monitor is not measured, because programs are not in memory yet and connections not open.
    server.add("first").await.context("the first monitor")?;
    for round in 0..rounds {
        let (title, monitor) = (format!("round {} of {rounds}", round + 1), format!("round-{}", round + 1));
        let mut record = |measure, took| figures.push(Figure { setup, measure, took });
        clock::pause(setup.pause(round)).await;
        let Added { loaded, scraped } = server.add(&monitor).await.with_context(|| title.clone())?;
        record(Measure::NewLoaded, loaded);
        record(Measure::NewScraped, scraped);
        clock::pause(setup.pause(rounds + round)).await;
        let changed = server.change(&monitor).await.with_context(|| title.clone())?;
        record(Measure::Changed, changed);
        let [loaded, scraped, changed] = [loaded, scraped, changed].map(|time| time.as_secs_f64());
        let name = setup.name();
        line(format!("{name}, {title}: new {loaded:.2} s, scraped {scraped:.2} s, changed {changed:.2} s"));
    }
    Ok(())
}
