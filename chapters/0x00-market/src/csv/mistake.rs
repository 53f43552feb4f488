//! The columns, and what can be wrong with a line of them.

use std::fmt;

/// The first line of every file.
pub const HEADER: &str = "command,market,account,intent,price,quantity,time_in_force,order,amount,outcome,request";

/// A column of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// Which command it is.
    Command,
    /// The market.
    Market,
    /// The account that sends the command.
    Account,
    /// What an order wants.
    Intent,
    /// An order's limit in cents.
    Price,
    /// An order's shares.
    Quantity,
    /// What happens to the unmatched rest of an order.
    TimeInForce,
    /// The order to cancel.
    Order,
    /// Cash in cents.
    Amount,
    /// How a market ended.
    Outcome,
    /// The client's number for the request.
    Request,
}

/// All columns, in their order.
pub(super) const COLUMNS: [Column; 11] = [
    Column::Command,
    Column::Market,
    Column::Account,
    Column::Intent,
    Column::Price,
    Column::Quantity,
    Column::TimeInForce,
    Column::Order,
    Column::Amount,
    Column::Outcome,
    Column::Request,
];

impl Column {
    /// The column's name in the header.
    pub const fn name(self) -> &'static str {
        match self {
            Column::Command => "command",
            Column::Market => "market",
            Column::Account => "account",
            Column::Intent => "intent",
            Column::Price => "price",
            Column::Quantity => "quantity",
            Column::TimeInForce => "time_in_force",
            Column::Order => "order",
            Column::Amount => "amount",
            Column::Outcome => "outcome",
            Column::Request => "request",
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Mistake {
    /// The first line is not the header.
    #[error("the first line is not the header, which must be `{HEADER}`; the last column may be left out")]
    Header,
    /// Too many or too few commas.
    #[error("{found} fields where the header has {expected}: `{HEADER}`")]
    FieldCount {
        /// How many there are.
        found: usize,
        /// How many the header has.
        expected: usize,
    },
    /// A field's bytes are not text.
    #[error("{column} is not valid UTF-8")]
    NotText {
        /// Which field.
        column: Column,
    },
    /// A field that the command uses is empty.
    #[error("{column} is empty; {command} needs it")]
    Missing {
        /// Which field.
        column: Column,
        /// The command of the line.
        command: &'static str,
    },
    /// A field that the command does not use is not empty.
    #[error("{column} is {found:?}; it must be empty, {command} does not use it")]
    NotUsed {
        /// Which field.
        column: Column,
        /// The command of the line.
        command: &'static str,
        /// What the field holds.
        found: String,
    },
    /// A field holds another word than those allowed.
    #[error("{column} {found:?} is none of: {expected}")]
    UnknownWord {
        /// Which field.
        column: Column,
        /// What the field holds.
        found: String,
        /// The words that are allowed.
        expected: String,
    },
    /// A field should be a number, but is not, or does not fit.
    #[error("{column} {found:?} is not a whole number from 0 to {max}")]
    NotANumber {
        /// Which field.
        column: Column,
        /// What the field holds.
        found: String,
        /// The largest that fits.
        max: u64,
    },
}
