//! Which fields of a rule file a version knows.

use api_monitoring::prometheus_rule::PrometheusRuleSpec;
use formats::version::Version;

use crate::file::{Format, LeftOut};

/// Which fields are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) limit: bool,
    pub(crate) query_offset: bool,
    pub(crate) group_labels: bool,
    pub(crate) keep_firing_for: bool,
    /// `partial_response_strategy`, which only Thanos knows.
    pub(crate) strategy: bool,
    /// Durations that are empty.
    pub(crate) empty_durations: bool,
}

/// The first versions of Prometheus and of Thanos with a field.
type Since = [(u64, u64); 2];

const LIMIT: Since = [(2, 31), (0, 24)];
const QUERY_OFFSET: Since = [(2, 53), (0, 38)];
const GROUP_LABELS: Since = [(3, 0), (0, 39)];
const KEEP_FIRING_FOR: Since = [(2, 42), (0, 34)];

impl Fields {
    /// What is checked: the check is that of Prometheus, which does not know the field of Thanos.
    pub(crate) const CHECKED: Self = Self {
        limit: true,
        query_offset: true,
        group_labels: true,
        keep_firing_for: true,
        strategy: false,
        empty_durations: false,
    };

    /// What a version knows.
    pub(crate) fn of(format: Format, version: &Version) -> Self {
        let knows = |since: Since| *version >= first(format, since);
        Self {
            limit: knows(LIMIT),
            query_offset: knows(QUERY_OFFSET),
            group_labels: knows(GROUP_LABELS),
            keep_firing_for: knows(KEEP_FIRING_FOR),
            strategy: format == Format::Thanos,
            empty_durations: true,
        }
    }

    /// Those of these that are checked.
    pub(crate) fn checked(self) -> Self {
        Self { strategy: false, empty_durations: false, ..self }
    }

    /// What these leave out of a rule, each field once.
    pub(crate) fn left_out(self, spec: &PrometheusRuleSpec, format: Format) -> Vec<LeftOut> {
        let groups = || spec.groups.iter();
        let candidates = [
            ("limit", self.limit, groups().any(|group| group.limit.is_some()), LIMIT),
            (
                "query_offset",
                self.query_offset,
                groups().any(|group| group.query_offset.is_some()),
                QUERY_OFFSET,
            ),
            (
                "labels of groups",
                self.group_labels,
                groups().any(|group| !group.labels.is_empty()),
                GROUP_LABELS,
            ),
            (
                "keep_firing_for",
                self.keep_firing_for,
                groups().flat_map(|group| &group.rules).any(|rule| rule.keep_firing_for.is_some()),
                KEEP_FIRING_FOR,
            ),
        ];
        candidates
            .into_iter()
            .filter(|(_, known, used, _)| *used && !*known)
            .map(|(field, _, _, since)| LeftOut { field, format, since: first(format, since) })
            .collect()
    }
}

fn first(format: Format, [prometheus, thanos]: Since) -> Version {
    let (major, minor) = match format {
        Format::Prometheus => prometheus,
        Format::Thanos => thanos,
    };
    Version::new(major, minor, 0)
}
