//! The results as a table. The only module that prints.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is where the crate prints")]

use crate::figures::{Figures, Ours, median, spread};

/// One measurement.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) size: usize,
    pub(crate) ours: Ours,
    pub(crate) peer: Figures,
}

/// The target for everything, as a part of the peer's figure.
const ALL: f64 = 1.0 / 5.0;
/// The target for one change, as a part of the peer's figure for everything.
const ONE: f64 = 1.0 / 100.0;
/// How much more a change can cost among ten times as many resources.
const GROWTH: f64 = 2.0;

/// Prints the table; returns whether every target is met.
pub(crate) fn print(rows: &[Row]) -> bool {
    println!(
        "| resources | peer, CPU | ours, CPU | ratio | peer, allocated | ours, allocated | ratio | one changed, CPU | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut met = true;
    for row in rows {
        let time = median(&row.ours.all.time) / median(&row.peer.time);
        let bytes = median(&row.ours.all.allocated) / median(&row.peer.allocated);
        let one = median(&row.ours.one.time) / median(&row.peer.time);
        println!(
            "| {} {} | {} | {} | 1/{:.0} | {} | {} | 1/{:.0} | {} | 1/{:.0} |",
            row.size,
            row.what,
            milliseconds(&row.peer.time),
            milliseconds(&row.ours.all.time),
            1.0 / time,
            mebibytes(&row.peer.allocated),
            mebibytes(&row.ours.all.allocated),
            1.0 / bytes,
            milliseconds(&row.ours.one.time),
            1.0 / one,
        );
        for (target, found, name) in
            [(ALL, time, "CPU"), (ALL, bytes, "allocated bytes"), (ONE, one, "one change")]
        {
            // With few resources, a hundredth is less than the cost of one resource.
            if found > target && (name != "one change" || row.size >= 1000) {
                println!("\nMISSED: {} {}: {name} is 1/{:.1} of the peer's", row.size, row.what, 1.0 / found);
                met = false;
            }
        }
    }
    met & scales(rows)
}

/// Whether a change costs about the same among few and among many resources.
fn scales(rows: &[Row]) -> bool {
    let cost = |size: usize| {
        let row = rows.iter().find(|row| row.what == "ServiceMonitors" && row.size == size)?;
        Some(median(&row.ours.one.time))
    };
    let (Some(few), Some(many)) = (cost(1000), cost(10_000)) else { return true };
    println!("\none change among 10,000 costs {:.2} times what it costs among 1,000", many / few);
    many / few < GROWTH
}

/// Prints an error.
pub(crate) fn print_error(text: &str) {
    eprintln!("error: {text}");
}

fn milliseconds(microseconds: &[f64]) -> String {
    let (min, max) = spread(microseconds);
    format!("{:.2} ms ({:.2}–{:.2})", median(microseconds) / 1e3, min / 1e3, max / 1e3)
}

fn mebibytes(bytes: &[f64]) -> String {
    let unit = f64::from(1 << 20);
    format!("{:.1} MiB", median(bytes) / unit)
}
