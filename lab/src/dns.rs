//! Sends one query to a name server, to check that the DNS of a cluster works.

use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::timeout;

/// How long a response may take. A running server responds within a millisecond.
const TIMEOUT: Duration = Duration::from_millis(500);

/// The ID of the query, which the response repeats.
const QUERY_ID: [u8; 2] = *b"ms";

/// Whether the server has an address for this name.
pub(crate) async fn resolves(server: Ipv4Addr, name: &str) -> bool {
    let query = async {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).await.ok()?;
        socket.send_to(&question(name), (server, 53)).await.ok()?;
        let mut answer = [0; 512];
        let length = socket.recv(&mut answer).await.ok()?;
        Some(is_address(&answer[..length]))
    };
    timeout(TIMEOUT, query).await.ok().flatten().unwrap_or(false)
}

/// A question for the IPv4 addresses of a name.
fn question(name: &str) -> Vec<u8> {
    let mut packet = QUERY_ID.to_vec();
    // Flags: recursion is desired. One question and no other records.
    packet.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    for label in name.split('.') {
        packet.push(u8::try_from(label.len()).unwrap_or(u8::MAX));
        packet.extend(label.as_bytes());
    }
    // The root, then type A and class IN.
    packet.extend([0, 0, 1, 0, 1]);
    packet
}

/// Whether a packet is the response to the query, without an error and with at least one record.
fn is_address(packet: &[u8]) -> bool {
    let is_answer =
        packet.get(..2) == Some(&QUERY_ID[..]) && packet.get(2).is_some_and(|flags| flags & 0x80 != 0);
    let no_error = packet.get(3).is_some_and(|flags| flags % 16 == 0);
    let records = packet.get(6..8).is_some_and(|count| count != [0, 0]);
    is_answer && no_error && records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_the_format_of_the_protocol() {
        assert_eq!(
            question("a.bc"),
            b"ms\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01a\x02bc\x00\x00\x01\x00\x01"
        );
    }

    #[test]
    fn only_a_response_with_a_record_is_accepted() {
        assert!(is_address(b"ms\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"));
        assert!(!is_address(b"ms\x81\x83\x00\x01\x00\x00\x00\x00\x00\x00"), "no such name");
        assert!(!is_address(b"ms\x01\x00\x00\x01\x00\x01\x00\x00\x00\x00"), "a question");
        assert!(!is_address(b"xx\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"), "the response to another query");
        assert!(!is_address(b"ms"));
    }
}
