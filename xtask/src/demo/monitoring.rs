//! The monitoring of the cluster itself: the workloads of `samples/cluster-monitoring.yaml`, their targets, and the
//! alerts that are delivered. The sample defines what to wait for; Prometheus and the receiver provide the results.

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

/// How long to wait for targets and alerts.
const TIMEOUT: Duration = Duration::from_mins(3);

/// Waits until everything is ready, and shows it.
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
    // Some components of other clusters may not be reachable.
    let complete = *cluster != Cluster::Lab || all_up(&sample.monitors, &scraped);
    ensure!(complete, "not everything is scraped after {} minutes", TIMEOUT.as_secs() / 60);

    line("\nNotifications that the receiver got from the Alertmanagers:");
    let arrived =
        |alerts: &BTreeMap<String, String>| sample.alerts.iter().all(|alert| alerts.contains_key(alert));
    let received = until(programs, || received(programs, cluster), arrived).await?;
    line(
        table(&received.iter().map(|(name, text)| vec![name.clone(), text.clone()]).collect::<Vec<_>>())
            .trim_end(),
    );
    ensure!(arrived(&received), "not all of {} arrived", sample.alerts.join(" and "));
    Ok(())
}

/// Commands to look at it, and what each shows.
pub(super) fn commands(kubectl: &str) -> Vec<[String; 2]> {
    let inside = format!("{kubectl} -n {NAMESPACE}");
    [
        ("get prometheuses,alertmanagers,thanosrulers", "the workloads, and whether they are available"),
        ("describe servicemonitor kubelets", "whether a monitor was accepted, and by which Prometheus"),
        (
            "port-forward service/prometheus-operated 9090",
            "Prometheus, at http://localhost:9090/api/v1/query?query=up",
        ),
        ("logs deployment/receiver", "every alert that arrived"),
    ]
    .map(|(words, shows)| [format!("{inside} {words}"), shows.to_owned()])
    .into()
}

/// Repeats a query until its result is sufficient or the time is up. Returns the last result.
async fn until<T>(
    programs: &Programs,
    query: impl AsyncFn() -> Result<T>,
    is_enough: impl Fn(&T) -> bool,
) -> Result<T> {
    let found = wait_for(TIMEOUT, || async {
        let result = query().await;
        (result.as_ref().is_ok_and(&is_enough) || programs.stopped()).then_some(result)
    });
    match found.await {
        Some(result) => result,
        None => query().await,
    }
}

/// What the sample contains.
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
    /// The error of a target that is not up.
    error: Option<String>,
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
    /// As the operator names it: `serviceMonitor/NAMESPACE/NAME/NUMBER`.
    scrape_pool: String,
    health: String,
    last_error: String,
}

/// The targets of a Prometheus.
async fn scraped(programs: &Programs, cluster: &Cluster) -> Result<BTreeMap<String, Pool>> {
    let path =
        format!("/api/v1/namespaces/{NAMESPACE}/services/prometheus-operated:web/proxy/api/v1/targets");
    let answer = programs.output(&cluster.kubectl(&format!("get --raw {path}?state=active"))?).await?;
    pools(&answer)
}

fn pools(answer: &str) -> Result<BTreeMap<String, Pool>> {
    let answer: Answer = serde_json::from_str(answer).context("Prometheus did not return targets")?;
    let mut pools: BTreeMap<String, Pool> = BTreeMap::new();
    for target in answer.data.active_targets {
        let Some(monitor) = target.scrape_pool.split('/').nth(2) else { continue };
        let pool = pools.entry(monitor.to_owned()).or_default();
        pool.targets += 1;
        if target.health == "up" {
            pool.up += 1;
        } else if !target.last_error.is_empty() {
            pool.error = Some(target.last_error);
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
        vec![monitor.clone(), up, pool.error.unwrap_or_default()]
    };
    monitors.iter().map(row).collect()
}

/// The alerts that the receiver got, each with the content of the last message about it.
async fn received(programs: &Programs, cluster: &Cluster) -> Result<BTreeMap<String, String>> {
    let log = cluster.kubectl(&format!("-n {NAMESPACE} logs deployment/receiver"))?;
    Ok(alerts(&programs.output(&log).await?))
}

/// The alerts in a log with one message per line. Other lines are ignored.
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
    fn the_sample_is_parsed() {
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
        let answer = serde_json::json!({"status": "success", "data": {"activeTargets": [
            target("serviceMonitor/n/dns/0", "up", ""),
            target("serviceMonitor/n/kubelets/0", "up", ""),
            target("serviceMonitor/n/kubelets/1", "down", "403 Forbidden"),
            target("odd", "up", ""),
        ]}});
        let pools = pools(&answer.to_string()).unwrap();
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
    fn the_last_message_about_an_alert_counts() {
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
