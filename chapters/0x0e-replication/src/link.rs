//! The connection to the servers that hold the streams, and the threads that serve it.
//!
//! An engine's threads are ordinary ones: they wait. What speaks to the servers is asynchronous, and runs on a runtime of its
//! own, so that neither holds up the connections of the venue's clients.

use std::future::Future;
use std::sync::mpsc::channel;
use std::time::Duration;

use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions};
use tokio::runtime::Runtime;

use crate::error::ReplicaError;

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
    /// [`ReplicaError::Servers`] when none of them answers.
    pub fn connect(servers: &[String]) -> Result<Link, ReplicaError> {
        let failed = |reason: String| ReplicaError::Servers { servers: shown(servers), reason };
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().thread_name("stream").build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        let options = ConnectOptions::new()
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .ping_interval(Duration::from_secs(1))
            // The operator has said which servers there are, and on which way they are reached.
            .ignore_discovered_servers()
            .reconnect_delay_callback(|attempts| Duration::from_millis(50 * attempts.min(10) as u64));
        let connected = runtime.block_on(options.connect(servers));
        let client = connected.map_err(|error| failed(error.to_string()))?;
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

    /// Does this beside everything else.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }

    /// Waits for this. It may be called on any thread, one of another runtime included.
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

/// Addresses without the user and password that may stand in them.
fn shown(servers: &[String]) -> String {
    let shown = |server: &String| match server.rsplit_once('@') {
        Some((_, address)) => address.to_owned(),
        None => server.clone(),
    };
    servers.iter().map(shown).collect::<Vec<_>>().join(", ")
}
