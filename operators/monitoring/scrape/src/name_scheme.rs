//! Which characters the names of metrics and labels may have, and how the others are written. Said by `global` and by jobs.

use api_monitoring::text::{NameEscapingScheme, NameValidationScheme};
use formats::prometheus::Section;

/// `metric_name_validation_scheme` and `metric_name_escaping_scheme`.
pub(crate) fn put(
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
