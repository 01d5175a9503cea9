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

/// How long the operator has to be idle to be quiet.
const CALM: Duration = Duration::from_secs(1);
/// The CPU time that an idle process can use in that time.
const NOISE: Duration = Duration::from_micros(500);
/// The limit for everything that does not depend on the number of applications.
pub(crate) const LIMIT: Duration = Duration::from_mins(5);

/// The running operator. It is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Operator {
    child: Child,
    directory: PathBuf,
    address: SocketAddr,
    started: Stopwatch,
}

/// What a process has used when it becomes quiet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quiet {
    /// The time from its start until it became idle.
    pub(crate) since_start: Duration,
    /// The CPU time of all threads.
    pub(crate) processor: Duration,
}

/// Memory of a process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    /// The current resident memory.
    pub(crate) resident: u64,
    /// The peak of the resident memory.
    pub(crate) peak: u64,
}

impl Operator {
    /// Starts the operator for a cluster.
    #[expect(clippy::disallowed_methods, reason = "this is where the crate runs programs")]
    pub(crate) fn start(program: &Path, kubeconfig: &Path) -> Result<Self> {
        // A free port: the listener is closed, and the operator uses its port.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let log = fs::File::create(kubeconfig.with_file_name("mainstay.log"));
        let log = log.context("cannot create the log of the operator")?;
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
        let id = child.id().context("the operator has just been started")?;
        let directory = Path::new("/proc").join(id.to_string());
        Ok(Self { child, directory, address, started: Stopwatch::start() })
    }

    /// Sends SIGTERM, and waits until the operator exits.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        kill_process(id.context("the operator has exited")?, Signal::TERM)?;
        let ended =
            tokio::time::timeout(LIMIT, self.child.wait()).await.context("the operator does not exit")??;
        if !ended.success() {
            bail!("the operator exited with {ended}");
        }
        Ok(())
    }

    /// Reads the metrics, which costs the operator CPU time.
    pub(crate) async fn page(&self) -> Result<Page> {
        let (status, text) = self.get("/metrics").await?;
        if status != StatusCode::OK {
            bail!("the operator answered /metrics with {status}");
        }
        Ok(Page::of(&text))
    }

    async fn get(&self, path: &str) -> Result<(StatusCode, String)> {
        // One connection for each request: an idle one would be closed during a measurement.
        let client: Client<_, Empty<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
        let answer = client.get(format!("http://{}{path}", self.address).parse()?).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }

    /// Waits until the operator is ready and quiet.
    pub(crate) async fn settled(&self, limit: Duration) -> Result<Quiet> {
        let watch = Stopwatch::start();
        loop {
            let quiet = self.quiet().await?;
            // Only requested when it is quiet, because it costs CPU time.
            if matches!(self.get("/readyz").await, Ok((StatusCode::OK, _))) {
                return Ok(quiet);
            }
            if watch.elapsed() > limit {
                bail!("the operator does not become ready");
            }
        }
    }

    /// Waits until the operator is quiet. Reading `/proc` costs it no CPU time.
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

    /// The CPU time of all threads, in nanoseconds; `stat` only has hundredths of a second. Threads that have ended are
    /// not included, but the threads of the operator do not end.
    fn processor(&self) -> Result<Duration> {
        let mut nanoseconds = 0;
        for thread in fs::read_dir(self.directory.join("task")).context("the operator has exited")? {
            // The thread has ended meanwhile.
            let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
            let first = text.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
            nanoseconds += first.context("the kernel reports no processor times")?;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// The memory of the operator.
    pub(crate) fn memory(&self) -> Result<Memory> {
        let text = fs::read_to_string(self.directory.join("status")).context("the operator has exited")?;
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
