//! A stand-in for the reloaders: they report that the last configuration is loaded. One server implements all of them, like a
//! reloader that reports no hashes, only the time of the last success. That time is in the future, so that it is after every
//! write.

use std::net::{IpAddr, Ipv4Addr};

use anyhow::{Context, Result};
use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;

/// The port of reloaders.
const PORT: u16 = 8080;

/// How far in the future the last success is, in seconds.
const AHEAD: i64 = 3600;

/// Listens on an address that is unique to this process, so that several runs can run at the same time.
pub(super) async fn listen() -> Result<(IpAddr, impl Future<Output = ()> + Send + 'static)> {
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    let address = IpAddr::V4(Ipv4Addr::new(127, 64 | high & 0x3f, middle, low));
    let listener = TcpListener::bind((address, PORT)).await;
    let listener = listener.with_context(|| format!("cannot listen at {address}:{PORT} for reloaders"))?;
    let router = Router::new().route("/metrics", get(async || metrics()));
    let serving = async move {
        // An error shows as plans that fail.
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
