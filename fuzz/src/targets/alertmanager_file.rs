//! The file of an Alertmanager: a parsed configuration is written, and parsed again to the same value.

use formats::alertmanager::{Config, Fit, Fitting};
use monitoring_alerting::raw_configuration;

use super::versions::ALERTMANAGER;

/// Uses the input as a file.
pub(crate) fn attempt(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let _ = raw_configuration::read(text);
    let Ok(config) = Config::from_text(text) else { return };
    check_round_trip(&config);
    for version in ALERTMANAGER {
        let mut fitted = config.clone();
        if fitted.fit(&Fitting::new(&version)).is_ok() {
            check_round_trip(&fitted);
        }
    }
}

/// The written configuration is parsed and written again as the same text.
pub(super) fn check_round_trip(config: &Config) {
    let Ok(once) = config.to_text() else { return };
    // These end a line for the writer, which uses YAML 1.1, and not for the parser.
    if once.contains(['\u{2028}', '\u{2029}']) {
        return;
    }
    let read = Config::from_text(&once);
    let twice = read.map(|config| config.to_text().map_err(|error| error.to_string()));
    assert_eq!(twice, Ok(Ok(once.clone())), "{once:?}");
}
