//! What jobs of all kinds say alike: whose labels and times count, in which format targets answer, what becomes of
//! histograms.

use api_monitoring::scrape::NativeHistogramConfig;
use api_monitoring::text::ScrapeProtocol;
use formats::prometheus::Section;

use crate::quantity;
use crate::server::Server;

/// The format that came with Prometheus 3 only.
const NEW_PROTOCOL: &str = "PrometheusText1.0.0";

/// `honor_labels`; the workload may forbid it.
pub(crate) fn put_honor_labels(section: &mut Section<'_, '_>, server: &Server<'_>, honor: bool) {
    section.put("honor_labels", honor && !server.spec.override_honor_labels);
}

/// `honor_timestamps`; the workload may forbid it.
pub(crate) fn put_honor_timestamps(section: &mut Section<'_, '_>, server: &Server<'_>, honor: Option<bool>) {
    let forbidden = server.spec.override_honor_timestamps;
    if honor.is_some() || forbidden {
        section.put("honor_timestamps", honor == Some(true) && !forbidden);
    }
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

/// What becomes of histograms.
pub(crate) fn put_histograms(
    section: &mut Section<'_, '_>,
    server: &Server<'_>,
    histograms: &NativeHistogramConfig,
) {
    section.put_some("scrape_native_histograms", histograms.scrape_native_histograms);
    section.put_some("native_histogram_bucket_limit", histograms.native_histogram_bucket_limit);
    let factor = histograms.native_histogram_min_bucket_factor.as_ref().map(quantity::number);
    section.put_some("native_histogram_min_bucket_factor", factor);
    // The field has another name since Prometheus 3, its candidates included.
    let classic = if server.version.major >= 3 {
        "always_scrape_classic_histograms"
    } else {
        "scrape_classic_histograms"
    };
    section.put_some(classic, histograms.scrape_classic_histograms);
    section.put_some("convert_classic_histograms_to_nhcb", histograms.convert_classic_histograms_to_nhcb);
}
