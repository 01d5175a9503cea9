//! Durations as signed nanoseconds in 64 bits: at most about 292 years.
//!
//! | file | contents |
//! |---|---|
//! | [`prometheus`] | `1d12h`: whole numbers, with days and longer units, as in files of Prometheus and Alertmanager |
//! | [`go`] | `1.5h`: fractions, without days, as in Go's standard library |

pub mod go;
pub mod prometheus;

/// The largest absolute value of a negative duration.
const LIMIT: u64 = 1 << 63;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;

/// The longest prefix whose bytes satisfy a condition, and the rest.
fn split(text: &str, is: impl Fn(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().position(|byte| !is(byte)).unwrap_or(text.len()))
}
