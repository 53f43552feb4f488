//! The kinds of requests that are measured.

/// A kind of request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A handler that does nothing, over HTTP.
    Empty,
    /// An order over HTTP.
    Order,
    /// An order over HTTP, each on a new connection.
    Fresh,
    /// Like `Empty` over HTTP/2, with as many requests in flight on fewer connections.
    Empty2,
    /// Like `Order`, likewise.
    Order2,
    /// An echo, over WebSocket.
    Echo,
    /// One order per message, over WebSocket.
    One,
    /// This many orders per message, over WebSocket.
    Batch(usize),
    /// The same in binary.
    Binary(usize),
}

impl What {
    /// Whether each answer arrives before the next request is sent.
    pub fn is_http(self) -> bool {
        matches!(self, What::Empty | What::Order | What::Fresh | What::Empty2 | What::Order2)
    }

    /// For the progress bar.
    pub fn words(self) -> &'static str {
        match self {
            What::Empty => "HTTP, an empty handler",
            What::Order => "HTTP, durable orders",
            What::Fresh => "HTTP, a connection for each order",
            What::Empty2 => "HTTP/2, an empty handler",
            What::Order2 => "HTTP/2, durable orders",
            What::Echo => "WebSocket, a bare echo",
            What::One => "WebSocket, an order a message",
            What::Batch(_) => "WebSocket, orders in batches",
            What::Binary(_) => "WebSocket, orders in batches, in bytes",
        }
    }
}
