//! A configuration that the operand refuses: the way from what pods say to what is left out. `crate::loaded::doubt`
//! decides.

mod order;
mod program;
mod state;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::loaded::ask::Reloaded;
use crate::loaded::culprit;
use crate::loaded::doubt::{Suspicion, Taken};
use crate::loaded::fingerprint;
use crate::loaded::parts::Parts;
use crate::loaded::subject::{self, Subject};
use crate::loaded::verdicts::Stamp;
use crate::loaded::words;
use crate::plan::{Configuration, LeftOut, Planned};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::Timestamp;
use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::object::Key;
use kernel::stores::Stores;
use serde_json::Value;

use crate::controller::{Inputs, WorkloadOperator};
use crate::follow::{Place, Record};
use crate::kind::{Judged, Seen, Workload};
use crate::kinds;
use crate::load::{self, Content, Said};
use crate::mounts;
use crate::shared::held;

pub(crate) use order::Accepted;
pub(crate) use program::Program;
pub(crate) use state::operand;

/// What was heard about a content.
pub(crate) type Heard = Option<Hearing>;

/// What pods say about a content.
#[derive(Debug, Clone)]
pub(crate) struct Hearing {
    content: Content,
    taken: Taken,
    /// Whether a server runs, this content or another one.
    is_running: bool,
}

fn subject(kind: Kind, key: &Key) -> Option<Subject> {
    let kind = match kind {
        kinds::SERVICE_MONITOR => subject::Kind::ServiceMonitor,
        kinds::POD_MONITOR => subject::Kind::PodMonitor,
        kinds::PROBE => subject::Kind::Probe,
        kinds::SCRAPE_CONFIG => subject::Kind::ScrapeConfig,
        kinds::RULE => subject::Kind::PrometheusRule,
        kinds::ALERTMANAGER_CONFIG => subject::Kind::AlertmanagerConfig,
        _ => return None,
    };
    Some(Subject::new(kind, &*key.namespace, &*key.name))
}

fn kind(subject: &Subject) -> Kind {
    match subject.kind {
        subject::Kind::ServiceMonitor => kinds::SERVICE_MONITOR,
        subject::Kind::PodMonitor => kinds::POD_MONITOR,
        subject::Kind::Probe => kinds::PROBE,
        subject::Kind::ScrapeConfig => kinds::SCRAPE_CONFIG,
        subject::Kind::PrometheusRule => kinds::RULE,
        subject::Kind::AlertmanagerConfig => kinds::ALERTMANAGER_CONFIG,
    }
}

/// What a plan leaves out.
pub(crate) fn left_out(subjects: &BTreeSet<Subject>) -> LeftOut {
    let mut out = LeftOut::default();
    for subject in subjects {
        let names = match subject.kind {
            subject::Kind::ServiceMonitor => &mut out.service_monitors,
            subject::Kind::PodMonitor => &mut out.pod_monitors,
            subject::Kind::Probe => &mut out.probes,
            subject::Kind::ScrapeConfig => &mut out.scrape_configs,
            subject::Kind::PrometheusRule => &mut out.rules,
            subject::Kind::AlertmanagerConfig => &mut out.alertmanager_configs,
        };
        names.insert(format!("{}/{}", subject.namespace, subject.name));
    }
    out
}

/// Everything that could be written, and the state that it is in.
pub(crate) fn stamps(judged: &[Judged<'_>]) -> BTreeMap<Subject, Stamp> {
    let taken = judged.iter().filter(|one| one.refusal.is_none());
    taken.filter_map(|one| Some((subject(one.kind, one.object.key())?, stamp(one)))).collect()
}

fn stamp(one: &Judged<'_>) -> Stamp {
    let read = if one.read.is_empty() {
        String::new()
    } else {
        crate::loaded::operand::short(&fingerprint::configuration(format!("{:?}", one.read).as_bytes()))
    };
    Stamp { uid: one.object.uid().to_owned(), generation: one.object.generation(), read }
}

/// The pods that run what the workload asks for, as far as anybody can tell.
fn up_to_date<'s>(seen: &'s Seen, program: Option<&Program>) -> Cow<'s, [Pod]> {
    let counts = |pod: &&Pod| program.is_none_or(|program| program.is_run_by(pod, &seen.sets));
    if seen.pods.iter().all(|pod| counts(&pod)) {
        return Cow::Borrowed(&seen.pods);
    }
    Cow::Owned(seen.pods.iter().filter(counts).cloned().collect())
}

impl<M> Place<M> {
    /// What became of what is selected, with what the operand refuses.
    pub(crate) fn with_refused<'m>(&'m self, mut judged: Vec<Judged<'m>>) -> Vec<Judged<'m>> {
        let verdicts = self.doubt.verdicts();
        if verdicts.is_empty() {
            return judged;
        }
        for one in judged.iter_mut().filter(|one| one.refusal.is_none()) {
            let refusal = subject(one.kind, one.object.key()).and_then(|subject| verdicts.of(&subject));
            one.refusal = refusal.map(|refusal| refusal.words.as_str());
        }
        judged
    }
}

