//! The conversation with one client.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures_util::{FutureExt, SinkExt};
use market::AccountId;
use serde_json::{Value, json};

use super::binary;
use super::client_message::{ClientMessage, Do, Misread, missing};
use super::commands::commands;
use super::end::{Bye, End, bye};
use super::json::{self, Answered, text, tick};
use super::outbox::{Form, Outbox, Outgoing, TooSlow};
use super::parts::Parts;
use super::seat::Seat;
use super::watching::Watching;
use crate::door::Door;
use crate::front::Fronts;
use crate::keys::KeyHash;
use crate::problem::{Problem, Why};
use crate::reply::Session;
use crate::venue::Venue;
use crate::watch::{Passed, Watcher};

/// The advice for orders before a login.
const LOG_IN: &str = "Log in first, with the key of an account.";

/// How long a client may take to read what was sent to it.
const SEND_TIME: Duration = Duration::from_secs(30);

/// How long the answers may take that are under way when the venue ends. With the time for the last message it is less
/// than the venue waits for its connections.
const ANSWER_TIME: Duration = Duration::from_secs(3);

/// How long a client may take to read why its connection ends, and then to close it.
const BYE_TIME: Duration = Duration::from_secs(1);

/// How many messages of a client to read before checking the other sources.
const HEARD_MAX: usize = 64;

struct Conversation {
    venue: Arc<Venue>,
    socket: WebSocket,
    seat: Option<Seat>,
    is_binary: bool,
    outbox: Arc<Outbox>,
    watching: Watching,
    /// The buffer for the outbox's content, reused.
    taken: VecDeque<Outgoing>,
    news: Vec<Utf8Bytes>,
    /// What layers add to the connection.
    parts: Parts,
    watch: Watcher,
}

/// Serves the connection until one side ends it.
pub(super) async fn serve(venue: Arc<Venue>, socket: WebSocket, seat: Option<Seat>, fronts: &Fronts, watch: Watcher) {
    let (outbox, watching) = (Arc::default(), Watching::default());
    let is_binary = socket.protocol().is_some();
    let (parts, taken, news) = (Parts::new(fronts), VecDeque::new(), Vec::new());
    let mut conversation = Conversation { venue, socket, seat, is_binary, outbox, watching, taken, news, parts, watch };
    if let Some(Session::Account(account)) = conversation.session() {
        conversation.venue.listeners.listen(account, &conversation.outbox);
    }
    if let Err(End::Bye(bye)) = conversation.go_on().await {
        // What has entered is answered. Past this time its client has to look what was done, as after a kill.
        let _ = tokio::time::timeout(ANSWER_TIME, conversation.answer_the_rest()).await;
        // A client that is disconnected for being slow may not read that either.
        let _ = tokio::time::timeout(BYE_TIME, conversation.part(&bye)).await;
    }
}

impl Conversation {
    fn session(&self) -> Option<Session> {
        self.seat.as_ref().map(|seat| seat.session)
    }

    /// Sends the reason, and waits until the client has read it: the last output may be lost if a connection is closed
    /// with unread input.
    async fn part(&mut self, bye: &Bye) -> Result<(), End> {
        self.send(text(&bye.message())).await?;
        self.socket.send(Message::Close(Some(bye.frame()))).await?;
        while let Some(Ok(_)) = self.socket.recv().await {}
        Ok(())
    }

    fn check_key(&self) -> Result<(), End> {
        self.seat.as_ref().map_or(Ok(()), |seat| seat.check_key(&self.venue))
    }

    async fn go_on(&mut self) -> Result<(), End> {
        let (outbox, venue) = (Arc::clone(&self.outbox), Arc::clone(&self.venue));
        let (mut ticks, mut life, mut over) = (venue.ticks.subscribe(), venue.life.subscribe(), venue.over.subscribe());
        self.send(text(&json!({ "kind": "hello", "protocol": 1, "time_ms": self.venue.now_ms() }))).await?;
        // ANCHOR: go_on
        loop {
            tokio::select! {
                said = self.socket.recv() => {
                    self.hear(said.ok_or(End::Gone)??).await?;
                    self.hear_what_is_there().await?;
                }
                () = outbox.is_news() => self.hand_over().await?,
                () = self.parts.ready() => self.tell().await?,
                _ = ticks.changed(), if !self.watching.is_empty() => self.show().await?,
                _ = life.changed() => {
                    self.check_key()?;
                    // A client that watches nothing takes what there is now and then, so that it does not fall behind.
                    self.tell().await?;
                    self.send(text(&tick(&venue))).await?;
                }
                _ = over.changed() => {
                    return Err(bye(1001, "draining", "The venue is about to stop: reconnect in a moment."));
                }
            }
        }
        // ANCHOR_END: go_on
    }

