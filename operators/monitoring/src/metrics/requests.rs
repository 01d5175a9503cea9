//! Requests to the API server.

use std::time::Duration;

use kernel::call::Call;
use kernel::metrics::{CatalogueSection, Counters, Histograms};

/// The metrics of requests.
#[derive(Debug)]
pub(super) struct Requests {
    answers: Counters<1>,
    took: Histograms<1>,
    held_back: Histograms<1>,
}

impl Requests {
    /// Registers the families.
    pub(super) fn register(section: &mut CatalogueSection<'_>) -> Self {
        let help = "Total number of requests to the API server, by status code";
        let answers = section.counters("kubernetes_client_http_requests", ["status_code"], help);
        let help = "Time until the API server answered, by endpoint";
        let took =
            section.histograms("kubernetes_client_http_request_duration_seconds", ["endpoint"], help, &[]);
        let help = "Time that requests waited in the client before they were sent, by endpoint";
        let held_back =
            section.histograms("kubernetes_client_rate_limiter_duration_seconds", ["endpoint"], help, &[]);
        Self { answers, took, held_back }
    }

    /// A request was answered, or failed without an answer.
    pub(super) fn answered(&self, call: &Call, code: Option<u16>, took: Duration, held_back: Duration) {
        let code = code.map_or_else(|| "<error>".to_owned(), |code| code.to_string());
        self.answers.among([code]).inc();
        let endpoint = endpoint(call);
        self.took.among([endpoint.clone()]).observe(took.as_secs_f64());
        self.held_back.among([endpoint]).observe(held_back.as_secs_f64());
    }
}

/// The path of a request without the names in it, escaped: there are few paths for any number of objects.
pub(super) fn endpoint(call: &Call) -> String {
    let Call { group, version, resource, subresource, namespace, name, .. } = call;
    if resource.is_empty() {
        return "/%7Bprefix%7D".to_owned();
    }
    let mut path =
        if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
    if namespace.is_some() {
        path += "/namespaces/%7Bnamespace%7D";
    }
    path += "/";
    path += resource;
    if name.is_some() {
        path += "/%7Bname%7D";
    }
    // After `proxy` any path may follow.
    if let Some(part) = subresource.as_ref().and_then(|parts| parts.split('/').next()) {
        path += "/";
        path += part;
    }
    path
}
