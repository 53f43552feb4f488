//! Which settings of a stream could lose what it has acknowledged.
//!
//! How often its servers sync is no setting of a stream, and no server tells a client: `sync_interval: always` has to stand in
//! each server's own file.
//!
//! The beginning of a shard's stream may be purged, so that it can be trimmed. That is safe, because nothing follows from a
//! message that is gone: a machine that has not read it finds a hole, and is refused. The stream of names stays whole.

use async_nats::jetstream::Context;
use async_nats::jetstream::context::CreateStreamErrorKind;
use async_nats::jetstream::stream::{Config, DiscardPolicy, PersistenceMode, RetentionPolicy, StorageType};

use crate::message::MESSAGE_MAX;

/// Makes a stream unless it is there, and says what its settings are.
pub async fn make(context: &Context, wanted: &Config) -> Result<Config, String> {
    let there = match context.get_stream(&wanted.name).await {
        Ok(there) => there,
        Err(_) => match context.create_stream(wanted).await {
            Ok(made) => made,
            Err(error) if matches!(error.kind(), CreateStreamErrorKind::TimedOut) => {
                context.get_stream(&wanted.name).await.map_err(|error| error.to_string())?
            }
            Err(error) => return Err(error.to_string()),
        },
    };
    Ok(there.cached_info().config.clone())
}

/// Each setting that could lose a message, with what it should be.
pub fn problems(there: &Config, wanted: &Config) -> Vec<String> {
    let mut problems = Vec::new();
    let mut need = |is_so: bool, words: String| {
        if !is_so {
            problems.push(words);
        }
    };
    let copies = wanted.num_replicas;
    need(there.storage == StorageType::File, "its storage is memory, and has to be file".into());
    need(there.num_replicas >= copies, format!("it has {} replicas, and needs {copies}", there.num_replicas));
    need(there.retention == RetentionPolicy::Limits, "its retention removes what was read; it has to be limits".into());
    need(there.max_messages <= 0, format!("it keeps {} messages, and has to keep all", there.max_messages));
    need(there.max_bytes <= 0, format!("it keeps {} bytes, and has to keep all", there.max_bytes));
    let per_subject = there.max_messages_per_subject;
    need(per_subject <= 0, format!("it keeps {per_subject} messages a subject, and has to keep all"));
    let longest = there.max_message_size;
    need(
        longest <= 0 || longest as usize >= MESSAGE_MAX,
        format!("it takes messages of at most {longest} bytes, and has to take {MESSAGE_MAX}"),
    );
    need(there.max_age.is_zero(), format!("it keeps messages for {:?}, and has to keep them for good", there.max_age));
    need(
        there.discard == DiscardPolicy::New,
        "it discards the oldest when it is full; it has to discard new ones".into(),
    );
    need(there.deny_delete, "messages can be deleted: it has to deny that".into());
    need(there.deny_purge || !wanted.deny_purge, "it can be purged: it has to deny that".into());
    need(!there.allow_rollup, "a message can replace those before it: it must not allow rollups".into());
    need(!there.allow_message_ttl, "messages can expire: it must not allow a time to live".into());
    need(!there.no_ack, "it acknowledges nothing: no_ack has to be off".into());
    need(!there.sealed, "it is sealed and takes nothing".into());
    let is_async = matches!(there.persist_mode, Some(PersistenceMode::Async));
    need(!is_async, "it acknowledges before it has written: persist_mode must not be async".into());
    let is_own = there.mirror.is_none() && there.sources.as_ref().is_none_or(Vec::is_empty);
    need(is_own, "it copies another stream: it must have neither mirror nor sources".into());
    let is_plain = there.subject_transform.is_none() && there.subjects == wanted.subjects;
    need(
        is_plain,
        format!("its subjects are {}, and have to be {}", there.subjects.join(", "), wanted.subjects.join(", ")),
    );
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_has_to_stay_whole_has_to_deny_purges_and_another_need_not() {
        let whole = Config { deny_purge: true, ..Config::default() };
        let says = |there: &Config, wanted: &Config| problems(there, wanted).iter().any(|one| one.contains("purged"));
        assert!(says(&Config::default(), &whole));
        assert!(!says(&whole, &whole) && !says(&Config::default(), &Config::default()));
        assert!(!says(&whole, &Config::default()), "a stream that was made before");
    }

    #[test]
    fn a_stream_has_to_take_the_longest_message() {
        let says = |max_message_size| {
            let there = Config { max_message_size, ..Config::default() };
            problems(&there, &there).iter().any(|one| one.contains("messages of at most"))
        };
        assert!(says(1 << 20) && says(MESSAGE_MAX as i32 - 1));
        assert!(!says(MESSAGE_MAX as i32) && !says(-1) && !says(0));
    }
}
