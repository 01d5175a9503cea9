//! The lines that a process writes, each awaited with a limit.

use std::io::{BufRead as _, BufReader};
use std::process::ChildStdout;
use std::sync::mpsc::{Receiver, channel};

use crate::LIMIT;

/// Lines that come.
pub(crate) struct Lines(Receiver<String>);

impl Lines {
    /// Of this output.
    #[expect(clippy::disallowed_methods, reason = "it reads for as long as the process writes")]
    pub(crate) fn of(output: ChildStdout) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(Result::ok);
            // Also when nobody asks any more: a full pipe would stop the process.
            read.for_each(|line| drop(sender.send(line)));
        });
        Self(lines)
    }

    /// Waits for the next one.
    pub(crate) fn next(&self) -> String {
        self.0.recv_timeout(LIMIT).expect("a line")
    }
}
