//! The file of an Alertmanager: what was read is written, and read again to the same.

use formats::alertmanager::{Config, Fit, Fitting};
use monitoring_alerting::raw_configuration;

use super::versions::ALERTMANAGER;

/// Takes the input for a file.
pub(crate) fn attempt(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let _ = raw_configuration::read(text);
    let Ok(config) = Config::from_text(text) else { return };
    again(&config);
    for version in ALERTMANAGER {
        let mut fitted = config.clone();
        if fitted.fit(&Fitting::new(&version)).is_ok() {
            again(&fitted);
        }
    }
}

/// What is written of a configuration is read and written again as it is.
pub(super) fn again(config: &Config) {
    let Ok(once) = config.to_text() else { return };
    // These end a line to the writer, which keeps to YAML 1.1, and not to the reader.
    if once.contains(['\u{2028}', '\u{2029}']) {
        return;
    }
    let read = Config::from_text(&once);
    let twice = read.map(|config| config.to_text().map_err(|error| error.to_string()));
    assert_eq!(twice, Ok(Ok(once.clone())), "{once:?}");
}
