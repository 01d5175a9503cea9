//! The results as a table, and whether the targets are met. Pure.

use std::fmt::Write;
use std::time::Duration;

use clap::ValueEnum;

use crate::figures::{Figure, Measure, Spread};
use crate::setup::Setup;

const TITLES: &str = "\
| from the request | set-up | median | min | max | n | target | met |
|---|---|---|---|---|---|---|---|
";

/// The table in Markdown, with a row for each measure and set-up that was measured.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut text = String::from(TITLES);
    for (measure, setup, spread) in rows(figures) {
        let (target, met) = match measure.target(setup) {
            Some(target) if spread.median <= target => (format!("≤ {}", seconds(target)), "yes"),
            Some(target) => (format!("≤ {}", seconds(target)), "**no**"),
            None => (String::new(), ""),
        };
        let [median, min, max] = [spread.median, spread.min, spread.max].map(seconds);
        let (measure, setup, count) = (measure.name(), setup.name(), spread.count);
        let _ =
            writeln!(text, "| {measure} | {setup} | {median} | {min} | {max} | {count} | {target} | {met} |");
    }
    text
}

/// Whether no figure misses its target.
pub(crate) fn met(figures: &[Figure]) -> bool {
    rows(figures)
        .all(|(measure, setup, spread)| measure.target(setup).is_none_or(|target| spread.median <= target))
}

fn rows(figures: &[Figure]) -> impl Iterator<Item = (Measure, Setup, Spread)> {
    let all = Measure::ALL
        .into_iter()
        .flat_map(|measure| Setup::value_variants().iter().map(move |setup| (measure, *setup)));
    all.filter_map(|(measure, setup)| Some((measure, setup, Spread::of(figures, setup, measure)?)))
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 10.0 { format!("{seconds:.2} s") } else { format!("{seconds:.1} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(setup: Setup, measure: Measure, milliseconds: u64) -> Figure {
        Figure { setup, measure, took: Duration::from_millis(milliseconds) }
    }

    #[test]
    fn a_row_has_the_times_and_whether_the_target_is_met() {
        let figures = [
            figure(Setup::Peer, Measure::Changed, 65_432),
            figure(Setup::Ours, Measure::NewScraped, 5_000),
            figure(Setup::Ours, Measure::Changed, 400),
            figure(Setup::Ours, Measure::Changed, 700),
            figure(Setup::OursPeerReloader, Measure::Changed, 2_001),
        ];
        let rows = "\
| a ServiceMonitor changed, until Prometheus runs it | ours, our reloader | 0.55 s | 0.40 s | 0.70 s | 2 | ≤ 1.00 s | yes |
| a ServiceMonitor changed, until Prometheus runs it | ours, the peer's reloader | 2.00 s | 2.00 s | 2.00 s | 1 | ≤ 2.00 s | **no** |
| a ServiceMonitor changed, until Prometheus runs it | the peer, its reloader | 65.4 s | 65.4 s | 65.4 s | 1 |  |  |
| a new ServiceMonitor, until its target is scraped | ours, our reloader | 5.00 s | 5.00 s | 5.00 s | 1 |  |  |
";
        assert_eq!(table(&figures), format!("{TITLES}{rows}"));
        assert!(!met(&figures));
        assert!(met(&figures[..4]));
    }

    #[test]
    fn without_figures_no_target_is_missed() {
        assert_eq!(table(&[]), TITLES);
        assert!(met(&[]));
    }
}
