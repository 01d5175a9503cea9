//! Sends spans to a collector, by OTLP over gRPC. Only with the cargo feature `otlp`.

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

use super::TelemetryError;

const SERVICE: &str = "mainstay";

/// An exporter of traces.
#[derive(Debug)]
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// To this collector. Nothing is sent yet: an unreachable one loses spans and never stops the process.
    pub(super) fn to(endpoint: &str) -> Result<Self, TelemetryError> {
        let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint).build();
        let exporter =
            exporter.map_err(|source| TelemetryError::Otlp { endpoint: endpoint.to_owned(), source })?;
        let resource = Resource::builder().with_service_name(SERVICE).build();
        Ok(Self(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build()))
    }

    /// The layer that exports spans.
    pub(super) fn layer<S>(&self) -> OpenTelemetryLayer<S, SdkTracer>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        tracing_opentelemetry::layer().with_tracer(self.0.tracer(SERVICE))
    }

    /// Sends the remaining spans.
    pub(super) fn stop(self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(error = &error as &dyn std::error::Error, "the last traces were not sent");
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpListener;
    use tokio::task::spawn_blocking;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn remaining_spans_are_sent_before_the_end() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let traces = Traces::to(&endpoint).unwrap();
        let subscriber = tracing_subscriber::registry().with(traces.layer());
        tracing::subscriber::with_default(subscriber, || drop(tracing::info_span!("pass").entered()));
        let stopped = spawn_blocking(move || traces.stop());
        // A stand-in for a collector: it only checks that an HTTP/2 connection is opened.
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut greeting = [0; 14];
        connection.read_exact(&mut greeting).await.unwrap();
        assert_eq!(&greeting, b"PRI * HTTP/2.0");
        drop(connection);
        drop(listener);
        stopped.await.unwrap();
    }
}
