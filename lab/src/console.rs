//! Output for people: the only module of this crate that writes to the terminal. Each line is flushed, because tests
//! and scripts read the output while the program runs.

use std::io::{self, Write};
use std::time::Duration;

use crate::clock::{Span, Stopwatch};

/// Prints one line to standard output. A closed pipe is ignored.
pub fn line(text: impl AsRef<str>) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{}", text.as_ref()).and_then(|()| out.flush());
}

/// Prints one line to standard error.
pub fn note(text: impl AsRef<str>) {
    let _ = writeln!(io::stderr().lock(), "{}", text.as_ref());
}

/// The stages of one command, each line with the time since its start.
#[derive(Debug)]
pub struct Progress {
    watch: Stopwatch,
    stages: Vec<(String, Duration)>,
}

impl Progress {
    /// Starts the clock.
    pub fn start() -> Self {
        Self { watch: Stopwatch::start(), stages: Vec::new() }
    }

    /// Prints that a stage is done.
    pub fn say(&mut self, what: impl Into<String>) {
        let (what, elapsed) = (what.into(), self.watch.elapsed());
        line(format!("{:>9}  {what}", Span(elapsed).to_string()));
        self.stages.push((what, elapsed));
    }

    /// The stages that are done, each with the time since the start.
    pub fn stages(&self) -> &[(String, Duration)] {
        &self.stages
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Span {
        Span(self.watch.elapsed())
    }
}

/// Formats rows in columns as `kubectl` does: as wide as needed, three spaces apart.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&width).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("   ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["NAME".into(), "AGE".into()], vec!["prometheus".into(), "1s".into()]];
        assert_eq!(table(&rows), "NAME         AGE\nprometheus   1s\n");
    }
}
