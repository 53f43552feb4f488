//! The ways of asking that are measured.

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A handler that does nothing, over HTTP.
    Empty,
    /// An order over HTTP.
    Order,
    /// An order over HTTP, with a new connection for each.
    Fresh,
    /// As `Empty` over HTTP/2, as many requests under way on few connections.
    Empty2,
    /// As `Order`, likewise.
    Order2,
    /// What is said comes back, over WebSocket.
    Echo,
    /// An order a message, over WebSocket.
    One,
    /// So many orders a message, over WebSocket.
    Batch(usize),
    /// The same in bytes.
    Binary(usize),
}

impl What {
    /// Whether each answer is waited for before more is asked.
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
