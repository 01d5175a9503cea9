//! A server from its start to its end: opens the store, starts the tasks, answers until it is told to stop, finishes
//! what is under way and closes the store. Called by `main` and by tests.

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

/// How long a server waits for the one before it to let go of the data.
const HANDOVER: Duration = Duration::from_secs(30);
/// How often mounted files are read again.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// No credentials.
    #[error(transparent)]
    Auth(#[from] AuthError),
    /// No features.
    #[error(transparent)]
    Features(#[from] FeaturesError),
    /// No data.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No writer to follow.
    #[error("replica {0} follows, and needs --leader-url to know whom")]
    NoLeader(u32),
    /// No address.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
}

/// A server at work.
pub struct Server {
    address: SocketAddr,
    app: Arc<App>,
    shutdown: Duration,
    serving: JoinSet<()>,
    tasks: JoinSet<()>,
}

/// The number that a replica's name ends in; 0 when it ends in none.
fn ordinal(host_name: &str) -> u32 {
    let name = host_name.split('.').next().unwrap_or_default();
    name.rsplit_once('-').and_then(|(_, number)| number.parse().ok()).unwrap_or(0)
}

/// Opens the data. A follower whose data belong to another version begins anew: it has nothing that the writer lacks.
fn open(volume: &Volume, version: Version, follows: bool) -> Result<(Store, Generation), StoreError> {
    match store::open_current(volume, version) {
        Err(StoreError::OtherSchema { found, .. }) if follows => {
            log(
                Level::Info,
                format!("the data of this follower have schema {found}: it copies the writer's anew"),
            );
            let next = Generation(volume.current()?.map_or(1, |current| current.0 + 1));
            store::begin_generation(volume, next, version.schema())?;
            volume.sweep(&[next])?;
            store::open_current(volume, version)
        }
        other => other,
    }
}

async fn open_with_patience(
    volume: &Volume,
    version: Version,
    follows: bool,
) -> Result<(Store, Generation), StoreError> {
    let look = || async {
        let volume = volume.clone();
        match spawn_blocking(move || open(&volume, version, follows)).await {
            Ok(Err(StoreError::InUse(_))) => None,
            Ok(result) => Some(result),
            Err(_) => Some(Err(StoreError::Held)),
        }
    };
    match clock::wait_for(HANDOVER, Duration::from_millis(100), look).await {
        Some(result) => result,
        None => Err(StoreError::InUse(volume.directory().into())),
    }
}

impl Server {
    /// Starts; returns once requests are answered.
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
        let (store, generation) = open_with_patience(&volume, version, leader.is_some()).await?;
        let store = Arc::new(store);
        let patience = Duration::from_secs(arguments.hold_limit);
        let silence = Duration::from_secs(arguments.silence_limit);
        let app = Arc::new(App {
            version,
            limits: Limits { patience, lag: arguments.lag_limit, silence },
            gate: Gate::new(store.clone(), volume, generation, patience),
            store,
            keys,
            features: watch::Sender::new(features),
            metrics: Metrics::new(version),
            leader,
            progress: watch::Sender::new(None),
            stopping: watch::Sender::new(false),
        });
        let refused = |source| ServeError::Listen { address: arguments.listen, source };
        let listener = TcpListener::bind(arguments.listen).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
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

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends as soon as nothing is answered any more, which should not happen by itself.
    pub async fn ended(&mut self) {
        self.serving.join_next().await;
    }

    /// Finishes what is under way, refuses what waits, closes the store.
    pub async fn stop(mut self) {
        self.app.stopping.send_replace(true);
        self.app.gate.close();
        let finished = tokio::time::timeout(self.shutdown, self.serving.join_next()).await;
        if finished.is_err() {
            log(Level::Warning, "some requests took too long and were cut off");
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
        clock::repeat(LOOK_EVERY, async || {
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

/// Reads mounted files again. What cannot be read changes nothing.
fn refresh(app: &App, auth_directory: &Path, features_file: Option<&Path>) {
    match Credentials::read(auth_directory) {
        Ok(read) => {
            if app.keys.send_if_modified(|keys| keys.rotate(read)) {
                log(Level::Info, "the credentials have changed");
            }
        }
        Err(error) => log(Level::Warning, format!("the credentials stay as they are: {}", chain(&error))),
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
        Err(error) => log(Level::Warning, format!("the features stay as they are: {}", chain(&error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_at_the_end_of_the_name_decides() {
        for (name, number) in [("", 0), ("app", 0), ("app-0", 0), ("my-app-12", 12), ("app-3.app.default", 3)]
        {
            assert_eq!(ordinal(name), number, "{name}");
        }
    }
}
