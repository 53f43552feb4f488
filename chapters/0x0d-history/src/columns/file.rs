//! A file of columns: some trades in Parquet, sorted by market and time.

use std::io::{self, Write};

use market::{LogFile, MarketId};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::place::Place;
use crate::rows::MarketTrade;

// ANCHOR: schema
/// The columns. `shard`, `sequence` and `event` are the place of a trade in the log: no two trades have the same.
const SCHEMA: &str = "message trade {
    REQUIRED INT32 market (INTEGER(32, false));
    REQUIRED INT64 time (TIMESTAMP(MILLIS, true));
    REQUIRED INT32 price (INTEGER(8, false));
    REQUIRED INT32 quantity (INTEGER(32, false));
    REQUIRED INT64 maker_order (INTEGER(64, false));
    REQUIRED INT32 maker_account (INTEGER(32, false));
    REQUIRED BYTE_ARRAY maker_intent (STRING);
    REQUIRED INT64 taker_order (INTEGER(64, false));
    REQUIRED INT32 taker_account (INTEGER(32, false));
    REQUIRED BYTE_ARRAY taker_intent (STRING);
    REQUIRED INT32 shard (INTEGER(16, false));
    REQUIRED INT64 sequence (INTEGER(64, false));
    REQUIRED INT32 event (INTEGER(32, false));
}";

/// Columns that hardly ever have a value twice: each value is written as the difference to the one before.
/// All others get a dictionary.
const RISING: [&str; 4] = ["time", "maker_order", "taker_order", "sequence"];
// ANCHOR_END: schema

/// How many rows have statistics of their own, and are in memory while a file is written.
const GROUP_ROWS: usize = 1 << 16;

/// A row of the file.
pub type Trade = (MarketId, Place, MarketTrade);

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// How many rows.
    pub rows: u64,
    /// How long the file is, in bytes.
    pub bytes: u64,
    /// The checksum of these bytes.
    pub crc32c: u32,
}

/// Writes rows into a file, in groups, as they come.
pub struct FileWriter<'f> {
    parquet: SerializedFileWriter<Counted<'f>>,
    group: Vec<Trade>,
    rows: u64,
}

impl<'f> FileWriter<'f> {
    /// Begins a file, which has to be empty.
    ///
    /// # Errors
    /// What the disk says.
    pub fn new(file: &'f mut dyn LogFile) -> Result<FileWriter<'f>, ParquetError> {
        let schema = parse_message_type(SCHEMA)?;
        let column = |name| schema.get_fields().iter().position(|field| field.name() == name).unwrap_or(0) as i32;
        let sorted_by = ["market", "time"].map(column);
        let sorted_by = sorted_by.map(|column_idx| SortingColumn { column_idx, descending: false, nulls_first: false });
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_sorting_columns(Some(sorted_by.to_vec()));
        let properties = RISING.into_iter().fold(properties, rising).build();
        let to = Counted { file, written: Written { rows: 0, bytes: 0, crc32c: 0 } };
        let parquet = SerializedFileWriter::new(to, schema.into(), properties.into())?;
        Ok(FileWriter { parquet, group: Vec::new(), rows: 0 })
    }

    /// Adds a row. Those before it are of earlier markets, or of the same one and stand before it.
    ///
    /// # Errors
    /// What the disk says.
    pub fn add(&mut self, trade: Trade) -> Result<(), ParquetError> {
        self.group.push(trade);
        self.rows += 1;
        if self.group.len() == GROUP_ROWS { self.end_group() } else { Ok(()) }
    }

    fn end_group(&mut self) -> Result<(), ParquetError> {
        let group = self.parquet.next_row_group()?;
        write_group(group, &self.group)?;
        self.group.clear();
        Ok(())
    }

    /// Writes what is left, and what the file says of itself.
    ///
    /// # Errors
    /// What the disk says.
    pub fn end(mut self) -> Result<Written, ParquetError> {
        if !self.group.is_empty() {
            self.end_group()?;
        }
        self.parquet.finish()?;
        Ok(Written { rows: self.rows, ..self.parquet.inner().written })
    }
}

fn rising(properties: WriterPropertiesBuilder, name: &str) -> WriterPropertiesBuilder {
    properties
        .set_column_dictionary_enabled(name.into(), false)
        .set_column_encoding(name.into(), Encoding::DELTA_BINARY_PACKED)
}

/// A group, column by column, in the order of the schema.
fn write_group(mut group: SerializedRowGroupWriter<'_, Counted<'_>>, rows: &[Trade]) -> Result<(), ParquetError> {
    let to = &mut group;
    column::<Int32Type>(to, rows, |(market, ..)| market.0 as i32)?;
    column::<Int64Type>(to, rows, |(_, place, _)| place.time.0 as i64)?;
    column::<Int32Type>(to, rows, |(.., trade)| trade.price.cents().into())?;
    column::<Int32Type>(to, rows, |(.., trade)| trade.quantity.0 as i32)?;
    column::<Int64Type>(to, rows, |(.., trade)| trade.maker.0 as i64)?;
    column::<Int32Type>(to, rows, |(.., trade)| trade.maker_account.0 as i32)?;
    column::<ByteArrayType>(to, rows, |(.., trade)| ByteArray::from(trade.maker_intent.word()))?;
    column::<Int64Type>(to, rows, |(.., trade)| trade.taker.0 as i64)?;
    column::<Int32Type>(to, rows, |(.., trade)| trade.taker_account.0 as i32)?;
    column::<ByteArrayType>(to, rows, |(.., trade)| ByteArray::from(trade.taker_intent.word()))?;
    column::<Int32Type>(to, rows, |(_, place, _)| place.shard.into())?;
    column::<Int64Type>(to, rows, |(_, place, _)| place.sequence.0 as i64)?;
    column::<Int32Type>(to, rows, |(_, place, _)| place.index as i32)?;
    group.close()?;
    Ok(())
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Counted<'_>>,
    rows: &[Trade],
    value: impl Fn(&Trade) -> T::T,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = rows.iter().map(value).collect();
    let column = group.next_column()?;
    let mut column = column.ok_or_else(|| ParquetError::General("the schema has fewer columns".into()))?;
    column.typed::<T>().write_batch(&values, None, None)?;
    column.close()
}

/// A file that is written from its beginning to its end, with the checksum of what was written.
struct Counted<'f> {
    file: &'f mut dyn LogFile,
    written: Written,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all_at(self.written.bytes, bytes)?;
        self.written.bytes += bytes.len() as u64;
        self.written.crc32c = crc32c::crc32c_append(self.written.crc32c, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
