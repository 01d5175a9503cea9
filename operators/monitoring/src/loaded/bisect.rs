//! Who it is when an operand refuses a configuration: sets of objects are left out one after the other, each is written
//! and judged, and the answers narrow it down. A search over names; nothing here knows a configuration.
//!
//! Objects stand in a line, the suspects last. Of that line ever longer beginnings are good, up to the first object with
//! which it is bad: that one is a culprit, whether it is bad by itself or clashes with one before it. It is left out, and
//! the rest is tried.
//!
//! # Guarantees
//! - The first tries leave out a tier of suspects each, until one is accepted: whoever makes the tiers decides how much a
//!   server may have to do without, and how soon a good configuration is in place. [`doubling`] makes gentle ones.
//! - Who is called a culprit was the only one with which a set was refused that was accepted without it: no good object
//!   stays out, but of two that clash one does.
//! - The set that is left in the end was accepted, unless there are [`CULPRITS`] of them: then nothing is known of the
//!   rest, and another search finds out.
//! - Each culprit takes at most one try more than the binary logarithm of the line's length, and the suspicion one a tier.
//!
//! # Assumptions
//! What is refused stays refused with more objects in it.

use std::collections::BTreeSet;

/// After so many culprits a search ends. What came meanwhile stays out while it lasts, and what an operand says about the
/// rest may name the next ones.
pub const CULPRITS: usize = 16;

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next<T> {
    /// Write the configuration without these, and say how it went.
    Try(BTreeSet<T>),
    /// These are culprits. Without them it is accepted, unless there are [`CULPRITS`] of them.
    Found(BTreeSet<T>),
    /// It is none of them, in words that a person should know.
    Innocent(String),
}

/// A search under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search<T> {
    /// The most suspicious first.
    tiers: Vec<Vec<T>>,
    stage: Stage<T>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage<T> {
    /// Everything up to this tier is left out.
    Suspicion(usize),
    /// It is one of these.
    Line(Line<T>),
    /// It is none of them.
    Innocent,
}

/// Objects in a row, and how far they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line<T> {
    objects: Vec<T>,
    culprits: BTreeSet<T>,
    /// So many from the beginning, without the culprits, are accepted.
    good: usize,
    /// So many are not; nothing is known yet, if there is none.
    bad: Option<usize>,
}

/// Cuts a row, the most suspicious first, into tiers: with each of them twice as many are left out. A server that takes one
/// of these sets does without few more than it must; one that refuses it keeps what it has.
pub fn doubling<T>(row: Vec<T>) -> Vec<Vec<T>> {
    let (mut tiers, mut count) = (Vec::new(), 0);
    let mut rest = row.into_iter();
    while rest.len() > 0 {
        let mut tier: Vec<T> = rest.by_ref().take(count.max(1)).collect();
        count += tier.len();
        // Of two that clash the later one is left out.
        tier.reverse();
        tiers.push(tier);
    }
    tiers
}

impl<T: Ord + Clone> Search<T> {
    /// Begins when all of these together were refused. The tiers are groups of objects, the most suspicious first: those
    /// that a text names, those that changed since something was accepted, and all. Within a tier, what is younger should
    /// come later: of two that clash the later one is left out.
    pub fn new(tiers: impl IntoIterator<Item = Vec<T>>) -> Self {
        let mut known = BTreeSet::new();
        let mut own = |tier: Vec<T>| -> Vec<T> {
            tier.into_iter().filter(|object| known.insert(object.clone())).collect()
        };
        let tiers: Vec<Vec<T>> = tiers.into_iter().map(&mut own).filter(|tier| !tier.is_empty()).collect();
        let stage = if tiers.is_empty() { Stage::Innocent } else { Stage::Suspicion(0) };
        Self { tiers, stage }
    }

    /// What to do next. It stays the same until an answer comes.
    pub fn next(&self) -> Next<T> {
        match &self.stage {
            Stage::Suspicion(last) => Next::Try(self.tiers[..=*last].iter().flatten().cloned().collect()),
            Stage::Line(line) => line.next(),
            Stage::Innocent => {
                let count: usize = self.tiers.iter().map(Vec::len).sum();
                let words = format!(
                    "the configuration is refused even without all {count} objects that were selected: look at what \
                     the workload itself says"
                );
                Next::Innocent(words)
            }
        }
    }

    /// How the last try went.
    pub fn answer(&mut self, accepted: bool) {
        match &mut self.stage {
            Stage::Suspicion(last) if accepted => {
                // This tier comes first, and without the ones before it that was tried.
                let bad = Some(self.tiers[*last].len());
                let objects: Vec<T> = self.tiers[..=*last].iter().rev().flatten().cloned().collect();
                let mut line = Line { objects, culprits: BTreeSet::new(), good: 0, bad };
                line.settle();
                self.stage = Stage::Line(line);
            }
            Stage::Suspicion(last) if *last + 1 < self.tiers.len() => *last += 1,
            Stage::Suspicion(_) => self.stage = Stage::Innocent,
            Stage::Line(line) => line.answer(accepted),
            Stage::Innocent => {}
        }
    }

    /// Whether it is about this object as far as it has come: what is known would not hold if it were another one.
    pub fn concerns(&self, object: &T) -> bool {
        match &self.stage {
            // What is left in is only supposed to be good.
            Stage::Suspicion(_) => self.tiers.iter().any(|tier| tier.contains(object)),
            Stage::Line(line) => line.objects.contains(object),
            Stage::Innocent => false,
        }
    }

    /// Those of whom it is known already that they are culprits.
    pub fn culprits(&self) -> impl Iterator<Item = &T> {
        let line = match &self.stage {
            Stage::Line(line) => Some(line),
            Stage::Suspicion(_) | Stage::Innocent => None,
        };
        line.into_iter().flat_map(|line| &line.culprits)
    }

    /// How many tries there are at most.
    pub fn longest(&self) -> usize {
        let count: usize = self.tiers.iter().map(Vec::len).sum();
        let halvings = count.next_power_of_two().trailing_zeros() as usize;
        self.tiers.len() + (CULPRITS + 1) * (halvings + 1)
    }
}

impl<T: Ord + Clone> Line<T> {
    /// Where the next try ends: in the middle of what is not known, or at the end.
    fn middle(&self) -> usize {
        self.bad.map_or(self.objects.len(), |bad| usize::midpoint(self.good, bad))
    }

    fn next(&self) -> Next<T> {
        if self.good == self.objects.len() || self.culprits.len() >= CULPRITS {
            return Next::Found(self.culprits.clone());
        }
        Next::Try(self.without(self.middle()))
    }

    /// The culprits, and everything from here on.
    fn without(&self, from: usize) -> BTreeSet<T> {
        self.culprits.iter().chain(&self.objects[from..]).cloned().collect()
    }

    fn answer(&mut self, accepted: bool) {
        let tried = self.middle();
        if accepted {
            self.good = tried;
        } else {
            self.bad = Some(tried);
        }
        self.settle();
    }

    /// The first object with which it is bad is a culprit.
    fn settle(&mut self) {
        if let Some(bad) = self.bad
            && bad == self.good + 1
        {
            self.culprits.insert(self.objects[self.good].clone());
            self.good = bad;
            self.bad = None;
        }
    }
}

#[cfg(test)]
mod tests;
