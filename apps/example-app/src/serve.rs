//! The lifetime of a server: opens the store, starts the tasks, answers requests until it is stopped, finishes those in
//! progress and closes the store. Called by `main` and by tests.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinSet, spawn_blocking};

use crate::app::{App, Limits};
use crate::args::ServeArguments;
use crate::auth::{AuthError, Credentials, Keyring};
use crate::clock;
use crate::console::{Level, chain, log};
use crate::features::{Features, FeaturesError};
use crate::gate::Gate;
use crate::leader::Leader;
use crate::metrics::Metrics;
use crate::store::{self, Store, StoreError};
use crate::version::Version;
use crate::volume::{Generation, Volume};
use crate::{follow, http};

/// How long a starting server waits for another process to close the store.
const OPEN_LIMIT: Duration = Duration::from_secs(30);
/// How often mounted files are read again.
const REFRESH_EVERY: Duration = Duration::from_secs(1);

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The credentials could not be read.
    #[error(transparent)]
    Auth(#[from] AuthError),
    /// The features could not be read.
    #[error(transparent)]
    Features(#[from] FeaturesError),
    /// The store could not be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A follower has no URL of the writer.
    #[error("replica {0} is a follower and needs --leader-url")]
    NoLeader(u32),
    /// The server cannot listen.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
}

/// A running server.
pub struct Server {
    address: SocketAddr,
    app: Arc<App>,
    shutdown: Duration,
    serving: JoinSet<()>,
    tasks: JoinSet<()>,
}

/// The number at the end of a replica's name; 0 if there is none.
fn ordinal(host_name: &str) -> u32 {
    let name = host_name.split('.').next().unwrap_or_default();
    name.rsplit_once('-').and_then(|(_, number)| number.parse().ok()).unwrap_or(0)
}

/// Opens the store. A follower whose data have another schema starts with an empty store: the writer has all items.
fn open(volume: &Volume, version: Version, follows: bool) -> Result<(Store, Generation), StoreError> {
    match store::open_current(volume, version) {
        Err(StoreError::OtherSchema { found, .. }) if follows => {
            log(Level::Info, format!("the data have schema {found}: this follower copies all items again"));
            let next = Generation(volume.current()?.map_or(1, |current| current.0 + 1));
            store::create_generation(volume, next, version.schema())?;
            volume.sweep(&[next])?;
            store::open_current(volume, version)
        }
        other => other,
    }
}

async fn open_when_free(
    volume: &Volume,
    version: Version,
    follows: bool,
) -> Result<(Store, Generation), StoreError> {
    let attempt = || async {
        let volume = volume.clone();
        match spawn_blocking(move || open(&volume, version, follows)).await {
            Ok(Err(StoreError::InUse(_))) => None,
            Ok(result) => Some(result),
            Err(_) => Some(Err(StoreError::Held)),
        }
    };
    match clock::wait_for(OPEN_LIMIT, Duration::from_millis(100), attempt).await {
        Some(result) => result,
        None => Err(StoreError::InUse(volume.directory().into())),
    }
}

impl Server {
    /// Starts a server; returns once it listens.
    pub async fn start(arguments: ServeArguments, version: Version) -> Result<Self, ServeError> {
        let keys = watch::Sender::new(Keyring::new(Credentials::read(&arguments.auth_directory)?));
        let features = match &arguments.features_file {
            Some(path) => Features::read(path)?,
            None => Features::default(),
        };
        let ordinal = ordinal(&arguments.host_name);
        let leader = match (&arguments.leader_url, ordinal) {
            (_, 0) => None,
            (Some(url), _) => Some(Leader::at(url, keys.subscribe())),
            (None, _) => return Err(ServeError::NoLeader(ordinal)),
        };
        let volume = Volume::at(&arguments.data);
        let (store, generation) = open_when_free(&volume, version, leader.is_some()).await?;
        let store = Arc::new(store);
        let hold = Duration::from_secs(arguments.hold_limit);
        let silence = Duration::from_secs(arguments.silence_limit);
        let app = Arc::new(App {
            version,
            limits: Limits { hold, lag: arguments.lag_limit, silence },
            gate: Gate::new(store.clone(), volume, generation, hold),
            store,
            keys,
            features: watch::Sender::new(features),
            metrics: Metrics::new(version),
            leader,
            progress: watch::Sender::new(None),
            stopping: watch::Sender::new(false),
        });
        let listen_error = |source| ServeError::Listen { address: arguments.listen, source };
        let listener = TcpListener::bind(arguments.listen).await.map_err(listen_error)?;
        let address = listener.local_addr().map_err(listen_error)?;
        let role = if app.leader.is_some() { "follows" } else { "writes" };
        log(
            Level::Info,
            format!("version {version}, {generation}, replica {ordinal} {role}, listening on {address}"),
        );
        let serving = serving(&app, listener);
        let shutdown = Duration::from_secs(arguments.shutdown_limit);
        let tasks = tasks(&app, arguments);
        Ok(Self { address, app, shutdown, serving, tasks })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until the HTTP server ends, which happens only after an error.
    pub async fn ended(&mut self) {
        self.serving.join_next().await;
    }

    /// Finishes requests in progress, refuses held writes, closes the store.
    pub async fn stop(mut self) {
        self.app.stopping.send_replace(true);
        self.app.gate.close();
        let finished = tokio::time::timeout(self.shutdown, self.serving.join_next()).await;
        if finished.is_err() {
            log(Level::Warning, "some requests took too long and were aborted");
        }
        self.serving.shutdown().await;
        self.tasks.shutdown().await;
        let store = self.app.store.clone();
        let _ = spawn_blocking(move || store.close()).await;
        log(Level::Info, "stopped");
    }
}

fn serving(app: &Arc<App>, listener: TcpListener) -> JoinSet<()> {
    let (router, app) = (http::router(app), app.clone());
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let stopped = async move { app.stopped().await };
        if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(stopped).await {
            log(Level::Error, format!("the server ended: {error}"));
        }
    });
    serving
}

