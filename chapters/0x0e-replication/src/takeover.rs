//! `-- takeover`: asks a standby to take over, and says when it has.

use std::time::{Duration, Instant};

use async_nats::{Client, Message, Subscriber};
use futures_util::{FutureExt, StreamExt};
use program::{Verdict, print};

use crate::beat::Beats;
use crate::error::ReplicaError;
use crate::link::{self, Link};
use crate::reach::ReachArgs;

/// How long a standby may need until it is the primary.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a standby may need to answer. The server that it was connected to may have lost its power with the primary: no message
/// ends that connection, so it takes three pings to notice, and then a try or two until it is connected to another.
const ANSWER: Duration = Duration::from_secs(15);

/// How long to rest before asking again when no standby has heard it.
const REST: Duration = Duration::from_millis(100);

/// Asks a standby to take over from the primary
#[derive(Debug, Clone, clap::Args)]
pub struct TakeoverArgs {
    /// The standby's name; without one, any
    #[arg(value_name = "NAME")]
    pub standby: Option<String>,
    /// The servers.
    #[command(flatten)]
    pub reach: ReachArgs,
    /// The stream's name
    #[arg(long, value_name = "NAME", default_value = "cents")]
    pub stream: String,
}

/// Asks, and waits until the standby is the primary.
///
/// # Errors
/// When no standby answers, or none becomes the primary in time.
pub fn run(args: &TakeoverArgs) -> Result<Verdict, ReplicaError> {
    let link = Link::connect(&args.reach)?;
    let failed = |words: String| ReplicaError::Takeover(words);
    let beats = Beats::hear(&link, &args.stream);
    let mut beats = beats.ok_or_else(|| failed("the servers do not answer: try again".into()))?;
    let (subject, name) = match &args.standby {
        Some(name) => (named(&args.stream), name.clone()),
        None => (any(&args.stream), String::new()),
    };
    let asked = ask(link.client().clone(), subject, name);
    let answer = link.wait(async move { tokio::time::timeout(ANSWER, asked).await.ok().flatten() });
    let Some(answer) = answer else {
        let whom = args.standby.as_deref().unwrap_or("a standby");
        return Err(failed(format!("{whom} does not answer: start one with `-- standby`, and try again")));
    };
    let name = String::from_utf8_lossy(&answer.payload).into_owned();
    let began = Instant::now();
    let own = name.clone();
    let beat = link.wait(async move {
        while began.elapsed() < PATIENCE {
            match beats.within(PATIENCE).await {
                Some(beat) if beat.name == own => return Some(beat),
                _ => {}
            }
        }
        None
    });
    match beat {
        Some(beat) => {
            print(format_args!("{name} is the primary: epoch {}\n", beat.epoch))?;
            Ok(Verdict::Yes)
        }
        None => Err(failed(format!("{name} was asked and did not become the primary in {PATIENCE:?}: see its output"))),
    }
}

/// Asks until there is an answer. It may come late, to a question before the last: a standby that waits for a stream without a
/// leader hears only then that it was asked, and stops listening when it has heard it once.
async fn ask(client: Client, subject: String, name: String) -> Option<Message> {
    let inbox = client.new_inbox();
    let mut answers = client.subscribe(inbox.clone()).await.ok()?;
    loop {
        client.publish_with_reply(subject.clone(), inbox.clone(), name.clone().into()).await.ok()?;
        match tokio::time::timeout(link::PATIENCE, answers.next()).await {
            Ok(Some(answer)) if answer.status.is_none() => return Some(answer),
            // A standby that has just begun to listen is not known to all servers yet.
            Ok(_) => tokio::time::sleep(REST).await,
            // The question went to a server that is gone.
            Err(_) => {}
        }
    }
}

/// Hears whether this machine is to take over.
pub struct Asked {
    link: async_nats::Client,
    named: Subscriber,
    any: Subscriber,
    name: String,
}

impl Asked {
    /// From now on.
    ///
    /// # Errors
    /// When the servers do not answer.
    pub fn listen(link: &Link, stream: &str, name: &str) -> Result<Asked, ReplicaError> {
        let (client, named, any, name) = (link.client().clone(), named(stream), any(stream), name.to_owned());
        let listening = link.wait(async move {
            let named = client.subscribe(named).await.ok()?;
            // Of several standbys, one is asked.
            let any = client.queue_subscribe(any, "standbys".into()).await.ok()?;
            client.flush().await.ok()?;
            Some(Asked { link: client, named, any, name })
        });
        listening.ok_or_else(|| ReplicaError::Takeover("the servers do not answer: start again".into()))
    }

    /// Whether this machine was asked. It has answered then.
    pub fn now(&mut self) -> bool {
        while let Some(Some(request)) = self.named.next().now_or_never() {
            if *request.payload == *self.name.as_bytes() {
                return self.answer(request.reply);
            }
        }
        match self.any.next().now_or_never() {
            Some(Some(request)) => self.answer(request.reply),
            _ => false,
        }
    }

    fn answer(&self, reply: Option<async_nats::Subject>) -> bool {
        if let Some(reply) = reply {
            // The machine that asked gets the beats anyway.
            let _ = self.link.publish(reply, self.name.clone().into()).now_or_never();
        }
        true
    }
}

fn named(stream: &str) -> String {
    format!("{stream}.takeover")
}

fn any(stream: &str) -> String {
    format!("{stream}.takeover-any")
}