    /// Hands over the answers to everything that has entered.
    async fn answer_the_rest(&mut self) -> Result<(), End> {
        let outbox = Arc::clone(&self.outbox);
        while !outbox.is_done() {
            outbox.is_news().await;
            self.hand_over().await?;
        }
        Ok(())
    }

    /// Reads the messages that have already arrived. Waiting for all sources again between two messages costs more than
    /// a message.
    async fn hear_what_is_there(&mut self) -> Result<(), End> {
        for _ in 1..HEARD_MAX {
            let Some(said) = self.socket.recv().now_or_never() else { break };
            self.hear(said.ok_or(End::Gone)??).await?;
        }
        Ok(())
    }

    async fn hear(&mut self, message: Message) -> Result<(), End> {
        match message {
            Message::Text(said) => self.obey(&said).await,
            Message::Binary(asked) if self.is_binary => self.obey_bytes(&asked),
            Message::Binary(_) => Err(bye(1003, "not-text", "Messages are text here: ask for the subprotocol.")),
            Message::Close(_) => {
                // The library has prepared the answer, but only sends it along with something else.
                let _ = tokio::time::timeout(BYE_TIME, self.socket.flush()).await;
                Err(End::Gone)
            }
            // The library answers.
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        }
    }

    async fn obey(&mut self, said: &str) -> Result<(), End> {
        let said = match ClientMessage::read(said) {
            Ok(said) => said,
            Err(misread) => return self.obey_parts(said, misread).await,
        };
        // With a login comes the new key.
        if !matches!(said.what, Do::Login) {
            self.check_key()?;
        }
        let id = said.id;
        match self.done(&said) {
            Ok(Some(done)) => self.send(text(&Answered::ok(id, done))).await,
            // The answer follows when the command is on disk.
            Ok(None) => Ok(()),
            Err(problem) => self.send(text(&Answered::<()>::problem(Some(id), problem))).await,
        }
    }

    /// A message that is none of this chapter's: one of a layer's, or none at all.
    async fn obey_parts(&mut self, said: &str, Misread { id, problem }: Misread) -> Result<(), End> {
        self.check_key()?;
        let answer = match (id, self.parts.obey(&self.venue, self.session(), said)) {
            (Some(id), Some(Ok(done))) => text(&Answered::ok(id, done)),
            (id, Some(Err(problem))) => text(&Answered::<()>::problem(id, problem)),
            _ => text(&Answered::<()>::problem(id, *problem)),
        };
        self.send(answer).await
    }

    /// Passes the commands of a binary message to the door.
    fn obey_bytes(&self, asked: &[u8]) -> Result<(), End> {
        self.check_key()?;
        let (id, commands) = binary::read(asked).map_err(|wrong| bye(1007, "no-commands", wrong))?;
        let Some(session @ Session::Account(_)) = self.session() else {
            return Err(bye(1008, "unauthenticated", LOG_IN));
        };
        let Some(request) = self.outbox.request(id, Form::Bytes, commands, self.watch.begin()) else {
            let what = "This connection has too many commands in flight.";
            return Err(bye(1008, "too-many-requests", what));
        };
        self.venue.door.enter(session, request);
        Ok(())
    }

    /// Does what can be done at once, and passes commands to the door.
    fn done(&mut self, said: &ClientMessage) -> Result<Option<Value>, Problem> {
        match said.what {
            Do::Login => self.login(said).map(Some),
            Do::Watch => self.watch(said).map(Some),
            Do::Unwatch => {
                let markets = said.markets.as_ref().ok_or_else(|| missing("markets"))?;
                self.watching.unwatch(|market| markets.contains(&market.0));
                Ok(Some(json!({ "markets": self.watching.numbers() })))
            }
            Do::Place | Do::Cancel | Do::CancelAll => self.enter(said).map(|()| None),
        }
    }

