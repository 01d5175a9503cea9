//! The StatefulSet of one shard of an agent.

use k8s_openapi::api::apps::v1::StatefulSet;

use super::{arguments, image};
use crate::prometheus::pods::flags::Flags;
use crate::prometheus::pods::instance::Instance;
use crate::prometheus::pods::pod::{self, Draft, PodError};
use crate::prometheus::pods::shard::{self, Built, Shard, StatefulSetError};
use crate::prometheus::pods::topology;
use crate::prometheus::pods::volumes::{Data, Volumes};

/// The StatefulSet.
pub fn build(instance: &Instance<'_>, shard: &Shard<'_>) -> Result<Built<StatefulSet>, StatefulSetError> {
    let mut flags = Flags::new(&instance.version);
    let draft = draft(instance, shard, &mut flags).map_err(StatefulSetError)?;
    let selector = draft.selector.clone();
    let template = pod::build(instance, shard.operator, draft).map_err(StatefulSetError)?;
    let object = shard::assemble(instance, shard, selector, template);
    Ok(Built { object, left_out: flags.left_out })
}

fn draft<'d>(
    instance: &'d Instance<'_>,
    shard: &Shard<'_>,
    flags: &mut Flags<'_>,
) -> Result<Draft<'d>, PodError> {
    let image = image(instance, shard.operator)?;
    arguments::put(instance, flags);
    let mut volumes = Volumes::shared(instance, shard.tls_secrets, Data::Kept)?;
    volumes.put_web_config(instance, flags)?;
    let place = topology::place(instance.spec, shard.operator, shard.number);
    Ok(Draft {
        image,
        arguments: std::mem::take(&mut flags.arguments),
        volumes,
        values: topology::values(place, shard.number),
        node_selector: topology::node_selector(instance.spec, place),
        selector: instance.selector(shard.operator, Some(shard.number)),
        ..Draft::default()
    })
}
