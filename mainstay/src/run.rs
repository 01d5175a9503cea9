//! The process: log, metrics, health, leader election and reconciliation, and the order in which they stop.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures::future::OptionFuture;
use kernel::admin::{Admin, LogLevelServer, Readiness};
use kernel::declare::Declaration;
use kernel::driver::Ending;
use kernel::dry_run::DryRun;
use kernel::hub::{self, Progress, WatchState};
use kernel::lease::{Election, ElectionEnding, Leadership, LeaseObject};
use kernel::metrics::{self, Catalogue, Metrics};
use kernel::queue::QueueSettings;
use kernel::telemetry::{LogLevel, Telemetry, TelemetrySettings};
use kube::client::ClientBuilder;
use kube::{Client, Config};
use mainstay::args::{ReloaderRollout, RunArguments};
use mainstay::connection::{self, ResponseTimeout};
use mainstay::dry_run;
use mainstay::leader_election::{LeaderElection, permitted};
use mainstay::process::{Process, termination};
use mainstay::products::{self, RunningProducts};
use mainstay::web;
use mainstay::webhook_service::WebhookService;
use operator_monitoring::flags::OperatorFlags;
use operator_monitoring::product::OwnFlags;
use product::ProductSettings;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::print_with_failures;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs until the process receives a signal to stop, loses the lease or has to restart.
pub(crate) async fn run(arguments: RunArguments, flags: OperatorFlags) -> Result<()> {
    let settings = TelemetrySettings {
        format: arguments.log_format,
        level: arguments.log_level.clone(),
        otlp_endpoint: arguments.otlp_endpoint.clone(),
    };
    let telemetry = Telemetry::start(&settings).context("cannot set up the log")?;
    let config = connection::config(&arguments, &flags.cluster).await?;
    let products = RunningProducts::start(&arguments.operators(), &product_settings(&arguments, &flags));
    let ended = if arguments.dry_run {
        Box::pin(dry_run(&arguments, &flags, config, products)).await
    } else {
        Box::pin(work(arguments, flags, config, products, telemetry.level.clone())).await
    };
    telemetry.stop();
    ended
}

/// Runs the operators and all servers.
async fn work(
    arguments: RunArguments,
    flags: OperatorFlags,
    config: Config,
    mut products: RunningProducts,
    log_level: LogLevel,
) -> Result<()> {
    let own_namespace = config.default_namespace.clone();
    let mut catalogue = Catalogue::default();
    let mut metrics = Metrics::register(&mut catalogue, VERSION, "unknown");
    metrics::process::register(&mut catalogue);
    let routes = products::routes(&mut catalogue);
    for observer in products.register(&mut catalogue, &metrics.clone()) {
        metrics = metrics.observed_by(observer);
    }
    let client = ClientBuilder::try_from(config).context("cannot create a client")?;
    let client =
        client.with_layer(&metrics.requests(products.resources())).with_layer(&ResponseTimeout).build();
    let LeaderElection { leadership, election, forbidden } =
        LeaderElection::of(&arguments, &client, &own_namespace).await?;
    products.prepare(&client).await;
    let (stop, mut tasks, mut servers) = (CancellationToken::new(), JoinSet::new(), JoinSet::new());
    for task in products.tasks(&client, &leadership, &stop) {
        tasks.spawn(task);
    }
    tasks.spawn(count_leading(leadership.clone(), metrics.clone()));
    let products = Arc::new(products);
    let process = process(&arguments, &flags, &products, client.clone(), metrics);
    let process = Process { leadership, ..process };
    let readiness = readiness(process.watch_states.subscribe(), products.declarations(), &mut tasks);
    tasks.spawn(web::mark_unready(readiness.clone(), stop.clone()));
    if let Some(address) = arguments.log_level_address {
        let server = LogLevelServer::open(address, log_level).await.context("--log-level-address")?;
        serve("the log level is", server.serve(stop.clone()), &mut servers);
    }
    if let Some(service) = arguments.webhook_service {
        let webhooks = WebhookService::open(service, routes.clone()).await?;
        servers.spawn(webhooks.serve(client.clone(), stop.clone()));
    }
    let admin = Admin { catalogue: Arc::new(catalogue), readiness };
    let router = admin.router().merge(routes.router(&kernel::webhook::WebhookLimits::default()));
    let server = web::open(&flags.web).await?;
    serve("metrics and health are", server.serve(router, stop.clone()), &mut servers);
    let restart = async move {
        tokio::select! {
            () = products.needs_restart(&client) => End::KindsPermitted,
            () = permitted(forbidden) => End::ElectionPermitted,
        }
    };
    let (controllers, end) = Box::pin(run_until_end(process, election, restart, servers, stop)).await?;
    tracing::info!(?controllers, "stopped");
    tasks.shutdown().await;
    end.into_result()
}

/// Why a process stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It received a signal.
    Signal,
    /// Another process is the leader.
    LeaseLost,
    /// It was granted permissions to watch more than at its start.
    KindsPermitted,
    /// It wrote without leader election, and can take part in one now.
    ElectionPermitted,
}

impl End {
    /// Everything except a signal is an error, so that the process is restarted and the reason is logged.
    fn into_result(self) -> Result<()> {
        match self {
            Self::Signal => Ok(()),
            Self::LeaseLost => {
                bail!("restarting, because the lease was lost and another process is the leader")
            }
            Self::KindsPermitted => {
                bail!("restarting, because permissions to serve more kinds were granted")
            }
            Self::ElectionPermitted => {
                bail!("restarting with leader election, because the lease can be read now")
            }
        }
    }
}

