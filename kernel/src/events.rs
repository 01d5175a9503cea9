//! Events about resources: how a user hears of something without looking at a status.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};

use crate::declare::Kind;
use crate::flow::Telling;
use crate::object::{Kept, Object};
use crate::report::Note;

/// Posts events. One that cannot be posted is logged: nothing depends on it.
#[derive(Clone)]
pub struct Events {
    recorder: Recorder,
    kind: Kind,
}

impl Events {
    /// About resources of this kind, in the name of this program.
    pub fn new(client: Client, program: &str, instance: Option<String>, kind: Kind) -> Self {
        let reporter = Reporter { controller: program.into(), instance };
        Self { recorder: Recorder::new(client, reporter), kind }
    }
}

impl Telling for Events {
    async fn tell(&self, about: &Object, notes: Vec<Note>) {
        let key = about.key();
        let reference = ObjectReference {
            api_version: Some(self.kind.api_version()),
            kind: Some(self.kind.kind.into()),
            name: Some(key.name.to_string()),
            namespace: Some(key.namespace.to_string()),
            uid: Some(about.identity().uid.to_string()),
            ..ObjectReference::default()
        };
        for Note { alarming, reason, message } in notes {
            let event = Event {
                type_: if alarming { EventType::Warning } else { EventType::Normal },
                reason: reason.into(),
                // The server takes no more.
                note: Some(message.chars().take(1000).collect()),
                action: "Reconcile".into(),
                secondary: None,
            };
            if let Err(error) = self.recorder.publish(&event, &reference).await {
                tracing::warn!(kind = self.kind.kind, %key, reason, "an event could not be posted: {error}");
            }
        }
    }
}
