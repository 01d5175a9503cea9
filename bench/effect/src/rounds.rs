//! The rounds of a set-up: each applies a monitor, and changes it later.

use anyhow::{Context, Result};
use e2e::lab::Lab;
use lab::console::line;

use crate::clock;
use crate::figures::{Figure, Measure};
use crate::operator::Operator;
use crate::server::Server;
use crate::setup::Setup;

/// Measures a set-up so many times. What was measured before something failed stays among the figures.
pub(crate) async fn play(
    lab: &Lab,
    operator: &Operator,
    setup: Setup,
    rounds: u32,
    figures: &mut Vec<Figure>,
) -> Result<()> {
    operator.put(setup).await?;
    let server = Server::create(lab).await?;
    line(format!("{}: the operator is at work and a Prometheus is ready", setup.name()));
    // The first one of all shows that everything works; programs are then in memory, and connections open.
    server.add("first").await.context("the monitor that is not counted")?;
    for round in 0..rounds {
        let (title, monitor) = (format!("round {} of {rounds}", round + 1), format!("round-{}", round + 1));
        let mut keep = |measure, took| figures.push(Figure { setup, measure, took });
        clock::pause(setup.pause(round)).await;
        let (loaded, scraped) = server.add(&monitor).await.with_context(|| title.clone())?;
        keep(Measure::NewLoaded, loaded);
        keep(Measure::NewScraped, scraped);
        clock::pause(setup.pause(rounds + round)).await;
        let changed = server.change(&monitor).await.with_context(|| title.clone())?;
        keep(Measure::Changed, changed);
        let [loaded, scraped, changed] = [loaded, scraped, changed].map(|time| time.as_secs_f64());
        let name = setup.name();
        line(format!("{name}, {title}: new {loaded:.2} s, scraped {scraped:.2} s, changed {changed:.2} s"));
    }
    Ok(())
}
