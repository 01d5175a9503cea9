//! A Prometheus, as far as a reloader can see: it notes what the configuration held when it was told to load it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use crate::LIMIT;

/// Answers requests until the test ends.
pub(crate) struct Neighbour {
    address: String,
    refusing: Arc<AtomicBool>,
    page: Arc<Mutex<String>>,
    loads: Receiver<String>,
}

impl Neighbour {
    /// Loads this file when it is told to.
    #[expect(clippy::disallowed_methods, reason = "it answers for as long as the test's process lives")]
    pub(crate) fn start(file: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let refusing = Arc::new(AtomicBool::new(false));
        let page = Arc::new(Mutex::new(String::new()));
        let (sender, loads) = channel();
        let (refuses, shows) = (refusing.clone(), page.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let Some(request) = lines.next() else { continue };
                lines.take_while(|line| !line.is_empty()).for_each(drop);
                let (status, body) = if request.starts_with("GET ") {
                    ("200 OK", shows.lock().unwrap().clone())
                } else if refuses.load(Ordering::SeqCst) {
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
        Self { address, refusing, page, loads }
    }

    /// An address of it.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What a GET is answered.
    pub(crate) fn show(&self, page: &str) {
        *self.page.lock().unwrap() = page.into();
    }

    /// Whether reloads are answered with an error.
    pub(crate) fn refuse(&self, refuse: bool) {
        self.refusing.store(refuse, Ordering::SeqCst);
    }

    /// Waits for the next reload: what the file held then.
    pub(crate) fn next(&self) -> String {
        self.loads.recv_timeout(LIMIT).expect("a reload")
    }

    /// How many reloads came that nobody asked about.
    pub(crate) fn further(&self) -> usize {
        self.loads.try_iter().count()
    }
}
