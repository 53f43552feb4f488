//! The exit code for any error that the tool ends with.

use std::io;

use results::error::MeasureError;

/// The exit code for any error: the first [`MeasureError`] in its chain decides; an I/O error without
/// one means the disk (3), everything else unusable input (2).
pub fn exit_code(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        if let Some(error) = cause.downcast_ref::<MeasureError>() {
            return error.exit_code();
        }
        if cause.is::<io::Error>() {
            return 3;
        }
    }
    2
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use anyhow::Context;

    #[test]
    fn the_first_known_cause_decides_the_exit_code() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let disk = Err::<(), _>(MeasureError::disk("write", Path::new("x.json"), &full));
        let disk = disk.context("while saving").expect_err("an error");
        assert_eq!(exit_code(&disk), 3);
        assert_eq!(exit_code(&MeasureError::Unusable("bad".into()).into()), 2);
        assert_eq!(exit_code(&anyhow::Error::from(full)), 3);
        assert_eq!(exit_code(&anyhow::anyhow!("anything else")), 2);
    }
}
