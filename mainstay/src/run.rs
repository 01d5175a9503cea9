//! The process itself: log, metrics, health, election, work; and their end in the right order.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::Router;
use kernel::admin::{Admin, LogLevelServer, Readiness};
use kernel::declare::Declaration;
use kernel::driver::Ending;
use kernel::dry_run::DryRun;
use kernel::hub::{self, Progress, WatchState};
use kernel::lease::{self, Election, Leadership, LeaseObject};
use kernel::metrics::{Catalogue, Metrics};
use kernel::queue;
use kernel::telemetry::{self, Telemetry};
use kernel::web::Server;
use kernel::webhook::Routes;
use kube::client::ClientBuilder;
use kube::{Client, Config};
use mainstay::args::{Rollout, RunArguments};
use mainstay::candidacy::{self, Candidacy};
use mainstay::connection::{self, Patience};
use mainstay::dry_run::{self, Told};
use mainstay::process::Process;
use mainstay::products::{self, Running};
use mainstay::web;
use mainstay::webhook_service::WebhookService;
use operator_monitoring::flags::Flags;
use operator_monitoring::product::OwnFlags;
use product::Settings;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Runs until a signal comes or the lease is lost.
pub(crate) async fn run(arguments: RunArguments, flags: Flags) -> Result<()> {
    let settings = telemetry::Settings {
        format: arguments.log_format,
        level: arguments.log_level.clone(),
        otlp_endpoint: arguments.otlp_endpoint.clone(),
    };
    let telemetry = Telemetry::start(&settings).context("cannot start telling")?;
    let config = connection::config(&arguments, &flags.cluster).await?;
    if arguments.dry_run {
        let told = Box::pin(dry_run(arguments, flags, config)).await;
        telemetry.stop();
        return told;
    }
    let own_namespace = config.default_namespace.clone();
    let mut products = Running::start(&arguments.operators(), &settings_of(&arguments, &flags));
    let Counting { catalogue, metrics, routes } = Counting::of(&mut products);
    let declarations = products.declarations();
    let client = ClientBuilder::try_from(config).context("cannot make a client")?;
    let client = client.with_layer(&metrics.requests(products.resources())).with_layer(&Patience).build();
    let Candidacy { leadership, election, denied } =
        Candidacy::of(&arguments, &client, &own_namespace).await?;
    products.prepare(&client).await;
    let (stop, mut tasks, mut servers) = (CancellationToken::new(), JoinSet::new(), JoinSet::new());
    for task in products.tasks(&client, &leadership, &stop) {
        tasks.spawn(task);
    }
    let products = Arc::new(products);
    let process = Process {
        leadership: leadership.clone(),
        ..process(&arguments, &flags, &products, (client.clone(), metrics.clone()))
    };
    let readiness = readiness(process.watch_states.subscribe(), declarations, &mut tasks);
    tasks.spawn(web::withdraw(readiness.clone(), stop.clone()));
    let admin = Admin { catalogue: Arc::new(catalogue), readiness };
    if let Some(address) = arguments.log_level_address {
        let server = LogLevelServer::open(address, telemetry.level.clone()).await;
        let server = server.context("--log-level-address")?;
        let ended = stop.clone();
        servers.spawn(async move {
            if let Err(error) = server.serve(ended).await {
                tracing::error!("the log level is no longer served: {error}");
            }
        });
    }
    if let Some(service) = arguments.webhook_service {
        let webhooks = WebhookService::open(service, routes.clone()).await?;
        servers.spawn(webhooks.serve(client.clone(), stop.clone()));
    }
    let router = admin.router().merge(routes.router(&kernel::webhook::Limits::default()));
    tell(web::open(&flags.web).await?, router, &stop, &mut servers);
    tasks.spawn(count_leading(leadership.clone(), metrics));
    let outgrown = async move {
        tokio::select! {
            () = products.outgrown(&client) => End::Outgrown,
            () = candidacy::electable(denied) => End::Electable,
        }
    };
    let (ended, why) = Box::pin(conduct(process, election, (leadership, outgrown), servers, stop)).await?;
    tracing::info!(?ended, "stopped");
    tasks.shutdown().await;
    telemetry.stop();
    why.told()
}

/// Why a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// A signal came.
    Asked,
    /// Another process leads.
    LeaseLost,
    /// More must be looked at than could be when it began.
    Outgrown,
    /// It led without an election, and could stand in one.
    Electable,
}

impl End {
    /// What is told of it. Whoever asked for it need not be told.
    fn told(self) -> Result<()> {
        let words = match self {
            Self::Asked => return Ok(()),
            Self::LeaseLost => {
                "the lease was lost, and another process leads; this one ends so that it can begin anew"
            }
            Self::Outgrown => {
                "rights have come to serve more kinds; this process ends so that it can begin anew with them"
            }
            Self::Electable => {
                "the lease can be read now; this process ends so that it can begin anew and ask who leads"
            }
        };
        bail!(words)
    }
}

