//! The output of a process, line by line. Each wait has a limit.

use std::io::{BufRead as _, BufReader};
use std::process::ChildStdout;
use std::sync::mpsc::{Receiver, channel};

use crate::LIMIT;

/// Receives the lines of a process.
pub(crate) struct Lines(Receiver<String>);

impl Lines {
    /// Reads this output in a thread.
    #[expect(clippy::disallowed_methods, reason = "it reads for as long as the process writes")]
    pub(crate) fn of(output: ChildStdout) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(Result::ok);
            // Continues without a receiver: a full pipe would block the process.
            read.for_each(|line| drop(sender.send(line)));
        });
        Self(lines)
    }

    /// Waits for the next line.
    pub(crate) fn next(&self) -> String {
        self.0.recv_timeout(LIMIT).expect("a line")
    }
}