impl<W: Workload> WorkloadOperator<W> {
    /// Asks the pods, and takes notice of how they take what was written.
    pub(crate) async fn hear(
        &self,
        resource: &W::Resource,
        inputs: &mut Inputs,
        stores: &Stores,
        now: Timestamp,
    ) -> Result<Heard, PassError> {
        let key = inputs.key.clone();
        if inputs.seen.pods.is_empty() {
            return Ok(None);
        }
        inputs.may_patch_pods =
            self.permissions.may_patch_pods(&self.shared.client, &key.namespace, now).await;
        let home = self.places.of(&key);
        let is_new = held(&home).loading.is_new();
        if is_new {
            inputs.last_written = self.last_written(&key).await?;
        }
        // Taken out, because nobody may hold a lock while he waits.
        let mut loading = std::mem::take(&mut held(&home).loading);
        if let Some(asker) = &self.asker {
            loading.ask(&inputs.seen.pods, W::has_tls(resource), asker, now).await;
        }
        let pods = up_to_date(&inputs.seen, held(&home).program.as_ref());
        let said = loading.taken(&pods);
        held(&home).loading = loading;
        let heard = match said {
            None => None,
            Some((content, Said::Accepted)) => Some((content, Taken::Accepted)),
            Some((content, Said::Refused(pod, words))) => {
                let is_worth_it = {
                    let place = held(&home);
                    place.doubt.is_searching() || place.doubt.is_new(&content)
                };
                let text = if is_worth_it { self.text(resource, pod, words).await } else { None };
                text.map(|text| (content, Taken::Refused(text)))
            }
        };
        let is_running = inputs.seen.pods.iter().any(|pod| load::seen(pod).ready_since.is_some());
        let heard = heard.map(|(content, taken)| Hearing { content, taken, is_running });
        self.take(resource, &key, heard.as_ref(), stores);
        Ok(heard)
    }

    /// What the operand says about what it does not take. It may quote secrets.
    async fn text(&self, resource: &W::Resource, pod: &Pod, words: String) -> Option<String> {
        if let Some(last) = load::last_words(pod) {
            return Some(last);
        }
        let (port, path) = W::reload(resource);
        let (Some(asker), Some(address)) = (&self.asker, load::at(pod, port, W::has_tls(resource))) else {
            return Some(words);
        };
        match asker.reload(address, &path).await {
            Ok(Reloaded::Refused(text)) => Some(text),
            // It has changed its mind: the next look tells.
            Ok(Reloaded::Taken) => None,
            Ok(Reloaded::Other(_)) | Err(_) => Some(words),
        }
    }

    /// An answer takes a search further.
    fn take(&self, resource: &W::Resource, key: &Key, heard: Option<&Hearing>, stores: &Stores) {
        let Some(Hearing { content, taken, .. }) = heard else { return };
        let home = self.places.of(key);
        let mut place = held(&home);
        let is_known = place.good.as_ref().is_some_and(|good| good.is_of(content));
        if *taken == Taken::Accepted && !is_known && !place.doubt.is_searching() {
            let good = Accepted::new(content.clone(), &W::judged(&place.memory), &place.doubt.left_out());
            place.good = Some(good);
        }
        let by = state::by::<W>(resource);
        let tell = |subject: &Subject, text: &str| {
            let object = stores.get(kind(subject), &Key::new(&subject.namespace, &subject.name));
            let object = object.map(|object| object.value().into_owned()).unwrap_or_default();
            let field = culprit::field(&object, text);
            let field = field.map(|(path, value)| format!("{path} ({value:?}): ")).unwrap_or_default();
            format!("{by} refuses it: {field}{}", words::told(text))
        };
        place.doubt.answer(content, taken.clone(), &tell);
    }

    /// After a plan: begins to search if what is planned is what was refused. Whether to go on at once.
    pub(crate) fn suspect(&self, key: &Key, planned: &Planned, heard: Heard) -> bool {
        let home = self.places.of(key);
        let place = &mut *held(&home);
        let program = Program::planned(planned);
        // What was heard was heard from others, unless the pods stay what they are.
        let heard = heard.filter(|_| place.program.is_none() || place.program == program);
        place.program = program;
        let is_running = heard.as_ref().is_some_and(|heard| heard.is_running);
        let refused = match heard {
            Some(Hearing { content, taken: Taken::Refused(text), .. }) => Some((content, text)),
            Some(Hearing { taken: Taken::Accepted, .. }) | None => None,
        };
        if refused.is_none() && !place.doubt.is_searching() && place.doubt.hopeless().is_none() {
            return false;
        }
        let content = mounts::content::<W>(planned, key);
        place.doubt.writes(&content);
        let Some((refused, text)) = refused.filter(|(refused, _)| *refused == content) else { return false };
        if !place.doubt.is_new(&refused) {
            return false;
        }
        let judged = W::judged(&place.memory);
        let out = place.doubt.left_out();
        let mut objects = stamps(&judged);
        objects.retain(|subject, _| !out.contains(subject));
        let files = W::rule_files(&place.memory).into_iter();
        let files = files.filter_map(|(file, key)| Some((file, subject(kinds::RULE, &key)?))).collect();
        let whole = planned.configuration.as_ref().map(Configuration::text).unwrap_or_default();
        let parts = Parts::read(&whole, objects.keys().cloned().collect(), files);
        let named = culprit::find(&text, &parts).objects;
        let (row, fresh) = order::row(&judged, &objects, place.good.as_ref());
        tracing::warn!(workload = %key, "the configuration is refused, and whoever it is about is searched for");
        place.doubt.begin(refused, text, Suspicion { objects, named, fresh, row, is_running });
        true
    }

    /// What is written beside the configuration, so that the next process knows: nothing, if there is nothing to say.
    pub(crate) fn annotation(&self, key: &Key) -> Option<Value> {
        let home = self.places.of(key);
        let place = held(&home);
        match place.doubt.verdicts().annotation() {
            Some(text) => Some(text.into()),
            None => (place.record == Record::Kept).then_some(Value::Null),
        }
    }
}
