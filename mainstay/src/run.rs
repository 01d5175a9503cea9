//! The process itself: log, metrics, health, election, work; and their end in the right order.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::Router;
use kernel::admin::{Admin, Liveness, Readiness};
use kernel::declare::Declaration;
use kernel::driver::Ending;
use kernel::hub::{self, Progress, Standing};
use kernel::lease::{self, Election, LeaseObject, Permit};
use kernel::metrics::{Catalogue, Metrics, Witness};
use kernel::queue;
use kernel::rehearsal::Rehearsal;
use kernel::telemetry::{self, Telemetry};
use kernel::web::Server;
use kube::client::ClientBuilder;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use mainstay::args::{OperatorName, Rollout, RunArguments};
use mainstay::dry_run::{self, Told};
use mainstay::process::{self, Process};
use mainstay::served::Served;
use mainstay::webhook_service::WebhookService;
use mainstay::{monitoring, web};
use monitoring_flags::Flags;
use monitoring_flags::cluster::Cluster;
use monitoring_webhook::RuleSettings;
use operator_example::ExampleOperator;
use operator_monitoring::{Monitored, Pace};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A server that says nothing for so long on a connection is not there.
const SILENCE: Duration = Duration::from_secs(295);

/// Our candidacy; none if nobody is asked who leads.
type Candidacy = Option<Election<LeaseObject>>;

/// Runs until a signal comes or the lease is lost.
pub(crate) async fn run(arguments: RunArguments, flags: Flags) -> Result<()> {
    let settings = telemetry::Settings {
        format: arguments.log_format,
        level: arguments.log_level.clone(),
        otlp_endpoint: arguments.otlp_endpoint.clone(),
    };
    let telemetry = Telemetry::start(&settings).context("cannot start telling")?;
    let config = config(&arguments, &flags.cluster).await?;
    if arguments.dry_run {
        let told = Box::pin(dry_run(arguments, flags, config)).await;
        telemetry.stop();
        return told;
    }
    let own_namespace = config.default_namespace.clone();
    let operators = arguments.operators();
    let Counting { catalogue, metrics, monitored, kubelets: counted, hooks } =
        Counting::of(&operators, &flags);
    let declarations: Vec<&'static Declaration> =
        operators.iter().flat_map(|name| process::declarations(*name)).collect();
    let kinds = declarations.iter().flat_map(|declaration| declaration.kinds());
    let client = ClientBuilder::try_from(config).context("cannot make a client")?;
    let kinds = kinds.chain(operator_kubelet::KINDS);
    let client = client.with_layer(&metrics.requests(kinds)).build();
    let (permit, election) = candidacy(&arguments, &client, &own_namespace).await?;
    let served = served(&arguments, &flags, &client).await;
    let process = Process {
        monitored,
        permit: permit.clone(),
        ..process(&arguments, &flags, &served, (client.clone(), metrics.clone())).await
    };
    let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
    let readiness = readiness(process.standings.subscribe(), declarations, &mut tasks);
    let (liveness, level) = (Liveness::default(), telemetry.level.clone());
    let admin = Admin { catalogue: Arc::new(catalogue), liveness, readiness, level };
    let routes = monitoring_webhook::routes(RuleSettings::default(), &hooks);
    if let Some(service) = arguments.webhook_service {
        let webhooks = WebhookService::open(service, routes.clone()).await?;
        tasks.spawn(webhooks.serve(client.clone(), stop.clone()));
    }
    let router = admin.router().merge(routes.router(&kernel::webhook::Limits::default()));
    tell(web::open(&flags.web).await?, router, &stop, &mut tasks);
    if let Some(kubelets) = counted.and_then(|counted| monitoring::kubelets(&flags, client.clone(), counted))
    {
        let (permit, ended) = (permit.clone(), stop.clone());
        tasks.spawn(kubelets.run(move || permit.may_write(), ended));
    }
    tasks.spawn(count_leading(permit.clone(), metrics));
    let outgrown = async move { served.outgrown(&client).await };
    let (ended, why) = Box::pin(conduct(process, election, (permit, outgrown), stop)).await?;
    tracing::info!(?ended, "stopped");
    tasks.shutdown().await;
    telemetry.stop();
    match why {
        End::Asked => Ok(()),
        End::LeaseLost => {
            bail!("the lease was lost, and another process leads; this one ends so that it can begin anew")
        }
        End::Outgrown => {
            bail!(
                "rights have come to serve more kinds; this process ends so that it can begin anew with them"
            )
        }
    }
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
}

