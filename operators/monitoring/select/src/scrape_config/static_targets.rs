//! Targets by name.

use api_monitoring::scrape_config::discovery::static_targets::StaticConfig;

use super::{Context, each};
use crate::problem::Problem;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[StaticConfig]) -> Result<(), Problem> {
    each(configs, |config| context.workload.check_label_names(config.labels.keys()))
}
