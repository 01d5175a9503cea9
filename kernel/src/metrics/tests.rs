//! The page after different occurrences.

use super::*;

fn registered() -> (Catalogue, Metrics) {
    let mut catalogue = Catalogue::default();
    let metrics = Metrics::register(&mut catalogue, "1.2.3", "abc");
    (catalogue, metrics)
}

/// The lines of values with this prefix.
fn values(catalogue: &Catalogue, start: &str) -> Vec<String> {
    let page = catalogue.expose().unwrap();
    let mut lines: Vec<String> =
        page.lines().filter(|line| line.starts_with(start)).map(ToOwned::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn names_and_help_texts_have_no_problems() {
    assert_eq!(registered().0.faults(), Vec::<String>::new());
}

#[test]
fn every_series_of_a_controller_exists_from_the_start() {
    let (catalogue, metrics) = registered();
    let controller = metrics.controller("example");
    let all = |settled: u32, failed: u32| {
        [
            format!("mainstay_passes_total{{controller=\"example\",outcome=\"failed\"}} {failed}"),
            format!("mainstay_passes_total{{controller=\"example\",outcome=\"settled\"}} {settled}"),
            "mainstay_passes_total{controller=\"example\",outcome=\"unreadable\"} 0".to_owned(),
            "mainstay_passes_total{controller=\"example\",outcome=\"waiting\"} 0".to_owned(),
        ]
    };
    assert_eq!(values(&catalogue, "mainstay_passes"), all(0, 0));
    let at = crate::clock::now();
    controller.started(at, Some(Duration::from_millis(20)));
    controller.ended(Outcome::Failed, at, Duration::from_millis(3));
    controller.started(at, None);
    controller.ended(Outcome::Settled, at, Duration::from_millis(3));
    assert_eq!(values(&catalogue, "mainstay_passes"), all(1, 1));
    let single = |name: &str, value: u32| format!("{name}{{controller=\"example\"}} {value}");
    for (name, value) in [
        ("mainstay_queue_retries_total", 1),
        ("mainstay_queue_latency_seconds_count", 1),
        ("mainstay_queue_work_seconds_count", 2),
    ] {
        assert_eq!(values(&catalogue, name), [single(name, value)]);
    }
}

#[test]
fn requests_are_counted_by_class_of_status_code() {
    let (catalogue, metrics) = registered();
    for code in [Some(200), Some(201), Some(409), None] {
        metrics.request(Verb::Update, "statefulsets", code, Duration::from_millis(4));
    }
    metrics.leads(true);
    metrics.watch("ExampleApp").holds(7);
    let line = |code: &str, count: u32| {
        format!(
            "mainstay_api_requests_total{{verb=\"update\",resource=\"statefulsets\",code=\"{code}\"}} {count}"
        )
    };
    assert_eq!(
        values(&catalogue, "mainstay_api_requests"),
        [line("2xx", 2), line("4xx", 1), line("none", 1)]
    );
    assert_eq!(
        values(&catalogue, "mainstay_build"),
        ["mainstay_build_info{version=\"1.2.3\",revision=\"abc\"} 1"]
    );
    assert_eq!(values(&catalogue, "mainstay_leader"), ["mainstay_leader{} 1"]);
    assert_eq!(
        values(&catalogue, "mainstay_watch_objects"),
        ["mainstay_watch_objects{kind=\"ExampleApp\"} 7"]
    );
}

#[test]
fn the_reference_contains_every_family() {
    let mut catalogue = registered().0;
    process::register(&mut catalogue);
    assert_eq!(reference().lines().count(), catalogue.entries().len() + 2);
}

/// Records what it observes.
#[derive(Debug, Default)]
struct Log(std::sync::Mutex<Vec<String>>);

impl Observer for Log {
    fn sees(&self, occurrence: &Occurrence<'_>) {
        let line = match occurrence {
            Occurrence::Added { controller } => format!("{controller} added"),
            Occurrence::Due { controller, keys } => format!("{controller} due {keys}"),
            Occurrence::Started { controller, latency, .. } => format!("{controller} started {latency:?}"),
            Occurrence::Ended { controller, took, outcome, .. } => {
                format!("{controller} ended {outcome:?} {took:?}")
            }
            other @ (Occurrence::Ready { .. }
            | Occurrence::Changed { .. }
            | Occurrence::Triggered { .. }
            | Occurrence::Reconciled { .. }
            | Occurrence::Selected { .. }
            | Occurrence::StatusWritten { .. }
            | Occurrence::Recreated { .. }
            | Occurrence::Answered { .. }) => format!("{other:?}"),
        };
        self.0.lock().unwrap().push(line);
    }
}

#[test]
fn an_observer_gets_the_occurrences_of_a_controller() {
    let (_, metrics) = registered();
    let log = Arc::new(Log::default());
    let controller = metrics.observed_by(Arc::<Log>::clone(&log)).controller("example");
    let at = crate::clock::now();
    controller.added();
    for keys in [1, 1, 0] {
        controller.holds(keys);
    }
    controller.started(at, Some(Duration::from_millis(20)));
    controller.ended(Outcome::Failed, at, Duration::from_millis(3));
    let expected = [
        "example added",
        "example due 1",
        "example due 0",
        "example started Some(20ms)",
        "example ended Failed 3ms",
    ];
    assert_eq!(*log.0.lock().unwrap(), expected);
}
