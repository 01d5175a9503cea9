//! Takeover from the Prometheus Operator: its Deployment gets the image of Mainstay. No pod restarts, no pod template and
//! no configuration changes, and nothing is reloaded. Then the image is changed back, and the test repeats with another
//! strategy.

use anyhow::Result;
use e2e::audit::{self, Write};
use e2e::lab::Lab;
use e2e::namespace::{Namespace, Security};
use e2e::operator;
use e2e::wait::holds;
use kube::api::{Patch, PatchParams, PostParams};
use lab::clock::{Span, Stopwatch};
use serde_json::{Value, json};

use crate::objects::{api, resource};
use crate::peer::{self, ID, OURS, PEER, PeerDeployment};
use crate::state::State;

const MONITORS: usize = 50;
const RULES: usize = 20;
const CONFIGS: usize = 10;

async fn create(namespace: &Namespace, kind: &str, name: &str, spec: Value) -> Result<()> {
    let resource = resource(kind);
    let object = json!({
        "apiVersion": resource.api_version, "kind": kind,
        "metadata": {"name": name, "annotations": {"operator.prometheus.io/controller-id": ID}},
        "spec": spec,
    });
    api(namespace, kind).create(&PostParams::default(), &serde_json::from_value(object)?).await?;
    Ok(())
}

/// Creates all resources, and returns the names of their pods.
async fn fill(namespace: &Namespace) -> Result<Vec<String>> {
    for number in 0..MONITORS {
        let spec = json!({
            "selector": {"matchLabels": {"app": format!("app-{number}")}},
            "endpoints": [{"port": "web", "interval": "30s"}],
        });
        create(namespace, "ServiceMonitor", &format!("monitor-{number}"), spec).await?;
    }
    for number in 0..RULES {
        let rule = json!({"record": format!("recorded_{number}"), "expr": format!("vector({number})")});
        let spec = json!({"groups": [{"name": format!("group-{number}"), "rules": [rule]}]});
        create(namespace, "PrometheusRule", &format!("rule-{number}"), spec).await?;
    }
    for number in 0..CONFIGS {
        let hook = json!({"url": format!("http://hook-{number}.invalid/")});
        let spec = json!({
            "route": {"receiver": "hook"},
            "receivers": [{"name": "hook", "webhookConfigs": [hook]}],
        });
        create(namespace, "AlertmanagerConfig", &format!("config-{number}"), spec).await?;
    }
    let small = json!({"requests": {"cpu": "1m", "memory": "16Mi"}});
    let server = json!({"serviceMonitorSelector": {}, "ruleSelector": {}, "shards": 3, "resources": small});
    for name in ["one", "two"] {
        create(namespace, "Prometheus", name, server.clone()).await?;
    }
    let agent = json!({"serviceMonitorSelector": {}, "resources": small, "remoteWrite": []});
    create(namespace, "PrometheusAgent", "agent", agent).await?;
    let alertmanager = json!({"replicas": 3, "alertmanagerConfigSelector": {}, "resources": small});
    create(namespace, "Alertmanager", "am", alertmanager).await?;
    let ruler =
        json!({"ruleSelector": {}, "queryEndpoints": ["dnssrv+_http._tcp.none.invalid"], "resources": small});
    create(namespace, "ThanosRuler", "ruler", ruler).await?;
    let mut pods: Vec<String> = ["one", "two"]
        .iter()
        .flat_map(|name| {
            let shard = move |number| format!("prometheus-{name}-shard-{number}-0");
            [format!("prometheus-{name}-0"), shard(1), shard(2)]
        })
        .collect();
    pods.extend(["prom-agent-agent-0", "thanos-ruler-ruler-0"].map(str::to_owned));
    pods.extend((0..3).map(|number| format!("alertmanager-am-{number}")));
    Ok(pods)
}

/// The writes of the operator since a position in the audit log, as sorted text.
fn writes_since(lab: &Lab, mark: audit::Mark, user: &str) -> Result<Vec<String>> {
    let line = |write: &Write| format!("{} {} {}", write.verb, write.resource, write.name);
    let mut all: Vec<String> = audit::writes_of(lab, mark, user)?.iter().map(line).collect();
    all.sort();
    Ok(all)
}