/// The settings of the operators.
fn product_settings(arguments: &RunArguments, flags: &OperatorFlags) -> ProductSettings {
    let mut settings = ProductSettings::new();
    settings.insert(flags.clone());
    settings.insert(OwnFlags {
        reloader_at_once: arguments.reloader_rollout == ReloaderRollout::Now,
        touch_interval: Some(Duration::from_secs(arguments.touch_interval)),
    });
    settings
}

/// A process without leader election.
fn process(
    arguments: &RunArguments,
    flags: &OperatorFlags,
    products: &Arc<RunningProducts>,
    client: Client,
    metrics: Metrics,
) -> Process {
    let concurrency = arguments.concurrency.max(1);
    Process {
        client,
        scopes: products.scopes(&flags.scope.shared()),
        products: Arc::clone(products),
        leadership: Leadership::always(),
        identity: arguments.identity.clone(),
        queue: QueueSettings { concurrency, ..QueueSettings::default() },
        metrics,
        watch_states: watch::Sender::new(Vec::new()),
    }
}

/// Prints what the operators would write.
async fn dry_run(
    arguments: &RunArguments,
    flags: &OperatorFlags,
    config: Config,
    mut products: RunningProducts,
) -> Result<()> {
    let client = ClientBuilder::try_from(config).context("cannot create a client")?;
    let client = client.with_layer(&ResponseTimeout).build();
    products.prepare(&client).await;
    let metrics = Metrics::register(&mut Catalogue::default(), VERSION, "unknown");
    let (writes, products) = (DryRun::default(), Arc::new(products));
    let process = process(arguments, flags, &products, writes.around(client.clone()), metrics);
    let once = process.once().await;
    let report = dry_run::report(&client, &once, writes.take()).await?;
    print_with_failures(&report.text, &report.failures)
}

/// Runs until the process receives a signal, loses the lease or has to restart. Reconciliation stops first, and only then
/// the lease is released. Servers stop last.
async fn run_until_end(
    process: Process,
    election: Option<Election<LeaseObject>>,
    restart: impl Future<Output = End>,
    servers: JoinSet<()>,
    stop: CancellationToken,
) -> Result<(Vec<Ending>, End)> {
    let (termination, leadership) = (termination()?, process.leadership.clone());
    let release = CancellationToken::new();
    let elect = OptionFuture::from(election.map(|election| election.run(release.clone())));
    let end = async {
        let end = tokio::select! {
            () = termination => End::Signal,
            () = lost(&leadership) => End::LeaseLost,
            end = restart => end,
        };
        stop.cancel();
        end
    };
    let work = async {
        let controllers = process.run(stop.clone()).await;
        release.cancel();
        controllers
    };
    let (controllers, election, end, ()) = tokio::join!(work, elect, end, web::finish(servers, stop.clone()));
    let is_lost = matches!(election, Some(ElectionEnding::Lost(_)));
    Ok((controllers, if is_lost { End::LeaseLost } else { end }))
}

/// Waits until leadership that was granted is lost.
async fn lost(leadership: &Leadership) {
    if leadership.granted().await {
        leadership.lost().await;
    } else {
        std::future::pending::<()>().await;
    }
}

/// Ready once all first lists are complete and no controller lacks a kind that it requires.
fn readiness(
    mut watch_states: watch::Receiver<Vec<WatchState>>,
    declarations: Vec<&'static Declaration>,
    tasks: &mut JoinSet<()>,
) -> Readiness {
    let readiness = Readiness::default();
    let synced = readiness.gate("watches", "the first lists");
    tasks.spawn(async move {
        while watch_states.changed().await.is_ok() {
            match waits_for(&watch_states.borrow_and_update(), &declarations) {
                None => synced.open(),
                Some(reason) => synced.close(&reason),
            }
        }
    });
    readiness
}

/// The first thing that readiness waits for.
fn waits_for(watch_states: &[WatchState], declarations: &[&Declaration]) -> Option<String> {
    let is_listing = |state: &&WatchState| state.progress == Progress::Listing;
    let is_off =
        || watch_states.first().filter(|_| watch_states.iter().all(|one| one.progress == Progress::Off));
    let is_lacking = || declarations.iter().find_map(|declaration| hub::lacks(declaration, watch_states));
    let missing = watch_states.iter().find(is_listing).or_else(is_off).or_else(is_lacking)?;
    let reason = missing.trouble.as_deref().unwrap_or("the first list is not complete");
    Some(format!("{}: {reason}", missing.kind.plural))
}

/// Serves until the server stops, and logs why if that is an error.
fn serve<E: Display + Send>(
    what: &'static str,
    serving: impl Future<Output = Result<(), E>> + Send + 'static,
    servers: &mut JoinSet<()>,
) {
    servers.spawn(async move {
        if let Err(error) = serving.await {
            tracing::error!("{what} no longer served: {error}");
        }
    });
}

async fn count_leading(leadership: Leadership, metrics: Metrics) {
    if leadership.granted().await {
        tracing::info!("this process is the leader");
        metrics.leads(true);
        leadership.lost().await;
        metrics.leads(false);
    }
}
