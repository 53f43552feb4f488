//! The contract for this chapter's engine. The tests are in `contract`.

contract::contract!(ch02::Chapter);
