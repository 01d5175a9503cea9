//! `storage`: exemplars, the database, and its retention.

use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::prometheus::tsdb::TsdbSpec;
use formats::prometheus::{Section, SectionKind};
use formats::yaml::Map;
use monitoring_select::Server;

use crate::quantity;

/// The retention time if neither time nor size is set.
const RETENTION: &str = "24h";
/// The feature that is incompatible with one encoding.
const START_TIMES: &str = "st-storage";

/// Why `storage` cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// The threshold is out of range.
    #[error("`staleSeriesCompactionThreshold` must be between 0 and 1. The current value is {0}")]
    Threshold(String),
    /// The chunk encoding is incompatible with a feature.
    #[error(
        "chunk encoding \"Xor\" is incompatible with --enable-feature=st-storage (XOR chunks do not store start timestamps)"
    )]
    Encoding,
}

/// `storage` of a server.
pub(crate) fn put(
    section: &mut Section<'_, '_>,
    server: &Server<'_>,
    spec: &PrometheusSpec,
) -> Result<(), StorageError> {
    let tsdb = checked(server)?;
    let mut storage = section.writer().section(SectionKind::Storage);
    let exemplars = spec.exemplars.as_ref().and_then(|exemplars| exemplars.max_size);
    storage.put_some("exemplars", exemplars.map(|size| Map::new().with("max_exemplars", size)));
    let mut part = section.writer().section(SectionKind::Storage);
    put_tsdb(&mut part, tsdb);
    // Older versions have flags for it.
    if section.writer().at_least(3, 11) {
        part.put("retention", retention(spec));
    }
    if !part.is_empty() {
        storage.put("tsdb", part);
    }
    if !storage.is_empty() {
        section.put("storage", storage);
    }
    Ok(())
}

/// `storage` of an agent.
pub(crate) fn put_agent(section: &mut Section<'_, '_>, server: &Server<'_>) -> Result<(), StorageError> {
    let tsdb = checked(server)?;
    let mut part = section.writer().section(SectionKind::AgentStorage);
    put_tsdb(&mut part, tsdb);
    if !part.is_empty() {
        section.put("storage", Map::new().with("tsdb", part));
    }
    Ok(())
}

fn checked<'s>(server: &Server<'s>) -> Result<Option<&'s TsdbSpec>, StorageError> {
    let Some(tsdb) = &server.spec.tsdb else { return Ok(None) };
    if let Some(threshold) = &tsdb.stale_series_compaction_threshold
        && !(0.0..=1.0).contains(&quantity::number(threshold))
    {
        return Err(StorageError::Threshold(quantity::canonical(threshold)));
    }
    let stores_start_times = || server.spec.enable_features.iter().any(|feature| &**feature == START_TIMES);
    if floats(tsdb) == Some("Xor") && stores_start_times() {
        return Err(StorageError::Encoding);
    }
    Ok(Some(tsdb))
}

fn put_tsdb(part: &mut Section<'_, '_>, tsdb: Option<&TsdbSpec>) {
    let Some(tsdb) = tsdb else { return };
    part.put_some(
        "out_of_order_time_window",
        tsdb.out_of_order_time_window.as_ref().map(ToString::to_string),
    );
    let threshold = tsdb.stale_series_compaction_threshold.as_ref();
    part.put_some("stale_series_compaction_threshold", threshold.map(quantity::number));
    let encoding = floats(tsdb).map(|floats| Map::new().with("floats", floats.to_lowercase()));
    part.put_some("chunk_encoding", encoding);
}

fn floats(tsdb: &TsdbSpec) -> Option<&str> {
    tsdb.chunk_encoding.as_ref()?.floats.as_deref()
}

fn retention(spec: &PrometheusSpec) -> Map {
    let mut retention = Map::new();
    let (time, size) = (&spec.retention, &spec.retention_size);
    if !time.is_empty() {
        retention.push("time", time.to_string());
    } else if size.is_empty() {
        retention.push("time", RETENTION);
    }
    if !size.is_empty() {
        retention.push("size", size.to_string());
    }
    retention
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::shared::SharedSpec;
    use api_monitoring::prometheus::tsdb::ChunkEncodingSpec;
    use formats::version::Version;
    use formats::yaml;
    use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

    use super::*;

    fn written(minor: u64, agent: bool, spec: &PrometheusSpec) -> Result<String, String> {
        let server = Server::new(("ns", "name"), &spec.shared, Version::new(3, minor, 0));
        let writer = server.writer();
        let mut section = writer.section(SectionKind::Document);
        let put = if agent { put_agent(&mut section, &server) } else { put(&mut section, &server, spec) };
        put.map_err(|error| error.to_string())?;
        Ok(yaml::write(&section.into()))
    }

    fn spec(threshold: &str, floats: &str, features: &[&str]) -> PrometheusSpec {
        let tsdb = TsdbSpec {
            out_of_order_time_window: Some("1m".into()),
            stale_series_compaction_threshold: Some(Quantity(threshold.into())),
            chunk_encoding: Some(ChunkEncodingSpec { floats: Some(floats.into()) }),
        };
        let enable_features = features.iter().map(|feature| (*feature).into()).collect();
        let shared = SharedSpec { tsdb: Some(tsdb), enable_features, ..SharedSpec::default() };
        PrometheusSpec { shared, ..PrometheusSpec::default() }
    }

    #[test]
    fn the_storage_of_an_agent_has_the_fields_that_its_version_supports() {
        let spec = spec("0.5", "Xor2", &[]);
        let old = "storage:\n  tsdb:\n    out_of_order_time_window: 1m\n";
        let threshold = "    stale_series_compaction_threshold: 0.5\n";
        let encoding = "    chunk_encoding:\n      floats: xor2\n";
        assert_eq!(written(9, true, &spec), Ok(old.to_owned()));
        assert_eq!(written(10, true, &spec), Ok(format!("{old}{threshold}")));
        assert_eq!(written(13, true, &spec), Ok(format!("{old}{threshold}{encoding}")));
    }

    #[test]
    fn the_retention_is_in_the_file_since_3_11() {
        let kept = |time: &str, size: &str| PrometheusSpec {
            retention: time.into(),
            retention_size: size.into(),
            ..PrometheusSpec::default()
        };
        assert_eq!(written(10, false, &kept("1d", "")), Ok("{}\n".to_owned()));
        for (time, size, expected) in [
            ("", "", "      time: 24h\n"),
            ("1d", "", "      time: 1d\n"),
            ("", "1GB", "      size: 1GB\n"),
            ("1d", "1GB", "      time: 1d\n      size: 1GB\n"),
        ] {
            let expected = format!("storage:\n  tsdb:\n    retention:\n{expected}");
            assert_eq!(written(11, false, &kept(time, size)), Ok(expected));
        }
    }

    #[test]
    fn invalid_settings_are_rejected() {
        let threshold =
            "`staleSeriesCompactionThreshold` must be between 0 and 1. The current value is 1500m";
        assert_eq!(written(13, false, &spec("1.5", "Xor", &[])), Err(threshold.to_owned()));
        let encoding = StorageError::Encoding.to_string();
        assert_eq!(written(13, true, &spec("1", "Xor", &[START_TIMES])), Err(encoding));
    }
}