fn tasks(app: &Arc<App>, arguments: ServeArguments) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let shared = app.clone();
    tasks.spawn(async move { shared.gate.watch().await });
    let shared = app.clone();
    tasks.spawn(async move {
        clock::repeat(REFRESH_EVERY, async || {
            refresh(&shared, &arguments.auth_directory, arguments.features_file.as_deref());
        })
        .await;
    });
    let shared = app.clone();
    tasks.spawn(async move {
        if let Some(leader) = &shared.leader {
            follow::follow(&shared, leader).await;
        }
    });
    tasks
}

/// Reads mounted files again. A file that cannot be read changes nothing.
fn refresh(app: &App, auth_directory: &Path, features_file: Option<&Path>) {
    match Credentials::read(auth_directory) {
        Ok(read) => {
            if app.keys.send_if_modified(|keys| keys.rotate(read)) {
                log(Level::Info, "the credentials have changed");
            }
        }
        Err(error) => log(Level::Warning, format!("the credentials are unchanged: {}", chain(&error))),
    }
    let Some(path) = features_file else { return };
    match Features::read(path) {
        Ok(read) => {
            let change = |features: &mut Features| {
                let changed = *features != read;
                *features = read;
                changed
            };
            if app.features.send_if_modified(change) {
                log(Level::Info, format!("the features have changed: {:?}", app.features.borrow().0));
            }
        }
        Err(error) => log(Level::Warning, format!("the features are unchanged: {}", chain(&error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ordinal_is_the_number_at_the_end_of_the_name() {
        for (name, number) in [("", 0), ("app", 0), ("app-0", 0), ("my-app-12", 12), ("app-3.app.default", 3)]
        {
            assert_eq!(ordinal(name), number, "{name}");
        }
    }
}
