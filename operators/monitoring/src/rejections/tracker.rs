//! Which resources the operand of one workload rejects. When a configuration is rejected, the tracker searches for the
//! resources that cause it and excludes them from the configuration. Pure: the caller writes the configuration without
//! the excluded resources and records how the pods responded.
//!
//! During a search, resources that are new to it are excluded too, until the search ends. If a resource that the search
//! is about changes, or the operand changes, the search ends and everything is tried again: the response of another
//! operand does not hold for this one.
//!
//! A search finds one cause after the other. Each is recorded at once, with the error that the operand reported.

use std::collections::{BTreeMap, BTreeSet};

use crate::loaded::content::Content;
use crate::rejections::operand::OperandState;
use crate::rejections::record::{Rejection, Rejections, ResourceState};
use crate::rejections::resource::ResourceRef;
use crate::rejections::search::{self, Next, Search};

/// How the pods responded to a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadResult {
    /// A pod runs it.
    Accepted,
    /// A pod rejects it with this error, which may quote secrets.
    Rejected(String),
}

/// What is known about rejections by the operand of one workload.
#[derive(Debug, Clone, Default)]
pub struct RejectionTracker {
    /// The current operand.
    operand: OperandState,
    rejections: Rejections,
    /// Resources that were rejected in another state of theirs or of the operand. They are tried again, and are the first
    /// suspects if that fails.
    retried: BTreeSet<ResourceRef>,
    search: Option<ActiveSearch>,
    /// A rejected content for which the search found no cause, and the message about it.
    unexplained: Option<(Content, String)>,
    /// Whether the last recorded result is a rejection.
    is_rejected: bool,
}

/// A search in progress.
#[derive(Debug, Clone)]
struct ActiveSearch {
    search: Search<ResourceRef>,
    /// The resources that it covers.
    states: BTreeMap<ResourceRef, ResourceState>,
    /// Resources that were created or changed since it started.
    held_back: BTreeSet<ResourceRef>,
    /// The content of the current attempt, once it is written.
    attempt: Option<Content>,
    /// The last error of the operand.
    error: String,
    /// The content whose rejection started the search.
    rejected: Content,
}

/// What a search starts with.
#[derive(Debug, Clone, Default)]
pub struct Suspects {
    /// All resources in the configuration, and their states.
    pub states: BTreeMap<ResourceRef, ResourceState>,
    /// The resources that the error names.
    pub named: BTreeSet<ResourceRef>,
    /// The resources that were in no configuration that was accepted. Excluding them takes nothing away from a server.
    pub new: BTreeSet<ResourceRef>,
    /// All resources, the most suspicious first: those that changed last.
    pub ranked: Vec<ResourceRef>,
    /// Whether a server runs. A running server loses excluded resources, but keeps its configuration when it rejects an
    /// attempt. A server that does not run needs any configuration that it can start with.
    pub is_running: bool,
}

impl Suspects {
    /// Groups of resources, the most suspicious group first; within a group, the most suspicious resource last.
    fn tiers(self, retried: &BTreeSet<ResourceRef>) -> Vec<Vec<ResourceRef>> {
        let these = |some: &BTreeSet<ResourceRef>| {
            self.ranked.iter().rev().filter(|resource| some.contains(resource)).cloned().collect()
        };
        let mut tiers: Vec<Vec<ResourceRef>> = vec![these(&self.named), these(retried), these(&self.new)];
        if self.is_running {
            tiers.extend(search::doubling(self.ranked));
        } else {
            tiers.push(self.ranked.into_iter().rev().collect());
        }
        tiers
    }
}

impl RejectionTracker {
    /// Restores what an earlier process recorded in the annotation.
    pub fn restore(&mut self, annotation: &str) {
        self.rejections = Rejections::from_annotation(annotation);
    }

    /// The rejected resources.
    pub fn rejections(&self) -> &Rejections {
        &self.rejections
    }

    /// Whether a search is in progress.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Whether nothing is known to be rejected.
    pub fn is_idle(&self) -> bool {
        !self.is_searching() && self.rejections.is_empty() && self.unexplained.is_none() && !self.is_rejected
    }

