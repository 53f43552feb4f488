//! Responses over HTTP, counted by status. A client can't choose a status that is not in the list.

use std::sync::atomic::{AtomicU64, Ordering};

/// All statuses that a venue answers with. Any other counts as 500.
pub const STATUSES: [u16; 21] =
    [101, 200, 201, 204, 304, 400, 401, 403, 404, 405, 408, 409, 410, 413, 414, 415, 422, 429, 431, 500, 503];

/// Where statuses that are not in the list are counted.
const OTHER: usize = 19;

/// Counters of responses.
#[derive(Default)]
pub struct Responses([AtomicU64; STATUSES.len()]);

impl Responses {
    /// Counts a response with this status.
    pub fn add(&self, status: u16) {
        let place = STATUSES.iter().position(|one| *one == status).unwrap_or(OTHER);
        self.0[place].fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were of each.
    pub fn all(&self) -> impl Iterator<Item = (u16, u64)> {
        STATUSES.into_iter().zip(self.0.iter().map(|count| count.load(Ordering::Relaxed)))
    }
}

const _: () = assert!(STATUSES[OTHER] == 500, "what is not in the list is an error of ours");

#[cfg(test)]
mod tests {
    use gateway::problem::Why;

    use super::*;

    #[test]
    fn each_status_of_the_gateway_is_counted_as_itself() {
        for why in Why::all() {
            let status = why.words().1.as_u16();
            assert!(STATUSES.contains(&status), "{why:?} is {status}, which would count as {}", STATUSES[OTHER]);
        }
        assert!(STATUSES.is_sorted());
    }
}
