//! The contract, kept by this chapter's engine. What is asked of it is in `contract`.

contract::contract!(ch08::Chapter, in shards);
