//! The metrics of `/metrics`. Counters are kept here; the values of gauges are passed in at each scrape.

use std::fmt;
use std::sync::atomic::AtomicU64;

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::version::Version;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelValue)]
enum Verb {
    Get,
    Put,
    Post,
    Delete,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    method: Verb,
    code: &'static str,
}

/// The values of the gauges, read at each scrape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// Items in the store.
    pub items: u64,
    /// Its revision.
    pub revision: u64,
    /// How many revisions it is behind the writer.
    pub lag: u64,
    /// How many writes are held.
    pub held: u64,
    /// Whether the server is ready.
    pub ready: bool,
}

/// The registry and its metrics.
pub struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    figures: [Gauge<u64, AtomicU64>; 5],
}

impl Metrics {
    /// All metrics at zero.
    pub fn new(version: Version) -> Self {
        let mut registry = Registry::with_prefix("example_app");
        let requests = Family::<Request, Counter>::default();
        registry.register(
            "requests",
            "Requests answered, by method and class of status code",
            requests.clone(),
        );
        let mut gauge = |name: &str, help: &str| {
            let gauge = Gauge::<u64, AtomicU64>::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let figures = [
            gauge("items", "Items in the store"),
            gauge("revision", "Revision of the last write in the store"),
            gauge("replication_lag_revisions", "Revisions that this replica is behind the writer"),
            gauge("held_writes", "Writes that wait because writes are held"),
            gauge("ready", "Whether this replica is ready (1) or not (0)"),
        ];
        let labels =
            vec![("version", version.name().to_owned()), ("schema", version.schema().number().to_string())];
        registry.register("build", "Version of the application and schema of its data", Info::new(labels));
        Self { registry, requests, figures }
    }

    /// Counts an answered request.
    pub fn count(&self, method: &Method, status: StatusCode) {
        let method = match method.as_str() {
            "GET" | "HEAD" => Verb::Get,
            "PUT" => Verb::Put,
            "POST" => Verb::Post,
            "DELETE" => Verb::Delete,
            _ => Verb::Other,
        };
        let code = ["1xx", "2xx", "3xx", "4xx"].get(usize::from(status.as_u16() / 100).saturating_sub(1));
        self.requests.get_or_create(&Request { method, code: code.copied().unwrap_or("5xx") }).inc();
    }

    /// All metrics, in the text format of Prometheus.
    pub fn render(&self, figures: Figures) -> Result<String, fmt::Error> {
        let values = [figures.items, figures.revision, figures.lag, figures.held, u64::from(figures.ready)];
        for (gauge, value) in self.figures.iter().zip(values) {
            gauge.set(value);
        }
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_rendered_as_openmetrics() {
        let metrics = Metrics::new(Version::V0_0_2);
        metrics.count(&Method::PUT, StatusCode::CREATED);
        let figures = Figures { items: 1, revision: 2, lag: 3, held: 4, ready: true };
        let page = metrics.render(figures).unwrap();
        let values: Vec<_> = page.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            values,
            [
                "example_app_requests_total{method=\"Put\",code=\"2xx\"} 1",
                "example_app_items 1",
                "example_app_revision 2",
                "example_app_replication_lag_revisions 3",
                "example_app_held_writes 4",
                "example_app_ready 1",
                "example_app_build_info{version=\"0.0.2\",schema=\"2\"} 1",
            ]
        );
    }
}
