//! A configuration that an operand refuses: whom it is about is searched for, and left out from then on. Pure: who writes
//! and who asks the pods is told what to leave out, and tells how that was taken.
//!
//! While a search is under way, objects that it does not know stay out too: they come in when it is over. If one that it is
//! about changes, or the operand, everything is tried anew: what a changed operand takes or does not says nothing about
//! what the one from before would have.
//!
//! A search finds a culprit after the other, and each is remembered at once, with what the operand said about it.

use std::collections::{BTreeMap, BTreeSet};

use crate::loaded::bisect::{self, Next, Search};
use crate::loaded::operand::Operand;
use crate::loaded::subject::Subject;
use crate::loaded::verdicts::{Refusal, Stamp, Verdicts};

/// How what was written was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Some pod runs it.
    Accepted,
    /// Some pod refuses it, with this text. It may quote secrets.
    Refused(String),
}

/// What is known of refusals by the operand of one workload. `C` tells one content of what pods mount from another.
#[derive(Debug, Clone)]
pub struct Doubt<C> {
    /// Who is asked now.
    operand: Operand,
    verdicts: Verdicts,
    /// Those that were refused in another state, of the operand or of their own: they are tried again, and are the first
    /// suspects if that goes wrong.
    former: BTreeSet<Subject>,
    hunt: Option<Hunt<C>>,
    /// A content that is refused and for which nobody was found, and what is told about it.
    hopeless: Option<(C, String)>,
    /// What was heard last is a refusal.
    is_refused: bool,
}

/// A search under way.
#[derive(Debug, Clone)]
struct Hunt<C> {
    search: Search<Subject>,
    /// What it knows.
    objects: BTreeMap<Subject, Stamp>,
    /// Objects that came or changed since.
    strangers: BTreeSet<Subject>,
    /// What is written for the present try.
    tried: Option<C>,
    /// What the operand said last.
    text: String,
    /// What was refused in the beginning.
    first: C,
}

/// What is needed to begin a search.
#[derive(Debug, Clone, Default)]
pub struct Suspicion {
    /// Everything that was written, and the state that it was in.
    pub objects: BTreeMap<Subject, Stamp>,
    /// Those that the operand names.
    pub named: BTreeSet<Subject>,
    /// Those that were not there when something was last accepted: nobody misses them.
    pub fresh: BTreeSet<Subject>,
    /// All, the most suspicious first: of two, the one that changed later.
    pub row: Vec<Subject>,
    /// Whether a server runs, which would have to do without what is left out. It keeps what it has when it refuses
    /// something; one that does not run needs whatever it can start with.
    pub is_running: bool,
}

impl Suspicion {
    /// The most suspicious first; within a tier, the last.
    fn tiers(self, former: &BTreeSet<Subject>) -> Vec<Vec<Subject>> {
        let these = |some: &BTreeSet<Subject>| {
            self.row.iter().rev().filter(|subject| some.contains(subject)).cloned().collect()
        };
        let mut tiers: Vec<Vec<Subject>> = vec![these(&self.named), these(former), these(&self.fresh)];
        if self.is_running {
            tiers.extend(bisect::doubling(self.row));
        } else {
            tiers.push(self.row.into_iter().rev().collect());
        }
        tiers
    }
}

impl<C> Default for Doubt<C> {
    fn default() -> Self {
        Self {
            operand: Operand::default(),
            verdicts: Verdicts::default(),
            former: BTreeSet::new(),
            hunt: None,
            hopeless: None,
            is_refused: false,
        }
    }
}

impl<C: PartialEq + Clone> Doubt<C> {
    /// What an earlier process knew.
    pub fn recall(&mut self, annotation: &str) {
        self.verdicts = Verdicts::of_annotation(annotation);
    }

    /// The refused objects.
    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// Whether a search is under way.
    pub fn is_searching(&self) -> bool {
        self.hunt.is_some()
    }

    /// Whether nothing is refused, as far as is known.
    pub fn is_idle(&self) -> bool {
        self.hunt.is_none() && self.verdicts.is_empty() && self.hopeless.is_none() && !self.is_refused
    }

    /// What is told about a content for which nobody was found.
    pub fn hopeless(&self) -> Option<&str> {
        self.hopeless.as_ref().map(|(_, words)| words.as_str())
    }

