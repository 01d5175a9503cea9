//! A cluster that monitors itself: the workloads of `samples/cluster-monitoring.yaml`, what they scrape, and the alerts that
//! are delivered. The sample says what to wait for; Prometheus and the receiver show the result.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use lab::clock::wait_for;
use lab::console::{line, table};
use serde::Deserialize;
use serde_json::Value;

use crate::environment;
use crate::programs::Programs;

use super::MONITORING;
use super::cluster::Cluster;

const NAMESPACE: &str = "cluster-monitoring";

/// For how long targets and alerts are waited for.
const PATIENCE: Duration = Duration::from_mins(3);

/// Waits until everything is there, and shows it.
pub(super) async fn show(programs: &Programs, cluster: &Cluster) -> Result<()> {
    line("\nA cluster that monitors itself: two Prometheus servers, three Alertmanagers, a Thanos Ruler:");
    let ready = cluster.kubectl(&format!(
        "-n {NAMESPACE} wait --for=condition=Available prometheus/cluster alertmanager/cluster thanosruler/cluster \
         --timeout=300s"
    ))?;
    let ready = programs.output(&ready).await;
    programs
        .run(&cluster.kubectl(&format!("-n {NAMESPACE} get prometheuses,alertmanagers,thanosrulers"))?)
        .await?;
    line("");
    programs.run(&cluster.kubectl(&format!("-n {NAMESPACE} get pods"))?).await?;
    ready.with_context(|| {
        format!("not all of it is ready; `{} -n {NAMESPACE} describe pods` says why", cluster.typed())
    })?;

    let sample = Sample::read()?;
    line("\nTargets of the Prometheus servers, by ServiceMonitor:");
    let scraped =
        until(programs, || scraped(programs, cluster), |pools| all_up(&sample.monitors, pools)).await?;
    line(table(&rows(&sample.monitors, &scraped)).trim_end());
    // Other clusters may hide some of their parts.
    let complete = *cluster != Cluster::Lab || all_up(&sample.monitors, &scraped);
    ensure!(complete, "not everything is scraped after {} minutes", PATIENCE.as_secs() / 60);

    line("\nNotifications that the receiver got from the Alertmanagers:");
    let arrived =
        |told: &BTreeMap<String, String>| sample.alerts.iter().all(|alert| told.contains_key(alert));
    let told = until(programs, || told(programs, cluster), arrived).await?;
    line(
        table(&told.iter().map(|(name, words)| vec![name.clone(), words.clone()]).collect::<Vec<_>>())
            .trim_end(),
    );
    ensure!(arrived(&told), "not all of {} arrived", sample.alerts.join(" and "));
    Ok(())
}

/// What to look at: a command and what it shows.
pub(super) fn sights(kubectl: &str) -> Vec<[String; 2]> {
    let inside = format!("{kubectl} -n {NAMESPACE}");
    [
        ("get prometheuses,alertmanagers,thanosrulers", "the workloads, and whether they are available"),
        ("describe servicemonitor kubelets", "whether a monitor was taken in, and by whom"),
        (
            "port-forward service/prometheus-operated 9090",
            "Prometheus, at http://localhost:9090/api/v1/query?query=up",
        ),
        ("logs deployment/receiver", "every alert that arrived"),
    ]
    .map(|(words, shows)| [format!("{inside} {words}"), shows.to_owned()])
    .into()
}

/// Looks until it is enough, or until the time is up; returns what was seen last.
async fn until<T>(
    programs: &Programs,
    look: impl AsyncFn() -> Result<T>,
    enough: impl Fn(&T) -> bool,
) -> Result<T> {
    let seen = wait_for(PATIENCE, || async {
        let seen = look().await;
        (seen.as_ref().is_ok_and(&enough) || programs.stopped()).then_some(seen)
    });
    match seen.await {
        Some(seen) => seen,
        None => look().await,
    }
}

/// What the sample promises.
#[derive(Debug, PartialEq, Eq)]
struct Sample {
    monitors: Vec<String>,
    /// Alerts that always fire.
    alerts: Vec<String>,
}

impl Sample {
    fn read() -> Result<Self> {
        let text = std::fs::read_to_string(environment::workspace().join(MONITORING))
            .with_context(|| format!("cannot read {MONITORING}"))?;
        Ok(Self::of(
            &serde_saphyr::from_multiple(&text).with_context(|| format!("cannot read {MONITORING}"))?,
        ))
    }

    fn of(objects: &[Value]) -> Self {
        let of_kind = |kind: &'static str| objects.iter().filter(move |object| object["kind"] == kind);
        let word = |value: &Value| value.as_str().map(str::to_owned);
        let groups = of_kind("PrometheusRule").filter_map(|rule| rule["spec"]["groups"].as_array()).flatten();
        let rules = groups.filter_map(|group| group["rules"].as_array()).flatten();
        let always = rules.filter(|rule| rule["labels"]["severity"] == "none");
        Self {
            monitors: of_kind("ServiceMonitor").filter_map(|one| word(&one["metadata"]["name"])).collect(),
            alerts: always.filter_map(|rule| word(&rule["alert"])).collect(),
        }
    }
}