    fn login(&mut self, said: &ClientMessage) -> Result<Value, Problem> {
        let key = said.key.as_deref().ok_or_else(|| missing("key"))?;
        let was_free = self.seat.is_none();
        let session = Seat::log_in(&mut self.seat, &self.venue, KeyHash::of(key))?;
        if let (true, Session::Account(account)) = (was_free, session) {
            self.venue.listeners.listen(account, &self.outbox);
        }
        Ok(match session {
            Session::Account(account) => json!({ "account": account.0 }),
            Session::Operator => json!({ "operator": true }),
        })
    }

    fn watch(&mut self, said: &ClientMessage) -> Result<Value, Problem> {
        let markets = said.markets.as_ref().ok_or_else(|| missing("markets"))?;
        self.watching.watch(&self.venue, markets)?;
        Ok(json!({ "markets": self.watching.numbers() }))
    }

    // ANCHOR: enter
    fn enter(&mut self, said: &ClientMessage) -> Result<(), Problem> {
        let Some(Session::Account(account)) = self.session() else {
            return Err(Problem::because(Why::Unauthenticated, LOG_IN));
        };
        let (words, commands) = commands(&self.venue, said, account)?;
        let request = self.outbox.request(said.id, Form::Words(words), commands, self.watch.begin());
        let request = request.ok_or_else(|| Problem::new(Why::Busy))?;
        self.venue.door.enter(Session::Account(account), request);
        Ok(())
    }
    // ANCHOR_END: enter

    /// Sends everything in the outbox.
    async fn hand_over(&mut self) -> Result<(), End> {
        let mut taken = std::mem::take(&mut self.taken);
        self.outbox.take(&mut taken).map_err(|TooSlow| {
            let what = "You did not read your notices in time: reconnect, and read /v1/orders.";
            bye(1008, "too-slow", what)
        })?;
        let messages = self.encode(&mut taken);
        self.taken = taken;
        self.send_all(messages).await
    }

    fn encode(&self, taken: &mut VecDeque<Outgoing>) -> Vec<Message> {
        let account = match self.session() {
            Some(Session::Account(account)) => account,
            _ => AccountId(0),
        };
        let (mut messages, mut notices) = (Vec::with_capacity(taken.len()), Vec::new());
        for outgoing in taken.drain(..) {
            match outgoing {
                Outgoing::Answer(id, form, given, following) => {
                    messages.push(match form {
                        Form::Bytes => Message::Binary(binary::write(id, account, &given).into()),
                        Form::Words(asked) => Message::Text(json::answer(id, &asked, &given)),
                    });
                    following.inspect(|follow| follow.passed(Passed::Encoded));
                }
                Outgoing::Notice(_) if self.parts.replace_notices() => {}
                Outgoing::Notice(notice) if self.is_binary => notices.push(notice),
                Outgoing::Notice(notice) => messages.push(Message::Text(json::notice(&notice))),
            }
        }
        if !notices.is_empty() {
            messages.push(Message::Binary(binary::write_notices(&notices).into()));
        }
        messages
    }

    /// Sends what the layers have.
    async fn tell(&mut self) -> Result<(), End> {
        let (messages, taken) = self.parts.take(&self.venue, &self.watch);
        // Nothing at most ticks: a flush and its timer would be all that they do.
        if !messages.is_empty() {
            self.send_all(messages.into_iter().map(Message::Text)).await?;
        }
        taken
    }

    /// Sends the current state of what has changed in the watched markets, but first what concerns the account.
    async fn show(&mut self) -> Result<(), End> {
        self.tell().await?;
        let mut news = std::mem::take(&mut self.news);
        self.watching.news(&self.venue.books, &self.venue.shared, &mut news);
        let sent = self.send_all(news.drain(..).map(Message::Text)).await;
        self.news = news;
        sent
    }

    async fn send(&mut self, text: Utf8Bytes) -> Result<(), End> {
        self.send_all([Message::Text(text)]).await
    }

    /// Sends these with as few system calls as possible.
    async fn send_all(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), End> {
        let socket = &mut self.socket;
        let send = async move {
            for message in messages {
                socket.feed(message).await?;
            }
            socket.flush().await
        };
        match tokio::time::timeout(SEND_TIME, send).await {
            Ok(sent) => Ok(sent?),
            Err(_) => Err(End::Gone),
        }
    }
}
