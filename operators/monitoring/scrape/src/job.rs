//! What jobs of all kinds have in common: overrides, limits, formats, histograms, and the settings that a scrape class and
//! the workload add to those of the resource.

use api_monitoring::SelectableKind;
use api_monitoring::auth::SafeAuthorization;
use api_monitoring::http::HttpClient;
use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::relabel::RelabelConfig;
use api_monitoring::scrape::{JobOptions, NativeHistogramConfig};
use api_monitoring::text::{NameEscapingScheme, NameValidationScheme, ScrapeProtocol};
use api_monitoring::tls::SafeTlsConfig;
use formats::prometheus::Section;
use formats::yaml::Map;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use monitoring_assets::Reader;
use monitoring_select::Server;

use crate::client::Client;
use crate::{limits, quantity, relabel, scrape_class};

/// The format that Prometheus has since version 3.0.
const NEW_PROTOCOL: &str = "PrometheusText1.0.0";

/// The resource of a job.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a> {
    /// Its kind.
    pub kind: SelectableKind,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
}

impl<'a> Resource<'a> {
    /// A resource with this metadata.
    pub fn new(kind: SelectableKind, metadata: &'a ObjectMeta) -> Self {
        Self {
            kind,
            namespace: metadata.namespace.as_deref().unwrap_or_default(),
            name: metadata.name.as_deref().unwrap_or_default(),
        }
    }

    /// The name of its job, or what the names of its jobs begin with.
    pub(crate) fn job_name(&self) -> String {
        format!("{}{}/{}", self.kind.job_prefix().unwrap_or_default(), self.namespace, self.name)
    }
}

/// Writes the jobs of one resource.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JobWriter<'a> {
    pub(crate) server: &'a Server<'a>,
    pub(crate) resource: Resource<'a>,
    pub(crate) class: Option<&'a ScrapeClass>,
    pub(crate) client: Client<'a>,
}

impl<'a> JobWriter<'a> {
    pub(crate) fn new(
        server: &'a Server<'a>,
        resource: Resource<'a>,
        options: &JobOptions,
        reader: &'a Reader<'a>,
    ) -> Self {
        let class = server.class(options.scrape_class.as_deref());
        Self { server, resource, class, client: Client::new(server, reader) }
    }

    /// `honor_labels`; the workload can override it.
    pub(crate) fn put_honor_labels(&self, section: &mut Section<'_, '_>, honor: bool) {
        section.put("honor_labels", honor && !self.server.spec.override_honor_labels);
    }

    /// `honor_timestamps`; the workload can override it.
    pub(crate) fn put_honor_timestamps(&self, section: &mut Section<'_, '_>, honor: Option<bool>) {
        let overridden = self.server.spec.override_honor_timestamps;
        if honor.is_some() || overridden {
            section.put("honor_timestamps", honor == Some(true) && !overridden);
        }
    }

    /// The limits, then the settings for histograms.
    pub(crate) fn put_limits(&self, section: &mut Section<'_, '_>, options: &JobOptions) {
        limits::put(section, self.server, options);
        put_histograms(section, self.server, &options.histograms);
    }

    /// `fallback_scrape_protocol`.
    pub(crate) fn put_fallback_protocol(&self, section: &mut Section<'_, '_>, options: &JobOptions) {
        let of_class = || self.class.and_then(|class| class.fallback_scrape_protocol.as_ref());
        let protocol = options.fallback_scrape_protocol.as_ref().or_else(of_class);
        section.put_some("fallback_scrape_protocol", protocol.map(ToString::to_string));
    }

    /// `tls_config` of a resource that cannot name files.
    pub(crate) fn put_safe_tls(&self, section: &mut Section<'_, '_>, own: Option<&SafeTlsConfig>) {
        self.client.put_tls(section, scrape_class::safe_tls(own, self.class).as_ref());
    }