/// Which workloads of monitoring are served, if any are.
async fn served(arguments: &RunArguments, flags: &Flags, client: &Client) -> Served {
    if arguments.operators().contains(&OperatorName::Monitoring) {
        Served::find(client, &flags.scope).await
    } else {
        Served::all(&flags.scope)
    }
}

/// What the command line asks for, on its own and uncounted.
async fn process(
    arguments: &RunArguments,
    flags: &Flags,
    served: &Served,
    (client, metrics): (Client, Metrics),
) -> Process {
    let operators = arguments.operators();
    let mut settings = monitoring::settings(flags);
    if operators.contains(&OperatorName::Monitoring) {
        settings = monitoring::on_cluster(settings, &client).await;
    }
    Process {
        client,
        operators,
        example: ExampleOperator::default(),
        monitoring: operator_monitoring::Settings {
            reloader_at_once: arguments.reloader_rollout == Rollout::Now,
            pace: Pace { apart: Duration::from_secs(arguments.touch_interval), ..Pace::default() },
            ..settings
        },
        monitored: None,
        scopes: served.scopes.clone(),
        permit: Permit::always(),
        identity: arguments.identity.clone(),
        queue: queue::Settings { concurrency: arguments.concurrency.max(1), ..queue::Settings::default() },
        metrics,
        standings: watch::Sender::new(Vec::new()),
    }
}

/// Prints what would be written, and ends.
async fn dry_run(arguments: RunArguments, flags: Flags, config: Config) -> Result<()> {
    let client = Client::try_from(config).context("cannot make a client")?;
    let rehearsal = Rehearsal::default();
    let metrics = Metrics::register(&mut Catalogue::default(), env!("CARGO_PKG_VERSION"), "unknown");
    let served = served(&arguments, &flags, &client).await;
    let process = process(&arguments, &flags, &served, (rehearsal.around(client.clone()), metrics)).await;
    let once = process.once().await;
    let Told { text, failures } = dry_run::tell(&client, &once, rehearsal.take()).await?;
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")?;
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("\nmainstay: ")) }
}

/// Runs everything until a signal comes, the lease is lost or more must be looked at: first the work ends, then the
/// candidacy.
async fn conduct(
    process: Process,
    election: Candidacy,
    (permit, outgrown): (Permit, impl Future<Output = ()>),
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
            () = lost(&permit) => End::Asked,
            () = outgrown => End::Outgrown,
        };
        stop.cancel();
        why
    };
    let work = async {
        let ended = process.run(stop.clone()).await;
        resign.cancel();
        ended
    };
    let (ended, ending, why) = tokio::join!(work, candidate, end);
    let is_lost = matches!(ending, Some(lease::Ending::Lost(_)));
    Ok((ended, if is_lost { End::LeaseLost } else { why }))
}

/// Waits until a permit that was granted is gone.
async fn lost(permit: &Permit) {
    if permit.granted().await {
        permit.lost().await;
    } else {
        std::future::pending::<()>().await;
    }
}

/// Ready once every watch knows all that is there, and nobody lacks what he cannot do without.
fn readiness(
    mut standings: watch::Receiver<Vec<Standing>>,
    declarations: Vec<&'static Declaration>,
    tasks: &mut JoinSet<()>,
) -> Readiness {
    let readiness = Readiness::default();
    let synced = readiness.gate("watches", "the first lists");
    tasks.spawn(async move {
        while standings.changed().await.is_ok() {
            match waits_for(&standings.borrow_and_update(), &declarations) {
                None => synced.open(),
                Some(words) => synced.close(&words),
            }
        }
    });
    readiness
}

/// The first thing that readiness waits for.
fn waits_for(standings: &[Standing], declarations: &[&Declaration]) -> Option<String> {
    let is_listing = |standing: &&Standing| standing.progress == Progress::Listing;
    let is_off = || standings.first().filter(|_| standings.iter().all(|one| one.progress == Progress::Off));
    let is_lacking = || declarations.iter().find_map(|declaration| hub::lacks(declaration, standings));
    let listing = standings.iter().find(is_listing).or_else(is_off).or_else(is_lacking)?;
    let trouble = listing.trouble.as_deref().unwrap_or("the first list is not complete");
    Some(format!("{}: {trouble}", listing.kind.plural))
}

