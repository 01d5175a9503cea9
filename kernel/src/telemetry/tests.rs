//! Which log lines are written, and which are dropped.

use std::sync::{Arc, Mutex};

use tracing::{debug, info, info_span, trace, warn};

use super::*;

/// The lines that `log` writes, without their times.
fn lines(format: LogFormat, level: &str, log: impl FnOnce(&LogLevel)) -> Vec<String> {
    let written: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = written.clone();
    let settings = TelemetrySettings { format, level: level.into(), otlp_endpoint: None };
    let write = move |line: &str| sink.lock().unwrap().push(line.to_owned());
    let (subscriber, level) = subscriber(&settings, write).unwrap();
    tracing::subscriber::with_default(subscriber, || log(&level));
    let written = written.lock().unwrap();
    let cut = match format {
        LogFormat::Logfmt => "ts=2026-11-16T01:02:03.456Z ".len(),
        LogFormat::Json => "{\"ts\":\"2026-11-16T01:02:03.456Z\",".len(),
    };
    written.iter().map(|line| line[cut..].trim_end_matches('\n').to_owned()).collect()
}

fn log_all(_: &LogLevel) {
    let pass = info_span!("pass", controller = "example", object = "default/a b", tries = 1);
    let _pass = pass.enter();
    let step = info_span!("step", tries = 2, later = tracing::field::Empty);
    step.record("later", "now");
    let _step = step.enter();
    let error = std::io::Error::other("it \"failed\"");
    warn!(error = &error as &dyn Error, ready = false, share = 0.5, "could not\nwrite");
    debug!("not at this level");
}

#[test]
fn a_line_contains_the_message_and_the_fields_of_its_spans() {
    let expected = concat!(
        "level=warn target=kernel::telemetry::tests msg=\"could not\\nwrite\" controller=example ",
        "object=\"default/a b\" tries=2 later=now error=\"it \\\"failed\\\"\" ready=false share=0.5"
    );
    assert_eq!(lines(LogFormat::Logfmt, "info", log_all), [expected]);
    let expected = concat!(
        "\"level\":\"warn\",\"target\":\"kernel::telemetry::tests\",\"msg\":\"could not\\nwrite\",",
        "\"controller\":\"example\",\"object\":\"default/a b\",\"tries\":2,\"later\":\"now\",",
        "\"error\":\"it \\\"failed\\\"\",\"ready\":false,\"share\":0.5}"
    );
    assert_eq!(lines(LogFormat::Json, "info", log_all), [expected]);
}

#[test]
fn the_level_can_be_changed_at_run_time() {
    let written = lines(LogFormat::Logfmt, "warn", |level| {
        info!("one");
        level.set("info,kernel::telemetry=debug").unwrap();
        debug!("two");
        assert!(matches!(level.set("loud"), Err(LevelError::Unknown(loud)) if loud == "loud"));
        debug!("three");
        level.set("error").unwrap();
        warn!("four");
    });
    let line = |word: &str| format!("level=debug target=kernel::telemetry::tests msg={word}");
    assert_eq!(written, [line("two"), line("three")]);
}

#[test]
fn lines_that_may_quote_a_secret_are_dropped_at_every_level() {
    let written = lines(LogFormat::Logfmt, "trace", |level| {
        level.set("trace,kube_client=trace").unwrap();
        warn!(target: "kube_client::client", "{{\"kind\":\"Secret\",\"data\":{{}}}}, expected a string");
        trace!(target: "h2::codec", "a frame");
        debug!(target: "h2::codec", "connected");
        warn!(target: "kube_client::client::tls", "kept");
    });
    assert_eq!(
        written,
        ["level=debug target=h2::codec msg=connected", "level=warn target=kube_client::client::tls msg=kept"]
    );
}

#[test]
fn formats_have_names() {
    assert_eq!("json".parse(), Ok(LogFormat::Json));
    assert_eq!("logfmt".parse(), Ok(LogFormat::Logfmt));
    let error = "xml".parse::<LogFormat>().unwrap_err();
    assert_eq!(error.to_string(), "\"xml\" is not a log format: use \"logfmt\" or \"json\"");
}

#[cfg(not(feature = "otlp"))]
#[test]
fn a_program_without_otlp_rejects_an_endpoint() {
    let otlp_endpoint = Some("http://c:4317".into());
    let settings = TelemetrySettings { format: LogFormat::Json, level: "info".into(), otlp_endpoint };
    let error = Telemetry::start(&settings).unwrap_err();
    assert_eq!(
        error.to_string(),
        "traces cannot be sent to http://c:4317: this program was built without OTLP"
    );
}