/// The targets of one ServiceMonitor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Pool {
    targets: usize,
    up: usize,
    /// Why one of the others is not.
    trouble: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    data: Targets,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Targets {
    active_targets: Vec<Target>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    /// As the operator calls it: `serviceMonitor/NAMESPACE/NAME/NUMBER`.
    scrape_pool: String,
    health: String,
    last_error: String,
}

/// What a Prometheus says about its targets.
async fn scraped(programs: &Programs, cluster: &Cluster) -> Result<BTreeMap<String, Pool>> {
    let path =
        format!("/api/v1/namespaces/{NAMESPACE}/services/prometheus-operated:web/proxy/api/v1/targets");
    let said = programs.output(&cluster.kubectl(&format!("get --raw {path}?state=active"))?).await?;
    pools(&said)
}

fn pools(said: &str) -> Result<BTreeMap<String, Pool>> {
    let answer: Answer = serde_json::from_str(said).context("Prometheus said something else than targets")?;
    let mut pools: BTreeMap<String, Pool> = BTreeMap::new();
    for target in answer.data.active_targets {
        let Some(monitor) = target.scrape_pool.split('/').nth(2) else { continue };
        let pool = pools.entry(monitor.to_owned()).or_default();
        pool.targets += 1;
        if target.health == "up" {
            pool.up += 1;
        } else if !target.last_error.is_empty() {
            pool.trouble = Some(target.last_error);
        }
    }
    Ok(pools)
}

fn all_up(monitors: &[String], pools: &BTreeMap<String, Pool>) -> bool {
    monitors
        .iter()
        .all(|monitor| pools.get(monitor).is_some_and(|pool| pool.targets > 0 && pool.up == pool.targets))
}

fn rows(monitors: &[String], pools: &BTreeMap<String, Pool>) -> Vec<Vec<String>> {
    let row = |monitor: &String| {
        let pool = pools.get(monitor).cloned().unwrap_or_default();
        let up = format!("{} of {} targets up", pool.up, pool.targets);
        vec![monitor.clone(), up, pool.trouble.unwrap_or_default()]
    };
    monitors.iter().map(row).collect()
}

/// What the receiver was told: alerts, with what the last message said of each.
async fn told(programs: &Programs, cluster: &Cluster) -> Result<BTreeMap<String, String>> {
    let log = cluster.kubectl(&format!("-n {NAMESPACE} logs deployment/receiver"))?;
    Ok(alerts(&programs.output(&log).await?))
}

/// The alerts of a log with a message a line. Whatever else is in it says nothing.
fn alerts(log: &str) -> BTreeMap<String, String> {
    let messages = log.lines().filter_map(|message| serde_json::from_str::<Value>(message).ok());
    let alerts = messages.flat_map(|message| message["alerts"].as_array().cloned().unwrap_or_default());
    let word = |value: &Value| value.as_str().map(str::to_owned);
    alerts
        .filter_map(|alert| {
            let name = word(&alert["labels"]["alertname"])?;
            let summary = word(&alert["annotations"]["summary"]).unwrap_or_default();
            Some((name, format!("{}: {summary}", word(&alert["status"])?)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_what_is_waited_for() {
        let expected = Sample {
            monitors: ["api-server", "kubelets", "cluster-dns", "mainstay", "monitoring"]
                .map(str::to_owned)
                .into(),
            alerts: ["Watchdog", "WatchdogOfTheRuler"].map(str::to_owned).into(),
        };
        assert_eq!(Sample::read().unwrap(), expected);
    }

    #[test]
    fn targets_are_counted_by_monitor() {
        let target = |pool: &str, health: &str, error: &str| serde_json::json!({"scrapePool": pool, "health": health, "lastError": error});
        let said = serde_json::json!({"status": "success", "data": {"activeTargets": [
            target("serviceMonitor/n/dns/0", "up", ""),
            target("serviceMonitor/n/kubelets/0", "up", ""),
            target("serviceMonitor/n/kubelets/1", "down", "403 Forbidden"),
            target("odd", "up", ""),
        ]}});
        let pools = pools(&said.to_string()).unwrap();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            rows(&names(&["dns", "kubelets", "none"]), &pools),
            [
                ["dns", "1 of 1 targets up", ""],
                ["kubelets", "1 of 2 targets up", "403 Forbidden"],
                ["none", "0 of 0 targets up", ""]
            ]
        );
        assert!(all_up(&names(&["dns"]), &pools));
        assert!(!all_up(&names(&["dns", "kubelets"]), &pools));
        assert!(!all_up(&names(&["none"]), &pools), "a monitor without targets is not up");
    }

    #[test]
    fn the_last_word_on_an_alert_counts() {
        let message = |status: &str, name: &str| {
            serde_json::json!({"alerts": [
                {"status": status, "labels": {"alertname": name}, "annotations": {"summary": "s"}},
            ]})
            .to_string()
        };
        let log = [
            message("firing", "A"),
            "{}".into(),
            "noise".into(),
            message("firing", "B"),
            message("resolved", "A"),
        ];
        let expected = [("A", "resolved: s"), ("B", "firing: s")];
        let expected = expected.map(|(name, words)| (name.to_owned(), words.to_owned()));
        assert_eq!(alerts(&log.join("\n")), expected.into());
    }
}
