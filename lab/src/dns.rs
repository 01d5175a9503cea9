//! One query to a name server: does this name exist? Just enough to see that the cluster's DNS works.

use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::timeout;

/// How long an answer may take: a server that is there answers in a millisecond.
const PATIENCE: Duration = Duration::from_millis(500);

/// The number of our question, which the answer repeats.
const NUMBER: [u8; 2] = *b"ms";

/// Whether the server has an address for this name.
pub(crate) async fn knows(server: Ipv4Addr, name: &str) -> bool {
    let ask = async {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).await.ok()?;
        socket.send_to(&question(name), (server, 53)).await.ok()?;
        let mut answer = [0; 512];
        let length = socket.recv(&mut answer).await.ok()?;
        Some(is_address(&answer[..length]))
    };
    timeout(PATIENCE, ask).await.ok().flatten().unwrap_or(false)
}

/// A question for the IPv4 addresses of a name.
fn question(name: &str) -> Vec<u8> {
    let mut packet = NUMBER.to_vec();
    // A query that wants recursion, with one question and nothing else.
    packet.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    for label in name.split('.') {
        packet.push(u8::try_from(label.len()).unwrap_or(u8::MAX));
        packet.extend(label.as_bytes());
    }
    // The root, then type A and class IN.
    packet.extend([0, 0, 1, 0, 1]);
    packet
}

/// Whether a packet is the answer to our question, without an error and with at least one record.
fn is_address(packet: &[u8]) -> bool {
    let is_answer =
        packet.get(..2) == Some(&NUMBER[..]) && packet.get(2).is_some_and(|flags| flags & 0x80 != 0);
    let no_error = packet.get(3).is_some_and(|flags| flags % 16 == 0);
    let records = packet.get(6..8).is_some_and(|count| count != [0, 0]);
    is_answer && no_error && records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_written_as_the_protocol_wants_it() {
        assert_eq!(
            question("a.bc"),
            b"ms\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01a\x02bc\x00\x00\x01\x00\x01"
        );
    }

    #[test]
    fn only_an_answer_with_a_record_counts() {
        assert!(is_address(b"ms\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"));
        assert!(!is_address(b"ms\x81\x83\x00\x01\x00\x00\x00\x00\x00\x00"), "no such name");
        assert!(!is_address(b"ms\x01\x00\x00\x01\x00\x01\x00\x00\x00\x00"), "a question");
        assert!(!is_address(b"xx\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"), "somebody else's");
        assert!(!is_address(b"ms"));
    }
}
