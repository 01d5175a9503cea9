//! Finds the objects that cause an operand to reject a configuration. The search excludes sets of objects one after the
//! other. The caller writes each resulting configuration and reports whether it was accepted. The search knows only names.
//!
//! The objects are put in a row, the most suspicious last. Ever longer beginnings of the row are accepted, up to the first
//! object with which it is rejected. That object is a cause, whether it is bad by itself or conflicts with an earlier one.
//! It is excluded, and the search goes on with the rest.
//!
//! # Guarantees
//! - The first attempts exclude one more tier of suspects each, until one is accepted. So the tiers decide how much a
//!   server may lose for a while, and how soon a working configuration is in place. [`doubling`] makes small ones.
//! - A set was rejected with a cause that was accepted without it. So no good object stays excluded; of two that conflict
//!   one does.
//! - The last set was accepted, unless there are [`MOST_CAUSES`] causes: then the rest is not known, and another search may
//!   follow.
//! - Each cause takes at most one attempt more than the binary logarithm of the number of objects, and the first phase one
//!   attempt for each tier.
//!
//! # Assumptions
//! A rejected configuration is also rejected with more objects.

use std::collections::BTreeSet;

/// The maximum number of causes that one search finds. Objects that are created during a search are excluded until it ends,
/// and the error about the rest may name the next causes.
pub const MOST_CAUSES: usize = 16;

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next<T> {
    /// Write the configuration without these objects, and report the result.
    Try(BTreeSet<T>),
    /// These objects are the causes. The configuration is accepted without them, unless there are [`MOST_CAUSES`].
    Found(BTreeSet<T>),
    /// None of the objects is a cause; the message says so.
    NotFound(String),
}

/// A search in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search<T> {
    /// The most suspicious first.
    tiers: Vec<Vec<T>>,
    /// The last tier that the current attempt excludes.
    last_tier: usize,
    /// The second phase, after an attempt was accepted.
    bisection: Option<Bisection<T>>,
}

/// Objects in a row, and how far they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bisection<T> {
    row: Vec<T>,
    causes: BTreeSet<T>,
    /// The length of the longest beginning, without the causes, that was accepted.
    accepted: usize,
    /// The length of the shortest beginning that was rejected, if one is known.
    rejected: Option<usize>,
}

/// Splits objects, the most suspicious first, into tiers. Each tier doubles the number of excluded objects, so that a
/// server that accepts an attempt loses few objects more than it must.
pub fn doubling<T>(ranked: Vec<T>) -> Vec<Vec<T>> {
    let (mut tiers, mut count) = (Vec::new(), 0);
    let mut rest = ranked.into_iter();
    while rest.len() > 0 {
        let mut tier: Vec<T> = rest.by_ref().take(count.max(1)).collect();
        count += tier.len();
        // Of two that conflict the later one is excluded.
        tier.reverse();
        tiers.push(tier);
    }
    tiers
}

impl<T: Ord + Clone> Search<T> {
    /// Starts a search, after all of these together were rejected. Tiers are groups of objects, the most suspicious group first. Within
    /// a tier, the objects that changed later should come later: of two that conflict the later one is excluded.
    pub fn new(tiers: impl IntoIterator<Item = Vec<T>>) -> Self {
        let mut known = BTreeSet::new();
        let mut without_known = |tier: Vec<T>| -> Vec<T> {
            tier.into_iter().filter(|object| known.insert(object.clone())).collect()
        };
        let tiers = tiers.into_iter().map(&mut without_known).filter(|tier| !tier.is_empty()).collect();
        Self { tiers, last_tier: 0, bisection: None }
    }

    /// What to do next. It does not change until the next answer.
    pub fn next(&self) -> Next<T> {
        match &self.bisection {
            Some(bisection) => bisection.next(),
            None if self.last_tier < self.tiers.len() => {
                Next::Try(self.tiers[..=self.last_tier].iter().flatten().cloned().collect())
            }
            None => {
                let count: usize = self.tiers.iter().map(Vec::len).sum();
                Next::NotFound(format!(
                    "the configuration is rejected even without all {count} selected objects: check the spec of the \
                     workload itself"
                ))
            }
        }
    }

    /// Whether the current attempt was accepted.
    pub fn answer(&mut self, accepted: bool) {
        match &mut self.bisection {
            Some(bisection) => bisection.answer(accepted),
            None if self.last_tier == self.tiers.len() => {}
            None if accepted => self.bisection = Some(Bisection::new(&self.tiers[..=self.last_tier])),
            None => self.last_tier += 1,
        }
    }

    /// Whether what is known so far depends on this object.
    pub fn concerns(&self, object: &T) -> bool {
        match &self.bisection {
            Some(bisection) => bisection.row.contains(object),
            None => self.tiers.iter().any(|tier| tier.contains(object)),
        }
    }

    /// The causes that were found so far.
    pub fn causes(&self) -> impl Iterator<Item = &T> {
        self.bisection.iter().flat_map(|bisection| &bisection.causes)
    }
}

impl<T: Ord + Clone> Bisection<T> {
    /// Starts the second phase, after the configuration was accepted without these tiers and rejected with the last of them.
    fn new(tiers: &[Vec<T>]) -> Self {
        // The last tier comes first: its length is the shortest beginning that was rejected.
        let row = tiers.iter().rev().flatten().cloned().collect();
        let mut bisection =
            Self { row, causes: BTreeSet::new(), accepted: 0, rejected: tiers.last().map(Vec::len) };
        bisection.find_cause();
        bisection
    }

    /// The length of the beginning that the next attempt includes.
    fn attempt(&self) -> usize {
        self.rejected.map_or(self.row.len(), |rejected| usize::midpoint(self.accepted, rejected))
    }

    fn next(&self) -> Next<T> {
        if self.accepted == self.row.len() || self.causes.len() >= MOST_CAUSES {
            return Next::Found(self.causes.clone());
        }
        Next::Try(self.causes.iter().chain(&self.row[self.attempt()..]).cloned().collect())
    }

    fn answer(&mut self, accepted: bool) {
        let attempt = self.attempt();
        if accepted {
            self.accepted = attempt;
        } else {
            self.rejected = Some(attempt);
        }
        self.find_cause();
    }

    /// The object between the longest accepted and the shortest rejected beginning is a cause.
    fn find_cause(&mut self) {
        if self.rejected == Some(self.accepted + 1) {
            self.causes.insert(self.row[self.accepted].clone());
            self.accepted += 1;
            self.rejected = None;
        }
    }
}

#[cfg(test)]
mod tests;
