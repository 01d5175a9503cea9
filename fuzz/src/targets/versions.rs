//! The versions that properties are checked with: one before most changes of the format, and one after all.

use formats::version::Version;

/// Alertmanagers.
pub(super) const ALERTMANAGER: [Version; 3] =
    [Version::new(0, 21, 0), Version::new(0, 26, 0), Version::new(0, 33, 1)];
/// Prometheus servers.
pub(super) const PROMETHEUS: [Version; 2] = [Version::new(2, 37, 0), Version::new(3, 13, 1)];
/// Thanos Rulers.
pub(super) const THANOS: [Version; 2] = [Version::new(0, 24, 0), Version::new(0, 42, 0)];
