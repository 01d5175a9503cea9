//! A fake Prometheus: it records the content of the configuration file at each reload.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use crate::LIMIT;

/// An HTTP server that runs until the process ends.
pub(crate) struct FakePrometheus {
    address: String,
    rejects: Arc<AtomicBool>,
    page: Arc<Mutex<String>>,
    loads: Receiver<String>,
}

impl FakePrometheus {
    /// Starts a server that loads this file.
    #[expect(clippy::disallowed_methods, reason = "it runs until the process of the test ends")]
    pub(crate) fn start(file: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let rejects = Arc::new(AtomicBool::new(false));
        let page = Arc::new(Mutex::new(String::new()));
        let (sender, loads) = channel();
        let (rejecting, shown) = (rejects.clone(), page.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let Some(request) = lines.next() else { continue };
                lines.take_while(|line| !line.is_empty()).for_each(drop);
                let (status, body) = if request.starts_with("GET ") {
                    ("200 OK", shown.lock().unwrap().clone())
                } else if rejecting.load(Ordering::SeqCst) {
                    ("500 Internal Server Error", "line 3: cannot unmarshal `hunter2`".to_owned())
                } else {
                    ("200 OK", String::new())
                };
                if request.starts_with("POST ") {
                    let loaded = std::fs::read_to_string(&file).unwrap_or_default();
                    let _ = sender.send(loaded);
                }
                let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            }
        });
        Self { address, rejects, page, loads }
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the answer to GET requests.
    pub(crate) fn show(&self, page: &str) {
        *self.page.lock().unwrap() = page.into();
    }

    /// Sets whether reloads are answered with an error.
    pub(crate) fn reject(&self, reject: bool) {
        self.rejects.store(reject, Ordering::SeqCst);
    }

    /// Waits for the next reload; returns the content of the file at that time.
    pub(crate) fn next(&self) -> String {
        self.loads.recv_timeout(LIMIT).expect("a reload")
    }

    /// The number of reloads that were not returned by `next`.
    pub(crate) fn remaining(&self) -> usize {
        self.loads.try_iter().count()
    }
}
