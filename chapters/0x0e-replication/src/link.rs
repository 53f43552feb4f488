//! The connection to the servers that hold the streams, and the threads that serve it.
//!
//! An engine's threads are ordinary ones, and block. The code that talks to the servers is asynchronous, and runs on a runtime
//! of its own, so that neither holds up the connections of the venue's clients.

use std::future::Future;
use std::io;
use std::sync::mpsc::channel;
use std::time::Duration;

use async_nats::jetstream::context::{PublishAckFuture, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, Context};
use async_nats::rustls::Error as TlsError;
use async_nats::{Client, ConnectError, ServerInfo};
use program::lines::tell_often;
use tokio::runtime::Runtime;

use crate::error::ReplicaError;
use crate::message::MESSAGE_MAX;
use crate::reach::ReachArgs;

/// How long a server has to answer before the question is asked again.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// How many messages may be under way without an answer; far more than any publisher sends.
const UNDER_WAY: usize = 1_024;

/// A connection to the servers.
pub struct Link {
    runtime: Runtime,
    client: Client,
    context: Context,
}

impl Link {
    /// Connects to one of these servers, and to another whenever that one fails.
    ///
    /// # Errors
    /// [`ReplicaError::Servers`] when none of them answers; [`ReplicaError::Handshake`] when they and this machine do not
    /// accept each other's certificates; [`ReplicaError::Payload`] when a message could be too long for them; what [`ReachArgs::options`] refuses.
    pub fn connect(reach: &ReachArgs) -> Result<Link, ReplicaError> {
        let options = reach.options()?;
        let failed = |reason: String| ReplicaError::Servers { servers: reach.shown(), reason };
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().thread_name("stream").build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        let options = options
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .ping_interval(Duration::from_secs(1))
            // The operator has named the servers, and how to reach them.
            .ignore_discovered_servers()
            .reconnect_delay_callback(|attempts| Duration::from_millis(50 * attempts.min(10) as u64));
        let connected = runtime.block_on(options.connect(&*reach.replicas));
        let client = connected.map_err(|error| match handshake(&error) {
            Some(reason) => ReplicaError::Handshake { servers: reach.shown(), reason },
            None => failed(error.to_string()),
        })?;
        let found = client.server_info().max_payload;
        if found < MESSAGE_MAX {
            return Err(ReplicaError::Payload { servers: reach.shown(), found });
        }
        // It starts a task that takes late acknowledgements.
        let entered = runtime.enter();
        let context = jetstream::context::ContextBuilder::new().timeout(PATIENCE).ack_timeout(PATIENCE);
        let context = context.max_ack_inflight(UNDER_WAY).build(client.clone());
        drop(entered);
        Ok(Link { runtime, client, context })
    }

    /// What core messages are sent with: beats and requests, which no server keeps.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// What streams are used with.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Runs this in the background.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }

    /// Waits for this. Any thread may call it, even one of another runtime.
    pub fn wait<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        let (sender, done) = channel();
        let task = self.runtime.spawn(async move {
            let _ = sender.send(work.await);
        });
        match done.recv() {
            Ok(value) => value,
            // It panicked, and so does the thread that waits for it.
            Err(_) => match self.runtime.block_on(task) {
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                ended => unreachable!("{ended:?}"),
            },
        }
    }
}

/// Sends a message, and does not wait until it is there. A server that takes only shorter messages is left for another: it may
/// have been added, or started again with other settings, after this machine had connected.
pub async fn publish(context: &Context, stream: &str, message: PublishMessage) -> Option<PublishAckFuture> {
    let sent = context.send_publish(stream.to_owned(), message).await;
    if sent.as_ref().is_err_and(|error| error.kind() == PublishErrorKind::MaxPayloadExceeded) {
        let client = context.client();
        let ServerInfo { server_name, max_payload, .. } = client.server_info();
        tell_often(
            "payload",
            format_args!(
                "the server {server_name} takes messages of at most {max_payload} bytes, and a frame of the log is longer: \
                 set `max_payload: 8MB` in its file, and start it again; trying another server"
            ),
        );
        let _ = client.force_reconnect().await;
    }
    sent.ok()
}

/// Which side refuses which certificate, if that is why there is no connection.
fn handshake(error: &ConnectError) -> Option<String> {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<io::Error>())?;
    match source.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>()) {
        Some(TlsError::AlertReceived(alert)) => Some(format!(
            "they do not accept this machine ({alert:?}): --replicas-certificate and --replicas-key name what it shows them, \
             signed by an authority that they trust"
        )),
        Some(error) => Some(format!(
            "this machine does not accept them ({error}): --replicas-ca names the authority that signed their certificates, \
             each of which names its server's address"
        )),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use super::*;

    /// What becomes of a connection to a server that takes messages of so many bytes.
    fn connect(max_payload: usize) -> Result<(), ReplicaError> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let server = format!("nats://{}", listener.local_addr().expect("an address"));
        let serving = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().expect("a client");
            let info = r#"INFO {"server_id":"a","server_name":"a","version":"2.11.0","headers":true,"#;
            write!(client, "{info}\"max_payload\":{max_payload}}}\r\n").expect("it listens");
            let lines = BufReader::new(client.try_clone().expect("the same client")).lines();
            for _ in lines.map_while(Result::ok).filter(|line| line == "PING") {
                let _ = client.write_all(b"PONG\r\n");
            }
        });
        let connected = Link::connect(&ReachArgs::plain(vec![server])).map(drop);
        serving.join().expect("it ends with the connection");
        connected
    }

    #[test]
    fn servers_for_which_a_message_could_be_too_long_are_refused_with_what_to_set() {
        // NATS's own default.
        let refused = connect(1 << 20).expect_err("a frame may be longer").to_string();
        assert!(refused.contains("at most 1048576 bytes") && refused.contains("max_payload: 8MB"), "{refused}");
        connect(MESSAGE_MAX).expect("it takes every message");
    }
}
