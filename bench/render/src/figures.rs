//! Measures CPU time and allocations.

use rustix::time::{ClockId, clock_gettime};

/// What one side cost, with one value for each round.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Figures {
    /// CPU time in microseconds.
    pub(crate) time: Vec<f64>,
    /// Allocated bytes.
    pub(crate) allocated: Vec<f64>,
}

impl Figures {
    /// Divides all values by the number of changes in a round.
    pub(crate) fn divide(&mut self, count: usize) {
        for value in self.time.iter_mut().chain(&mut self.allocated) {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let count = count as f64;
            *value /= count;
        }
    }
}

/// What our side cost, and its output.
#[derive(Debug, Clone)]
pub(crate) struct Ours {
    /// Rendering everything from scratch.
    pub(crate) all: Figures,
    /// Rendering one changed resource while the others are cached, without copying the bytes out.
    pub(crate) one: Figures,
    /// The output.
    pub(crate) text: String,
}

/// Calls `work`, and adds what it cost.
pub(crate) fn measured<T>(figures: &mut Figures, work: impl FnOnce() -> T) -> T {
    let mut result = None;
    let mut time = 0.0;
    let allocations = allocation_counter::measure(|| {
        let before = processor_time();
        result = Some(work());
        time = processor_time() - before;
    });
    figures.time.push(time);
    #[expect(clippy::cast_precision_loss, reason = "precise enough for a report")]
    figures.allocated.push(allocations.bytes_total as f64);
    result.expect("the work was done")
}

/// The CPU time of this process in microseconds.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    #[expect(clippy::cast_precision_loss, reason = "precise enough for a report")]
    let (seconds, nanoseconds) = (time.tv_sec as f64, time.tv_nsec as f64);
    seconds * 1e6 + nanoseconds / 1e3
}

/// The median.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// The minimum and the maximum.
pub(crate) fn spread(values: &[f64]) -> (f64, f64) {
    let fold = |pick: fn(f64, f64) -> f64| values.iter().copied().reduce(pick).unwrap_or_default();
    (fold(f64::min), fold(f64::max))
}
