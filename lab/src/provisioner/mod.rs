//! The storage provisioner: a controller that creates, expands and removes the volumes of claims. `up` starts it as a
//! process on the host, not as a pod. Decisions are pure (`decide`), effects are in `perform`, and it can be
//! interrupted at any point.

mod attempts;
mod class;
mod decide;
#[cfg(test)]
mod decide_tests;
mod object;
mod perform;

use std::fmt::{Debug, Display};
use std::future::{Ready, ready};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::{FutureExt, Stream, StreamExt, future, stream};
use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use kube::runtime::controller::{self, Controller};
use kube::runtime::reflector::{self, Store};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;

pub use self::class::storage_classes;
use self::perform::{Context, reconcile_claim, reconcile_volume, try_again};
use crate::console;
use crate::process::stop_signal;
use crate::volume::Volumes;

/// How many file systems are created at the same time.
const CONCURRENCY: u16 = 4;
/// How long running work may take after a stop signal.
const FINISH_LIMIT: Duration = Duration::from_secs(5);

/// Serves the claims of the lab's storage classes until SIGTERM or SIGINT. Running work is finished first, within a
/// limit. Dropping the future stops it too.
pub async fn run(client: Client, volumes: Volumes) -> Result<()> {
    let stop = stop_signal()?.boxed().shared();
    let mounting = volumes.clone();
    let mounted =
        tokio::task::spawn_blocking(move || mounting.mount_all()).await.context("mounting was cancelled")?;
    if let Err(error) = mounted {
        // The other volumes can still be served.
        console::note(format!("{error:#}"));
    }

    let config = controller::Config::default().concurrency(CONCURRENCY);
    let (classes, class_changes) = follow(Api::all(client.clone()));
    let (persistent_volumes, volume_changes) = follow(Api::all(client.clone()));
    let claim_controller =
        Controller::new(Api::<PersistentVolumeClaim>::all(client.clone()), watcher::Config::default())
            .with_config(config.clone())
            .reconcile_all_on(stream::select(class_changes, volume_changes))
            .graceful_shutdown_on(stop.clone());
    let volume_controller =
        Controller::new(Api::<PersistentVolume>::all(client.clone()), watcher::Config::default())
            .with_config(config)
            .graceful_shutdown_on(stop.clone());
    let context = Arc::new(Context {
        client,
        volumes,
        classes,
        persistent_volumes,
        attempts: attempts::Attempts::default(),
    });

    let claims = claim_controller
        .run(reconcile_claim, try_again, Arc::clone(&context))
        .for_each(|pass| report(&pass))
        .boxed();
    let volumes =
        volume_controller.run(reconcile_volume, try_again, context).for_each(|pass| report(&pass)).boxed();
    let mut served = future::join(claims, volumes);
    tokio::select! {
        _ = &mut served => {}
        // A controller that never reached the API server does not stop by itself.
        () = stop => drop(tokio::time::timeout(FINISH_LIMIT, served).await),
    }
    Ok(())
}

/// A store of all objects of a kind, and a stream with an item for each change and one for the complete first list,
/// each after it is visible in the store. So no pass has to wait for the store: `Store::wait_until_ready` wakes up only
/// its last caller, and other passes would wait forever.
fn follow<K>(api: Api<K>) -> (Store<K>, impl Stream<Item = ()> + Send + 'static)
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + Sync + 'static,
{
    let (store, writer) = reflector::store();
    let changes =
        watcher(api, watcher::Config::default()).default_backoff().reflect(writer).filter_map(|event| {
            ready(match event {
                Ok(watcher::Event::Init | watcher::Event::InitApply(_)) => None,
                Ok(watcher::Event::InitDone | watcher::Event::Apply(_) | watcher::Event::Delete(_)) => {
                    Some(())
                }
                Err(error) => {
                    console::note(format!("watching {}: {error}", K::kind(&())));
                    None
                }
            })
        });
    (store, changes)
}

/// Logs failed passes. It is not a failure if an object was deleted between its event and its pass.
fn report<T, Q>(pass: &Result<T, controller::Error<perform::Failure, Q>>) -> Ready<()>
where
    Q: Display + std::error::Error + 'static,
{
    if let Err(error) = pass
        && !matches!(error, controller::Error::ObjectNotFound(_))
    {
        console::note(error.to_string());
    }
    ready(())
}