    /// `authorization`.
    pub(crate) fn put_authorization(&self, section: &mut Section<'_, '_>, own: Option<&SafeAuthorization>) {
        self.client.put_authorization(section, scrape_class::authorization(own, self.class).as_ref());
    }

    /// `bearer_token`, then `basic_auth`.
    pub(crate) fn put_credentials(&self, section: &mut Section<'_, '_>, http: &HttpClient) {
        self.client.put_bearer_token(section, http.bearer_token_secret.as_ref());
        self.client.put_basic_auth(section, http.basic_auth.as_ref());
    }

    /// Steps for targets.
    pub(crate) fn target_steps(&self, own: &[RelabelConfig]) -> Vec<Map> {
        self.steps(self.class.map(|class| &*class.relabelings), own)
    }

    /// `metric_relabel_configs`, if there are any.
    pub(crate) fn put_metric_steps(&self, section: &mut Section<'_, '_>, own: &[RelabelConfig]) {
        let steps = self.steps(self.class.map(|class| &*class.metric_relabelings), own);
        section.put_some("metric_relabel_configs", (!steps.is_empty()).then_some(steps));
    }

    /// The steps of the class, then those of the user, then the enforced one.
    fn steps(&self, of_class: Option<&[RelabelConfig]>, own: &[RelabelConfig]) -> Vec<Map> {
        let of_class = relabel::configured(of_class.unwrap_or_default());
        of_class.chain(relabel::with_enforced(self.server, self.resource, own)).collect()
    }
}

/// `follow_redirects`, then `enable_http2`.
pub(crate) fn put_redirects(section: &mut Section<'_, '_>, http: &HttpClient) {
    section.put_some("follow_redirects", http.follow_redirects);
    section.put_some("enable_http2", http.enable_http2);
}

/// `scrape_protocols`.
pub(crate) fn put_protocols(section: &mut Section<'_, '_>, protocols: &[ScrapeProtocol]) {
    if protocols.is_empty() {
        return;
    }
    let writer = section.writer();
    let known = |protocol: &&ScrapeProtocol| {
        let known = &***protocol != NEW_PROTOCOL || writer.at_least_candidate(3, 0);
        if !known {
            writer.leave_out(format!("scrape_protocols: {NEW_PROTOCOL}"), "3.0 or later");
        }
        known
    };
    let protocols: Vec<String> = protocols.iter().filter(known).map(ToString::to_string).collect();
    section.put("scrape_protocols", protocols);
}

fn put_histograms(section: &mut Section<'_, '_>, server: &Server<'_>, histograms: &NativeHistogramConfig) {
    section.put_some("scrape_native_histograms", histograms.scrape_native_histograms);
    section.put_some("native_histogram_bucket_limit", histograms.native_histogram_bucket_limit);
    let factor = histograms.native_histogram_min_bucket_factor.as_ref().map(quantity::number);
    section.put_some("native_histogram_min_bucket_factor", factor);
    // Prometheus 3 renamed the field, release candidates included.
    let classic = if server.version.major >= 3 {
        "always_scrape_classic_histograms"
    } else {
        "scrape_classic_histograms"
    };
    section.put_some(classic, histograms.scrape_classic_histograms);
    section.put_some("convert_classic_histograms_to_nhcb", histograms.convert_classic_histograms_to_nhcb);
}

/// `metric_name_validation_scheme` and `metric_name_escaping_scheme`.
pub(crate) fn put_name_schemes(
    section: &mut Section<'_, '_>,
    validation: Option<&NameValidationScheme>,
    escaping: Option<&NameEscapingScheme>,
) {
    section.put_some("metric_name_validation_scheme", validation.map(|scheme| scheme.to_lowercase()));
    let escaping = escaping.and_then(|scheme| match &**scheme {
        "AllowUTF8" => Some("allow-utf-8"),
        "Underscores" => Some("underscores"),
        "Dots" => Some("dots"),
        "Values" => Some("values"),
        _ => None,
    });
    section.put_some("metric_name_escaping_scheme", escaping);
}
