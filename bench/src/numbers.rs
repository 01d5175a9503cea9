//! Order among measured numbers. Pure.

/// The least, the middle and the greatest of some values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// The least.
    pub(crate) least: f64,
    /// Half of them are below.
    pub(crate) median: f64,
    /// The greatest.
    pub(crate) greatest: f64,
}

impl Spread {
    /// The spread of values; zeros if there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or_default();
        let (middle, last) = (values.len() / 2, values.len().saturating_sub(1));
        let median = if values.len() % 2 == 1 { at(middle) } else { f64::midpoint(at(middle), at(last / 2)) };
        Self { least: at(0), median, greatest: at(last) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_in_the_middle() {
        let spread = |least, median, greatest| Spread { least, median, greatest };
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), spread(1.0, 2.0, 3.0));
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]), spread(1.0, 2.5, 4.0));
        assert_eq!(Spread::of([5.0]), spread(5.0, 5.0, 5.0));
        assert_eq!(Spread::of([]), spread(0.0, 0.0, 0.0));
    }
}
