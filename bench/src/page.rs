//! Parses the metrics of the operator. Pure.

/// Sums of the metrics that are measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Page {
    /// Requests to the API server, without watches, which are renewed after some time.
    pub(crate) requests: u64,
    /// The write requests among them.
    pub(crate) writes: u64,
    /// Objects in all caches.
    pub(crate) objects: u64,
    /// Number of reconciliations.
    pub(crate) passes: u64,
}

impl Page {
    /// Parses the text format of Prometheus.
    pub(crate) fn of(text: &str) -> Self {
        let mut page = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((series, value)) = line.rsplit_once(' ') else { continue };
            let Ok(value) = value.parse::<u64>() else { continue };
            let (name, labels) = series.split_once('{').unwrap_or((series, ""));
            match name {
                "mainstay_api_requests_total" if !has(labels, "verb", &["watch"]) => {
                    page.requests += value;
                    if !has(labels, "verb", &["get", "list"]) {
                        page.writes += value;
                    }
                }
                "mainstay_watch_objects" => page.objects += value,
                "mainstay_passes_total" => page.passes += value,
                _ => {}
            }
        }
        page
    }
}

fn has(labels: &str, name: &str, values: &[&str]) -> bool {
    values.iter().any(|value| labels.contains(&format!("{name}=\"{value}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_without_watches_and_writes_without_reads() {
        let text = "# HELP mainstay_api_requests Requests.
mainstay_api_requests_total{verb=\"watch\",resource=\"pods\",code=\"2xx\"} 9
mainstay_api_requests_total{verb=\"get\",resource=\"pods\",code=\"2xx\"} 3
mainstay_api_requests_total{verb=\"apply\",resource=\"statefulsets\",code=\"2xx\"} 4
mainstay_api_requests_total{verb=\"create\",resource=\"events\",code=\"none\"} 1
mainstay_watch_objects{kind=\"Pod\"} 7
mainstay_watch_objects{kind=\"Secret\"} 5
mainstay_passes_total{controller=\"example\",outcome=\"settled\"} 2
mainstay_queue_work_seconds_sum{controller=\"example\"} 0.5
# EOF
";
        assert_eq!(Page::of(text), Page { requests: 8, writes: 5, objects: 12, passes: 2 });
    }
}