    /// What is not to be written.
    pub fn left_out(&self) -> BTreeSet<Subject> {
        let mut out = self.verdicts.subjects();
        if let Some(hunt) = &self.hunt {
            out.extend(hunt.strangers.iter().cloned());
            match hunt.search.next() {
                Next::Try(some) | Next::Found(some) => out.extend(some),
                Next::Innocent(_) => {}
            }
        }
        out
    }

    /// Takes notice of what there is now: everything that could be written, for the operand that is asked for.
    pub fn notice(&mut self, operand: Operand, now: &BTreeMap<Subject, Stamp>) {
        self.former.extend(self.verdicts.retain(&operand, |subject| now.get(subject)));
        if self.operand != operand {
            self.operand = operand;
            (self.hunt, self.hopeless) = (None, None);
        }
        let Some(hunt) = &mut self.hunt else { return };
        let is_other = |subject: &Subject, stamp: &Stamp| now.get(subject) != Some(stamp);
        let other: Vec<&Subject> = hunt
            .objects
            .iter()
            .filter(|(subject, stamp)| is_other(subject, stamp))
            .map(|(it, _)| it)
            .collect();
        if other.iter().any(|subject| hunt.search.concerns(subject)) {
            self.hunt = None;
            return;
        }
        let known = |subject: &Subject, stamp: &Stamp| {
            hunt.objects.get(subject) == Some(stamp) || self.verdicts.of(subject).is_some()
        };
        let strangers = now.iter().filter(|(subject, stamp)| !known(subject, stamp));
        hunt.strangers = strangers.map(|(subject, _)| subject.clone()).collect();
    }

    /// What is written now.
    pub fn writes(&mut self, content: &C) {
        if let Some(hunt) = &mut self.hunt {
            hunt.tried = Some(content.clone());
        }
        if self.hopeless.as_ref().is_some_and(|(hopeless, _)| hopeless != content) {
            self.hopeless = None;
        }
    }

    /// Whether it is worth while to search because this was refused.
    pub fn is_new(&self, content: &C) -> bool {
        self.hunt.is_none() && self.hopeless.as_ref().is_none_or(|(hopeless, _)| hopeless != content)
    }

    /// Begins to search, for the operand of which notice was taken last.
    pub fn begin(&mut self, content: C, text: String, suspicion: Suspicion) {
        let objects = suspicion.objects.clone();
        let search = Search::new(suspicion.tiers(&self.former));
        let hunt = Hunt { search, objects, strangers: BTreeSet::new(), tried: None, text, first: content };
        self.hunt = Some(hunt);
        self.settle();
    }

    /// How a content was taken. What is not about the present try says nothing. `words` tells what the operand says about
    /// an object, for anybody to read.
    pub fn answer(&mut self, content: &C, taken: Taken, words: &dyn Fn(&Subject, &str) -> String) {
        let accepted = taken == Taken::Accepted;
        self.is_refused = !accepted;
        let Some(hunt) = &mut self.hunt else {
            if accepted {
                self.former.clear();
                self.hopeless = self.hopeless.take().filter(|(hopeless, _)| hopeless != content);
            }
            return;
        };
        if hunt.tried.as_ref() != Some(content) {
            return;
        }
        hunt.tried = None;
        hunt.search.answer(accepted);
        if let Taken::Refused(text) = taken {
            hunt.text = text;
        }
        // What was refused last held one culprit, and no other: the text is about it.
        let known: Vec<&Subject> =
            hunt.search.culprits().filter(|subject| self.verdicts.of(subject).is_none()).collect();
        for subject in known {
            let Some(stamp) = hunt.objects.get(subject).cloned() else { continue };
            let refusal = Refusal { stamp, operand: self.operand.clone(), words: words(subject, &hunt.text) };
            self.verdicts.refuse(subject.clone(), refusal);
        }
        self.settle();
    }

    /// Ends a search that has nothing more to try.
    fn settle(&mut self) {
        let Some(hunt) = &self.hunt else { return };
        match hunt.search.next() {
            Next::Try(_) => return,
            Next::Found(_) => {}
            Next::Innocent(words) => self.hopeless = Some((hunt.first.clone(), words)),
        }
        self.hunt = None;
    }
}

#[cfg(test)]
mod tests;
