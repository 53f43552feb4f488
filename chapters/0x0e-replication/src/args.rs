//! The command line of replication.

use crate::durable::Durable;
use crate::error::ReplicaError;
use crate::reach::ReachArgs;

/// How a machine takes part in replication. Without --replicas, the venue runs on one machine
#[derive(Debug, Clone, clap::Args)]
pub struct ReplicaArgs {
    /// The servers.
    #[command(flatten)]
    pub reach: ReachArgs,
    /// The stream's name; each shard has its own stream, with the shard's number after this name
    #[arg(long, value_name = "NAME", default_value = "cents", value_parser = stream_name)]
    pub stream: String,
    /// When a command counts as durable
    #[arg(long, value_name = "WHERE", value_enum, default_value = "both")]
    pub durable: Durable,
    /// This machine's name, for people
    #[arg(long, value_name = "NAME", default_value_t = default_name(), value_parser = own_name)]
    pub name: String,
}

impl ReplicaArgs {
    /// The stream of names.
    pub fn names_stream(&self) -> String {
        format!("{}-names", self.stream)
    }
}

/// The name of a shard's stream.
pub fn stream_of(name: &str, shard: u16) -> String {
    format!("{name}-{shard}")
}

/// Refuses what cannot be a stream's name at the servers, with a message.
fn stream_name(text: &str) -> Result<String, String> {
    let is_fine = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_fine) {
        return Err("it is 1 to 64 letters, digits, - and _".into());
    }
    Ok(text.to_owned())
}

fn own_name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > crate::message::NAME_MAX || text.chars().any(char::is_control) {
        return Err(format!("it is 1 to {} bytes on one line", crate::message::NAME_MAX));
    }
    Ok(text.to_owned())
}

/// The host's name and the process, so that two on one machine differ.
fn default_name() -> String {
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = host.trim();
    let host = if host.is_empty() { "machine" } else { host };
    format!("{}-{}", host.chars().take(40).collect::<String>(), std::process::id())
}

/// Refuses a machine that would keep no log of its own.
pub fn check(has_folder: bool) -> Result<(), ReplicaError> {
    if !has_folder {
        let words =
            "--data-dir is missing: a machine that takes part in replication keeps its own log; name a folder for it";
        return Err(ReplicaError::Usage(words.into()));
    }
    Ok(())
}