fn tell(server: Server, router: Router, stop: &CancellationToken, tasks: &mut JoinSet<()>) {
    let stop = stop.clone();
    tasks.spawn(async move {
        if let Err(error) = server.serve(router, stop).await {
            tracing::error!("metrics and health are told no more: {error}");
        }
    });
}

/// All that is counted.
struct Counting {
    catalogue: Catalogue,
    metrics: Metrics,
    monitored: Option<Arc<Monitored>>,
    kubelets: Option<operator_kubelet::Metrics>,
    hooks: monitoring_webhook::metrics::Metrics,
}

impl Counting {
    fn of(operators: &[OperatorName], flags: &Flags) -> Self {
        let mut catalogue = Catalogue::default();
        let mut metrics = Metrics::register(&mut catalogue, env!("CARGO_PKG_VERSION"), "unknown");
        kernel::metrics::process::register(&mut catalogue);
        let hooks = monitoring_webhook::metrics::Metrics::register(&mut catalogue);
        if !operators.contains(&OperatorName::Monitoring) {
            return Self { catalogue, metrics, monitored: None, kubelets: None, hooks };
        }
        let monitored = Arc::new(monitoring::metrics(&mut catalogue, flags));
        metrics = metrics.witnessed_by(Arc::clone(&monitored) as Arc<dyn Witness>);
        let kubelet = &flags.kubelet;
        let kubelets = operator_kubelet::Metrics::register(
            &mut catalogue,
            &metrics,
            kubelet.endpoints,
            kubelet.endpoint_slices,
        );
        Self { catalogue, metrics, monitored: Some(monitored), kubelets: Some(kubelets), hooks }
    }
}

async fn count_leading(permit: Permit, metrics: Metrics) {
    if permit.granted().await {
        tracing::info!("this process leads");
        metrics.leads(true);
        permit.lost().await;
        metrics.leads(false);
    }
}

async fn candidacy(arguments: &RunArguments, client: &Client, own: &str) -> Result<(Permit, Candidacy)> {
    if arguments.no_leader_election {
        return Ok((Permit::always(), None));
    }
    let namespace = arguments.lease_namespace.as_deref().unwrap_or(own);
    let server = LeaseObject::new(client.clone(), namespace, &arguments.lease_name);
    if !server.is_allowed().await {
        tracing::warn!(
            "leases in {namespace} may not be read: this process writes without asking whether another one leads; \
             grant get, create and update of leases, or run one process only"
        );
        return Ok((Permit::always(), None));
    }
    let duration = Duration::from_secs(arguments.lease_duration);
    let settings =
        lease::Settings { duration, renew_deadline: duration * 2 / 3, ..lease::Settings::default() };
    let (election, permit) =
        Election::new(server, &arguments.identity, settings).context("--lease-duration")?;
    Ok((permit, Some(election)))
}

async fn config(arguments: &RunArguments, cluster: &Cluster) -> Result<Config> {
    let mut config = match (&cluster.server, &arguments.kubeconfig) {
        (Some(server), _) => Config::new(server.parse().with_context(|| format!("--apiserver {server}"))?),
        (None, Some(path)) => {
            let file =
                Kubeconfig::read_from(path).with_context(|| format!("cannot read {}", path.display()))?;
            Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
                .await
                .context("--kubeconfig")?
        }
        (None, None) => Config::infer().await.context("found no cluster: give --kubeconfig")?,
    };
    if let Some(path) = &cluster.authority {
        let read = || -> Result<Vec<Vec<u8>>> {
            let certificates = CertificateDer::pem_file_iter(path)?.collect::<Result<Vec<_>, _>>()?;
            Ok(certificates.iter().map(|certificate| certificate.to_vec()).collect())
        };
        config.root_cert = Some(read().with_context(|| format!("--ca-file {}", path.display()))?);
    }
    let text = |path: &Path| path.display().to_string();
    if let Some(path) = &cluster.certificate {
        config.auth_info.client_certificate = Some(text(path));
    }
    if let Some(path) = &cluster.key {
        config.auth_info.client_key = Some(text(path));
    }
    config.accept_invalid_certs |= cluster.insecure;
    if let Some(user) = &cluster.user {
        config.auth_info.impersonate = Some(user.clone());
    }
    // The queue decides when something is tried again, and says so.
    config.default_retry = false;
    // A connection that died without a word must not keep a pass for ever. Watches say something more often than this.
    config.read_timeout = Some(SILENCE);
    config.reset_reader_on_write = true;
    Ok(config)
}
