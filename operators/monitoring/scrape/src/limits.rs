//! Limits of scrapes. The limits of a resource are capped by those that the workload enforces.

use api_monitoring::scrape::JobOptions;
use api_monitoring::text::ByteSize;
use formats::prometheus::Section;
use formats::version::Version;
use go_syntax::byte_size;
use monitoring_select::Server;

/// The limits of a job.
pub(crate) fn put(section: &mut Section<'_, '_>, server: &Server<'_>, own: &JobOptions) {
    let spec = server.spec;
    for (field, own, enforced) in [
        ("sample_limit", own.sample_limit, spec.enforced_sample_limit),
        ("target_limit", own.target_limit, spec.enforced_target_limit),
        ("label_limit", own.label_limit, spec.enforced_label_limit),
        ("label_name_length_limit", own.label_name_length_limit, spec.enforced_label_name_length_limit),
        ("label_value_length_limit", own.label_value_length_limit, spec.enforced_label_value_length_limit),
        ("keep_dropped_targets", own.keep_dropped_targets, spec.enforced_keep_dropped_targets),
    ] {
        section.put_some(field, lower(&server.version, own, enforced));
    }
}

/// The limit of a job. Since 2.45 a job without a limit has that of `global`, which is the enforced one.
fn lower(version: &Version, own: Option<i64>, enforced: Option<i64>) -> Option<i64> {
    let Some(enforced) = enforced.filter(|limit| *limit != 0) else { return own };
    match own.filter(|limit| *limit != 0) {
        Some(own) => Some(own.min(enforced)),
        None => (*version < Version::new(2, 45, 0)).then_some(enforced),
    }
}

/// The limits of `global`, which apply to jobs without limits of their own.
pub(crate) fn put_global(section: &mut Section<'_, '_>, server: &Server<'_>) {
    let spec = server.spec;
    let enforced = Some(&spec.enforced_body_size_limit).filter(|size| !size.is_empty());
    let size = spec.body_size_limit.as_ref().or(enforced);
    section.put_some("body_size_limit", size.map(ToString::to_string));
    for (field, own, enforced) in [
        ("sample_limit", spec.sample_limit, spec.enforced_sample_limit),
        ("target_limit", spec.target_limit, spec.enforced_target_limit),
        ("label_limit", spec.label_limit, spec.enforced_label_limit),
        ("label_name_length_limit", spec.label_name_length_limit, spec.enforced_label_name_length_limit),
        ("label_value_length_limit", spec.label_value_length_limit, spec.enforced_label_value_length_limit),
        ("keep_dropped_targets", spec.keep_dropped_targets, spec.enforced_keep_dropped_targets),
    ] {
        let limits = [own, enforced].into_iter().flatten().filter(|limit| *limit > 0);
        section.put_some(field, limits.min());
    }
}

/// `body_size_limit` of a job: the lower of its own and the enforced one.
pub(crate) fn put_body_size(section: &mut Section<'_, '_>, server: &Server<'_>, own: Option<&ByteSize>) {
    let given = |size: &&ByteSize| !size.is_empty();
    let enforced = Some(&server.spec.enforced_body_size_limit).filter(given);
    let size = match (own.filter(given), enforced) {
        (Some(own), Some(enforced)) if bytes(own) > bytes(enforced) => Some(enforced),
        (own, enforced) => own.or(enforced),
    };
    section.put_some("body_size_limit", size.map(ToString::to_string));
}

/// A size that cannot be parsed counts as 0.
fn bytes(size: &ByteSize) -> i64 {
    byte_size::parse(size).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_limit_applies_and_zero_means_no_limit() {
        let (old, new) = (Version::new(2, 44, 0), Version::new(2, 45, 0));
        for (version, own, enforced, expected) in [
            (&new, None, None, None),
            (&new, Some(0), None, Some(0)),
            (&new, Some(5), Some(0), Some(5)),
            (&new, Some(5), Some(7), Some(5)),
            (&new, Some(7), Some(5), Some(5)),
            (&new, None, Some(5), None),
            (&new, Some(0), Some(5), None),
            (&old, None, Some(5), Some(5)),
            (&old, Some(0), Some(5), Some(5)),
        ] {
            assert_eq!(lower(version, own, enforced), expected, "{version} {own:?} {enforced:?}");
        }
    }
}