#[tokio::test]
async fn a_swap_of_the_image_restarts_nothing() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::with(&lab, "takeover", Security::Open).await?;
    let operator = PeerDeployment::install(&lab, &namespace).await?;
    let pods = fill(&namespace).await?;
    let watch = Stopwatch::start();
    for pod in &pods {
        peer::ready(&namespace, pod).await?;
    }
    operator.reconciled(PEER).await?;
    println!("{} pods were ready after {}", pods.len(), Span(watch.elapsed()));
    first_load(&namespace).await?;
    settled(&namespace).await?;

    for strategy in ["Recreate", "RollingUpdate"] {
        let (before, mark) = (State::of(&namespace).await?, audit::mark(&lab)?);
        operator.swap(OURS, strategy).await?;
        let after = settled(&namespace).await?;
        let writes = writes_since(&lab, mark, &operator.user())?;
        println!("to Mainstay ({strategy}): {} writes: {}", writes.len(), writes.join(", "));
        assert_eq!(before.differences(&after), Vec::<String>::new(), "{strategy}");
        assert!(
            writes.iter().all(|write| write.contains("/status ")),
            "writes that are not of a status: {writes:?}"
        );

        // Mainstay works: a change takes effect.
        let interval = if strategy == "Recreate" { "31s" } else { "32s" };
        let patch = json!({"spec": {"endpoints": [{"port": "web", "interval": interval}]}});
        let monitors = api(&namespace, "ServiceMonitor");
        monitors.patch("monitor-0", &PatchParams::default(), &Patch::Merge(&patch)).await?;
        let before = loaded(&namespace, &after).await?;
        assert_eq!(after.changed(&before), SECRETS);

        // Back to the Prometheus Operator: it compresses what Mainstay had compressed, which causes one reload.
        let mark = audit::mark(&lab)?;
        operator.swap(PEER, strategy).await?;
        let back = loaded(&namespace, &before).await?;
        let writes = writes_since(&lab, mark, &operator.user())?;
        println!("back ({strategy}): {} writes, each of {} Secrets loaded once", writes.len(), SECRETS.len());
        assert_eq!((&before.pods, &before.templates), (&back.pods, &back.templates), "{strategy}");
        assert_eq!(before.changed(&back), SECRETS, "only the Secrets that Mainstay had written");
    }
    operator.remove().await
}

/// Makes every reloader reload once. A reloader that watches only directories, such as that of a Thanos Ruler, would
/// otherwise reload three minutes after its start.
async fn first_load(namespace: &Namespace) -> Result<()> {
    let rule = json!({"record": "recorded_0", "expr": "vector(1)"});
    let patch = json!({"spec": {"groups": [{"name": "group-0", "rules": [rule]}]}});
    let rules = api(namespace, "PrometheusRule");
    rules.patch("rule-0", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    namespace
        .until("every reloader to have loaded once", async || {
            peer::touch(namespace).await?;
            let reloads = State::of(namespace).await?.reloads;
            let all = reloads.values().all(|(_, count)| *count > 0);
            Ok(holds(all, format!("{reloads:?}")))
        })
        .await
}

/// The configurations that contain the changed monitor.
const SECRETS: [&str; 3] = ["Secret prom-agent-agent", "Secret prometheus-one", "Secret prometheus-two"];

/// Waits until every pod that scrapes has reloaded its configuration once, and nothing changes any more.
async fn loaded(namespace: &Namespace, before: &State) -> Result<State> {
    namespace
        .until("every server to have reloaded its configuration once", async || {
            peer::touch(namespace).await?;
            let reloads = before.reloads_until(&State::of(namespace).await?);
            let scrapes = |pod: &str| pod.starts_with("prom");
            let once = reloads.iter().all(|(pod, count)| *count == u64::from(scrapes(pod)));
            Ok(holds(once, format!("{reloads:?}")))
        })
        .await?;
    settled(namespace).await
}

/// Waits until every pod has loaded the last configuration: nothing changes in twenty checks in a row. The pods are annotated
/// at each check, because the kubelet would otherwise sync a Secret up to a minute later.
async fn settled(namespace: &Namespace) -> Result<State> {
    let mut last: Option<(State, u32)> = None;
    namespace
        .until("everything to be loaded", async || {
            peer::touch(namespace).await?;
            let now = State::of(namespace).await?;
            let equal = match &last {
                Some((before, equal)) if *before == now => equal + 1,
                _ => 0,
            };
            last = Some((now, equal));
            Ok(holds(equal >= 20, equal.to_string()))
        })
        .await?;
    State::of(namespace).await
}