/// What the command line says, for the products.
fn settings_of(arguments: &RunArguments, flags: &Flags) -> Settings {
    let mut settings = Settings::new();
    settings.insert(flags.clone());
    settings.insert(OwnFlags {
        reloader_at_once: arguments.reloader_rollout == Rollout::Now,
        touch_interval: Some(Duration::from_secs(arguments.touch_interval)),
    });
    settings
}

/// What the command line asks for, on its own and uncounted.
fn process(
    arguments: &RunArguments,
    flags: &Flags,
    products: &Arc<Running>,
    (client, metrics): (Client, Metrics),
) -> Process {
    Process {
        client,
        scopes: products.scopes(&(&flags.scope.shared()).into()),
        products: Arc::clone(products),
        leadership: Leadership::always(),
        identity: arguments.identity.clone(),
        queue: queue::Settings { concurrency: arguments.concurrency.max(1), ..queue::Settings::default() },
        metrics,
        watch_states: watch::Sender::new(Vec::new()),
    }
}

/// Prints what would be written, and ends.
async fn dry_run(arguments: RunArguments, flags: Flags, config: Config) -> Result<()> {
    let client =
        ClientBuilder::try_from(config).context("cannot make a client")?.with_layer(&Patience).build();
    let writes = DryRun::default();
    let metrics = Metrics::register(&mut Catalogue::default(), env!("CARGO_PKG_VERSION"), "unknown");
    let mut products = Running::start(&arguments.operators(), &settings_of(&arguments, &flags));
    products.prepare(&client).await;
    let around = (writes.around(client.clone()), metrics);
    let process = process(&arguments, &flags, &Arc::new(products), around);
    let once = process.once().await;
    let Told { text, failures } = dry_run::tell(&client, &once, writes.take()).await?;
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")?;
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("\nmainstay: ")) }
}

/// Runs everything until a signal comes, the lease is lost or the process must begin anew: first the work ends, then the
/// candidacy. Whoever asks is answered until the servers end.
async fn conduct(
    process: Process,
    election: Option<Election<LeaseObject>>,
    (leadership, outgrown): (Leadership, impl Future<Output = End>),
    servers: JoinSet<()>,
    stop: CancellationToken,
) -> Result<(Vec<Ending>, End)> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot wait for signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot wait for signals")?;
    let resign = CancellationToken::new();
    let candidate = async {
        match election {
            Some(election) => Some(election.run(resign.clone()).await),
            None => None,
        }
    };
    let end = async {
        let why = tokio::select! {
            _ = terminate.recv() => End::Asked,
            _ = interrupt.recv() => End::Asked,
            () = lost(&leadership) => End::Asked,
            why = outgrown => why,
        };
        stop.cancel();
        why
    };
    let work = async {
        let ended = process.run(stop.clone()).await;
        resign.cancel();
        ended
    };
    let (ended, ending, why, ()) = tokio::join!(work, candidate, end, web::see_out(servers, stop.clone()));
    let is_lost = matches!(ending, Some(lease::Ending::Lost(_)));
    Ok((ended, if is_lost { End::LeaseLost } else { why }))
}

/// Waits until leadership that was granted is lost.
async fn lost(leadership: &Leadership) {
    if leadership.granted().await {
        leadership.lost().await;
    } else {
        std::future::pending::<()>().await;
    }
}

/// Ready once every watch knows all that is there, and nobody lacks what he cannot do without.
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
                Some(words) => synced.close(&words),
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
    let listing = watch_states.iter().find(is_listing).or_else(is_off).or_else(is_lacking)?;
    let trouble = listing.trouble.as_deref().unwrap_or("the first list is not complete");
    Some(format!("{}: {trouble}", listing.kind.plural))
}

fn tell(server: Server, router: Router, stop: &CancellationToken, servers: &mut JoinSet<()>) {
    let stop = stop.clone();
    servers.spawn(async move {
        if let Err(error) = server.serve(router, stop).await {
            tracing::error!("metrics and health are told no more: {error}");
        }
    });
}

/// All that is counted, and the webhooks, which count too.
struct Counting {
    catalogue: Catalogue,
    metrics: Metrics,
    routes: Routes,
}

impl Counting {
    fn of(products: &mut Running) -> Self {
        let mut catalogue = Catalogue::default();
        let mut metrics = Metrics::register(&mut catalogue, env!("CARGO_PKG_VERSION"), "unknown");
        kernel::metrics::process::register(&mut catalogue);
        let routes = products::routes(&mut catalogue);
        for observer in products.register(&mut catalogue, &metrics.clone()) {
            metrics = metrics.observed_by(observer);
        }
        Self { catalogue, metrics, routes }
    }
}

async fn count_leading(leadership: Leadership, metrics: Metrics) {
    if leadership.granted().await {
        tracing::info!("this process leads");
        metrics.leads(true);
        leadership.lost().await;
        metrics.leads(false);
    }
}
