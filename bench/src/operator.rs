//! The operator as a separate process: started, queried, measured from outside, stopped. The only module that starts a
//! program.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use http_body_util::{BodyExt, Empty};
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use lab::clock::{Stopwatch, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use crate::page::Page;

/// How long it must have done nothing to count as quiet.
const CALM: Duration = Duration::from_secs(1);
/// A process that does nothing still wakes up at times.
const NOISE: Duration = Duration::from_micros(500);
/// How long anything may take that does not grow with the number of applications.
pub(crate) const LIMIT: Duration = Duration::from_mins(5);

/// The operator, running. It ends with this value.
#[derive(Debug)]
pub(crate) struct Operator {
    child: Child,
    directory: PathBuf,
    address: SocketAddr,
    started: Stopwatch,
}

/// What a process had used when it became quiet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quiet {
    /// Time from its start to its last work.
    pub(crate) since_start: Duration,
    /// Processor time of all of its threads.
    pub(crate) processor: Duration,
}

/// Memory of a process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    /// What it has now.
    pub(crate) resident: u64,
    /// The most it ever had.
    pub(crate) peak: u64,
}

impl Operator {
    /// Starts the program for a cluster.
    #[expect(clippy::disallowed_methods, reason = "this is where the crate runs programs")]
    pub(crate) fn start(program: &Path, kubeconfig: &Path) -> Result<Self> {
        // Freed at once, and taken by the operator a moment later.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let log =
            fs::File::create(kubeconfig.with_file_name("mainstay.log")).context("the operator's log")?;
        let child = Command::new(program)
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .args(["--no-leader-election", "--listen-address", &address.to_string()])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let id = child.id().context("it has just been started")?;
        let directory = Path::new("/proc").join(id.to_string());
        Ok(Self { child, directory, address, started: Stopwatch::start() })
    }

    /// Asks it to end, and waits until it has.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        kill_process(id.context("the operator has ended by itself")?, Signal::TERM)?;
        let ended =
            tokio::time::timeout(LIMIT, self.child.wait()).await.context("the operator does not end")??;
        if !ended.success() {
            bail!("the operator ended with {ended}");
        }
        Ok(())
    }

    /// What it says about itself. That costs it processor time.
    pub(crate) async fn page(&self) -> Result<Page> {
        let (status, text) = self.ask("/metrics").await?;
        if status != StatusCode::OK {
            bail!("the operator answers with {status}");
        }
        Ok(Page::of(&text))
    }

    async fn ask(&self, path: &str) -> Result<(StatusCode, String)> {
        // One connection a question: an idle one would be closed at a moment of its own.
        let client: Client<_, Empty<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
        let answer = client.get(format!("http://{}{path}", self.address).parse()?).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }

    /// Waits until it is ready and then does nothing for a while.
    pub(crate) async fn settled(&self, limit: Duration) -> Result<Quiet> {
        let watch = Stopwatch::start();
        loop {
            let quiet = self.quiet().await?;
            // Asked only when it is quiet, because it costs processor time.
            if matches!(self.ask("/readyz").await, Ok((StatusCode::OK, _))) {
                return Ok(quiet);
            }
            if watch.elapsed() > limit {
                bail!("the operator does not become ready");
            }
        }
    }

    /// Waits until it has done nothing for a while. Looking at it costs it nothing.
    pub(crate) async fn quiet(&self) -> Result<Quiet> {
        let mut quiet = self.used()?;
        let mut calm = Stopwatch::start();
        let found = wait_for(LIMIT, || {
            let now = self.used();
            std::future::ready(match now {
                Err(error) => Some(Err(error)),
                Ok(now) if now.processor > quiet.processor + NOISE => {
                    (quiet, calm) = (now, Stopwatch::start());
                    None
                }
                Ok(now) if calm.elapsed() >= CALM => Some(Ok(Quiet { processor: now.processor, ..quiet })),
                Ok(_) => None,
            })
        });
        found.await.context("the operator does not become quiet")?
    }

    fn used(&self) -> Result<Quiet> {
        Ok(Quiet { since_start: self.started.elapsed(), processor: self.processor()? })
    }

    /// Processor time of all threads. In nanoseconds, where `stat` has hundredths of a second; a thread that has ended
    /// is missing, and the operator's stay.
    fn processor(&self) -> Result<Duration> {
        let mut nanoseconds = 0;
        for thread in fs::read_dir(self.directory.join("task")).context("the operator has ended")? {
            // One that ends between two looks.
            let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
            let first = text.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
            nanoseconds += first.context("the kernel reports no processor times")?;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// Its memory.
    pub(crate) fn memory(&self) -> Result<Memory> {
        let text = fs::read_to_string(self.directory.join("status")).context("the operator has ended")?;
        let bytes = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
            Some(kibibytes * 1024)
        };
        let both = bytes("VmRSS:").zip(bytes("VmHWM:"));
        let (resident, peak) = both.context("the kernel reports no memory usage")?;
        Ok(Memory { resident, peak })
    }
}