    /// The message about a rejected content for which no cause was found.
    pub fn unexplained(&self) -> Option<&str> {
        self.unexplained.as_ref().map(|(_, message)| message.as_str())
    }

    /// The resources that the configuration is written without.
    pub fn excluded(&self) -> BTreeSet<ResourceRef> {
        let mut excluded = self.rejections.resources();
        if let Some(active) = &self.search {
            excluded.extend(active.held_back.iter().cloned());
            match active.search.next() {
                Next::Try(some) | Next::Found(some) => excluded.extend(some),
                Next::NotFound(_) => {}
            }
        }
        excluded
    }

    /// Compares what is known with the current operand and with all resources that the configuration could contain. What
    /// was rejected in another state is forgotten.
    pub fn update(&mut self, operand: OperandState, current: &BTreeMap<ResourceRef, ResourceState>) {
        self.retried.extend(self.rejections.retain(&operand, current));
        if self.operand != operand {
            self.operand = operand;
            (self.search, self.unexplained) = (None, None);
        }
        let Some(active) = &mut self.search else { return };
        let mut changed =
            active.states.iter().filter(|(resource, state)| current.get(resource) != Some(state));
        if changed.any(|(resource, _)| active.search.concerns(resource)) {
            self.search = None;
            return;
        }
        let is_known = |resource: &ResourceRef, state: &ResourceState| {
            active.states.get(resource) == Some(state) || self.rejections.get(resource).is_some()
        };
        let unknown = current.iter().filter(|(resource, state)| !is_known(resource, state));
        active.held_back = unknown.map(|(resource, _)| resource.clone()).collect();
    }

    /// Sets the content that is written now.
    pub fn set_content(&mut self, content: &Content) {
        if let Some(active) = &mut self.search {
            active.attempt = Some(content.clone());
        }
        self.unexplained.take_if(|(unexplained, _)| unexplained != content);
    }

    /// Whether a rejection of this content is a reason to start a search.
    pub fn should_search(&self, content: &Content) -> bool {
        let is_unexplained = self.unexplained.as_ref().is_some_and(|(unexplained, _)| unexplained == content);
        !self.is_searching() && !is_unexplained
    }

    /// Starts a search for the causes of a rejection by the current operand.
    pub fn start_search(&mut self, rejected: Content, error: String, suspects: Suspects) {
        self.search = Some(ActiveSearch {
            states: suspects.states.clone(),
            search: Search::new(suspects.tiers(&self.retried)),
            held_back: BTreeSet::new(),
            attempt: None,
            error,
            rejected,
        });
        self.end_finished_search();
    }

    /// Records how the pods responded to a content. During a search only responses to the current attempt count.
    /// `describe` turns an error about a resource into a message without secrets.
    pub fn record_result(
        &mut self,
        content: &Content,
        result: LoadResult,
        describe: &dyn Fn(&ResourceRef, &str) -> String,
    ) {
        let is_accepted = result == LoadResult::Accepted;
        self.is_rejected = !is_accepted;
        let Some(active) = &mut self.search else {
            if is_accepted {
                self.retried.clear();
                self.unexplained.take_if(|(unexplained, _)| unexplained == content);
            }
            return;
        };
        if active.attempt.as_ref() != Some(content) {
            return;
        }
        active.attempt = None;
        active.search.answer(is_accepted);
        if let LoadResult::Rejected(error) = result {
            active.error = error;
        }
        // The last rejected attempt contained this cause and no other one, so the error is about it.
        for resource in active.search.causes() {
            let Some(state) = active.states.get(resource).cloned() else { continue };
            self.rejections.insert_new(resource, || {
                let message = describe(resource, &active.error);
                Rejection { state, operand: self.operand.clone(), message }
            });
        }
        self.end_finished_search();
    }

    /// Ends a search that has nothing more to try.
    fn end_finished_search(&mut self) {
        let Some(active) = &self.search else { return };
        match active.search.next() {
            Next::Try(_) => return,
            Next::Found(_) => {}
            Next::NotFound(message) => self.unexplained = Some((active.rejected.clone(), message)),
        }
        self.search = None;
    }
}

#[cfg(test)]
mod tests;
