//! The building blocks of the tables on the terminal.

use comfy_table::{Cell, CellAlignment, Table, presets};
use results::language::Language;
use results::units::duration_text;

/// A table with this header row.
pub fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(head);
    table
}

/// A figure.
pub fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// The table with all columns but the first set to the right, as figures are.
pub fn figures_right(mut table: Table) -> Table {
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

/// A time in milliseconds.
pub fn ms(ms: f64, language: Language) -> Cell {
    right(duration_text(1e6 * ms, language))
}

/// Memory: "116 MiB", "3.2 KiB".
pub fn bytes(bytes: Option<f64>) -> Cell {
    right(match bytes {
        None => "-".into(),
        Some(bytes) if bytes < 1024.0 * 1024.0 => format!("{:.1} KiB", bytes / 1024.0),
        Some(bytes) => format!("{:.0} MiB", bytes / 1024.0 / 1024.0),
    })
}
