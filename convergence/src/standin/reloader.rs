//! What the reloaders beside instances say: that whatever was written is loaded. One server answers for all of them, in
//! the way of a reloader that knows no hashes, only when it last succeeded: a time that is still to come, so that it
//! is after every write.

use std::net::{IpAddr, Ipv4Addr};

use anyhow::{Context, Result};
use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;

/// Where operators look for reloaders.
const PORT: u16 = 8080;

/// How far ahead the last success is, in seconds.
const AHEAD: i64 = 3600;

/// Answers at an address of this process alone, so that runs beside each other do not meet.
pub(super) async fn listen() -> Result<(IpAddr, impl Future<Output = ()> + Send + 'static)> {
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    let address = IpAddr::V4(Ipv4Addr::new(127, 64 | high & 0x3f, middle, low));
    let listener = TcpListener::bind((address, PORT)).await;
    let listener = listener.with_context(|| format!("cannot listen at {address}:{PORT} for reloaders"))?;
    let router = Router::new().route("/metrics", get(async || metrics()));
    let serving = async move {
        // It ends with the run; until then plans would say what it does not answer.
        let _ = axum::serve(listener, router).await;
    };
    Ok((address, serving))
}

fn metrics() -> String {
    let success = kernel::clock::timestamp().as_second() + AHEAD;
    format!(
        "reloader_last_reload_successful 1\nreloader_last_reload_success_timestamp_seconds {success}\n\
         reloader_reloads_total 1\n"
    )
}
