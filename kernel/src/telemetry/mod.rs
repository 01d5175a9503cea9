//! Logs, and traces if they are enabled. The binary starts it once, before anything else; `admin` sets the level.
//!
//! # No secret is ever logged
//! - Fields are names, numbers and errors. An object, the body of a request or an answer, a header or an environment is never
//!   a field: an error about such a value says where, not what.
//! - The Kubernetes client logs whole answers that it cannot parse, and an answer may be a Secret: these log lines are
//!   dropped at any level. The log lines of network libraries about each frame are dropped too.
//! - Both hold for exported traces too.

mod layer;
mod level;
mod line;
#[cfg(feature = "otlp")]
mod otlp;

use std::error::Error;
use std::io::Write as _;
use std::str::FromStr;

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry;
use tracing_subscriber::registry::LookupSpan;

pub(crate) use level::filter;
pub use level::{LevelError, LogLevel};
pub use line::LogFormat;

/// Libraries whose trace messages quote network traffic.
const WIRE: [&str; 8] =
    ["h2", "hyper", "hyper_util", "rustls", "tokio_tungstenite", "tonic", "tower", "tungstenite"];

/// Settings of logs and traces.
#[derive(Debug, Clone)]
pub struct TelemetrySettings {
    /// How a line is written.
    pub format: LogFormat,
    /// A level, or directives such as `info,kernel=debug`.
    pub level: String,
    /// The collector of traces, by OTLP over gRPC, such as `http://collector:4317`. Needs the cargo feature `otlp`.
    pub otlp_endpoint: Option<String>,
}

/// Why telemetry did not start.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The level is invalid.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// It was already started.
    #[error("the log is already set up")]
    Twice(#[from] tracing::subscriber::SetGlobalDefaultError),
    /// The program was built without OTLP.
    #[error("traces cannot be sent to {0}: this program was built without OTLP")]
    WithoutOtlp(String),
    /// The exporter failed.
    #[cfg(feature = "otlp")]
    #[error("traces cannot be sent to {endpoint}")]
    Otlp {
        /// The collector.
        endpoint: String,
        /// The cause.
        source: opentelemetry_otlp::ExporterBuildError,
    },
}

/// The log and the traces of this process.
#[derive(Debug)]
pub struct Telemetry {
    /// Reads and sets the level.
    pub level: LogLevel,
    #[cfg(feature = "otlp")]
    traces: Option<otlp::Traces>,
}

impl Telemetry {
    /// Sets up the log of the process, on standard error. Within a runtime if traces are exported.
    pub fn start(settings: &TelemetrySettings) -> Result<Self, TelemetryError> {
        #[cfg(not(feature = "otlp"))]
        if let Some(endpoint) = &settings.otlp_endpoint {
            return Err(TelemetryError::WithoutOtlp(endpoint.clone()));
        }
        let (subscriber, level) = subscriber(settings, to_standard_error)?;
        #[cfg(feature = "otlp")]
        let (traces, subscriber) = {
            let traces = settings.otlp_endpoint.as_deref().map(otlp::Traces::to).transpose()?;
            let layer = traces.as_ref().map(otlp::Traces::layer);
            (traces, subscriber.with(layer))
        };
        tracing::subscriber::set_global_default(subscriber)?;
        Ok(Self {
            level,
            #[cfg(feature = "otlp")]
            traces,
        })
    }

    /// Sends the remaining traces, at the end of the process.
    pub fn stop(self) {
        #[cfg(feature = "otlp")]
        if let Some(traces) = self.traces {
            traces.stop();
        }
    }
}

/// A subscriber that passes each event as a line to `write`.
fn subscriber(
    settings: &TelemetrySettings,
    write: impl Fn(&str) + Send + Sync + 'static,
) -> Result<(impl Subscriber + for<'a> LookupSpan<'a> + Send + Sync, LogLevel), LevelError> {
    let (filter, level) = filter(&settings.level)?;
    let lines = layer::Lines::new(settings.format, write);
    Ok((registry().with(filter).with(filter_fn(may_be_logged)).with(lines), level))
}

/// Whether an event cannot contain a secret, judged by its source.
fn may_be_logged(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    let library = target.split("::").next().unwrap_or_default();
    let quotes_answers = metadata.is_event() && target == "kube_client::client";
    let quotes_the_wire = *metadata.level() == Level::TRACE && WIRE.contains(&library);
    !quotes_answers && !quotes_the_wire
}

/// An error with all its causes, in one line: its own text does not repeat them.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |cause| (**cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The process does not stop if a log line cannot be written.
fn to_standard_error(line: &str) {
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// The format is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a log format: use \"logfmt\" or \"json\"")]
pub struct FormatError(String);

impl FromStr for LogFormat {
    type Err = FormatError;

    fn from_str(name: &str) -> Result<Self, FormatError> {
        match name {
            "logfmt" => Ok(Self::Logfmt),
            "json" => Ok(Self::Json),
            _ => Err(FormatError(name.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
