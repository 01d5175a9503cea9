//! A configuration that an operand refuses: whom it is about is searched for, and left out from then on. Pure: who writes
//! and who asks the pods is told what to leave out, and tells how that was taken.
//!
//! While a search is under way, objects that it does not know stay out too: they come in when it is over. If one that it is
//! about changes, everything is tried anew.

use std::collections::{BTreeMap, BTreeSet};

use crate::bisect::{Next, Search};
use crate::subject::Subject;
use crate::verdicts::{Refusal, Stamp, Verdicts};

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
    verdicts: Verdicts,
    hunt: Option<Hunt<C>>,
    /// A content that is refused and for which nobody was found, and what is told about it.
    hopeless: Option<(C, String)>,
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
#[derive(Debug, Clone)]
pub struct Suspicion {
    /// Everything that was written, and the state that it was in.
    pub objects: BTreeMap<Subject, Stamp>,
    /// Those that the operand names.
    pub named: BTreeSet<Subject>,
    /// Those that changed since something was accepted.
    pub changed: BTreeSet<Subject>,
}

impl<C> Default for Doubt<C> {
    fn default() -> Self {
        Self { verdicts: Verdicts::default(), hunt: None, hopeless: None }
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

    /// Whether nobody is under suspicion.
    pub fn is_idle(&self) -> bool {
        self.hunt.is_none() && self.verdicts.is_empty()
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
                Next::Try(some) | Next::Found(some) | Next::GaveUp { leave_out: some, .. } => {
                    out.extend(some);
                }
            }
        }
        out
    }

    /// Takes notice of what there is now: everything that could be written, for the operand that is asked for.
    pub fn notice(&mut self, by: &str, now: &BTreeMap<Subject, Stamp>) {
        self.verdicts.retain(by, |subject| now.get(subject).cloned());
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

    /// Begins to search.
    pub fn begin(&mut self, content: C, text: String, suspicion: Suspicion) {
        let Suspicion { objects, named, changed } = suspicion;
        let all = objects.keys().cloned().collect();
        let search = Search::new([named.into_iter().collect(), changed.into_iter().collect(), all]);
        let hunt = Hunt { search, objects, strangers: BTreeSet::new(), tried: None, text, first: content };
        self.hunt = Some(hunt);
        self.settle("", &|_, _| String::new());
    }

    /// How a content was taken. What is not about the present try says nothing. `words` tells what the operand says about
    /// an object, for anybody to read.
    pub fn answer(&mut self, content: &C, taken: Taken, by: &str, words: &dyn Fn(&Subject, &str) -> String) {
        let Some(hunt) = &mut self.hunt else { return };
        if hunt.tried.as_ref() != Some(content) {
            return;
        }
        hunt.tried = None;
        hunt.search.answer(taken == Taken::Accepted);
        if let Taken::Refused(text) = taken {
            hunt.text = text;
        }
        self.settle(by, words);
    }

    /// Ends a search that has nothing more to try.
    fn settle(&mut self, by: &str, words: &dyn Fn(&Subject, &str) -> String) {
        let Some(hunt) = &self.hunt else { return };
        let (out, reason) = match hunt.search.next() {
            Next::Try(_) => return,
            Next::Found(culprits) => (culprits, None),
            Next::GaveUp { leave_out, words } => (leave_out, Some(words)),
        };
        for subject in &out {
            let Some(stamp) = hunt.objects.get(subject).cloned() else { continue };
            let words = words(subject, &hunt.text);
            self.verdicts.refuse(subject.clone(), Refusal { stamp, by: by.to_owned(), words });
        }
        if out.is_empty() {
            self.hopeless = reason.map(|words| (hunt.first.clone(), words));
        }
        self.hunt = None;
    }
}

#[cfg(test)]
mod tests;
