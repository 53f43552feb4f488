"""Questions about trades to DuckDB or Polars, and how long each takes. `cargo run --release` beside this file starts it.

questions.py ENGINE COLUMNS SCRATCH BOUNDS

ENGINE is duckdb or polars. COLUMNS is the folder with the files that the follower wrote. SCRATCH is a folder for the same
trades in the engine's own format, and for a table of markets. BOUNDS says in JSON where a tenth and a quarter begin.

When both are there it prints a line. Then each line that it reads is a question and a form, files or own, and each line that
it prints has the nanoseconds and the answer: rows of whole numbers, in order.
"""

import json
import os
import sys
import time

engine, columns, scratch, bounds = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
files = f"{columns}/*.parquet"
WIDTHS = {"second": 1_000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
DAY = WIDTHS["day"]
NUMBERS = ["market", "price", "quantity", "maker_order", "maker_account", "taker_order", "taker_account", "shard", "sequence", "event"]


def duckdb_engine():
    import duckdb

    base = duckdb.connect(f"{scratch}/trades.duckdb")
    # It would be drawn among the answers.
    base.execute("set enable_progress_bar = false")
    base.execute(f"create table own_trades as select * from read_parquet('{files}')")
    base.execute("create table own_markets as select distinct market, market % 8 as topic from own_trades")
    base.execute(f"copy own_markets to '{scratch}/markets.parquet' (format parquet)")
    base.execute("checkpoint")
    base.execute(f"create view files_trades as select * from read_parquet('{files}')")
    base.execute(f"create view files_markets as select * from read_parquet('{scratch}/markets.parquet')")
    some = "count(*), sum(quantity)::bigint, sum(quantity * price::bigint)::bigint, max(sequence)::bigint"
    every = ", ".join(f"sum({name})::bigint" for name in NUMBERS)
    asked = {
        "all": f"""select count(*), {every}, sum(epoch_ms(time) % {DAY})::bigint, count(*) filter (maker_intent = 'buy-yes'),
                   count(*) filter (taker_intent = 'buy-yes') from trades""",
        "two": "select sum(quantity)::bigint, sum(quantity * price::bigint)::bigint from trades",
        "sorted": f"select {some} from trades where market >= {bounds['tenth_market']}",
        "unsorted": f"select {some} from trades where taker_account >= {bounds['tenth_account']}",
        "volume": "select market, count(*), sum(quantity)::bigint from trades group by market order by market",
        "join": """select topic, count(*), sum(quantity)::bigint from trades join markets using (market)
                   group by topic order by topic""",
    }
    for width, ms in WIDTHS.items():
        asked[width] = f"""
            select count(*), sum(open)::bigint, sum(high)::bigint, sum(low)::bigint, sum(close)::bigint, sum(shares)::bigint,
                   sum(trades)::bigint
            from (select arg_min(price, sequence * 65536 + event) as open, max(price) as high, min(price) as low,
                         arg_max(price, sequence * 65536 + event) as close, sum(quantity) as shares, count(*) as trades
                  from trades where market >= {bounds['quarter_market']} group by market, epoch_ms(time) // {ms})"""

    def ask(question, form):
        sql = asked[question].replace("from trades", f"from {form}_trades as trades")
        return base.execute(sql.replace("join markets", f"join {form}_markets as markets")).fetchall()

    return ask, duckdb.__version__, f"{scratch}/trades.duckdb"


def polars_engine():
    import polars

    column, whole = polars.col, lambda name: polars.col(name).cast(polars.Int64)
    polars.read_parquet(files).write_ipc(f"{scratch}/trades.arrow")
    markets = polars.scan_parquet(files).select(column("market").unique())
    markets.with_columns(topic=column("market") % 8).collect().write_ipc(f"{scratch}/markets.arrow")
    tables = {
        "files": (polars.scan_parquet(files), polars.scan_ipc(f"{scratch}/markets.arrow")),
        "own": (polars.scan_ipc(f"{scratch}/trades.arrow"), polars.scan_ipc(f"{scratch}/markets.arrow")),
    }
    place = whole("sequence") * 65536 + whole("event")
    cents = (whole("quantity") * whole("price")).sum().alias("cents")
    shares, ms = whole("quantity").sum().alias("shares"), column("time").dt.epoch("ms")
    some = [polars.len(), shares, cents, whole("sequence").max().alias("last")]
    every = [polars.len().alias("rows"), *(whole(name).sum() for name in NUMBERS), (ms % DAY).sum(),
             (column("maker_intent") == "buy-yes").sum(), (column("taker_intent") == "buy-yes").sum()]

    def candles(trades, width):
        found = trades.filter(column("market") >= bounds["quarter_market"]).group_by("market", ms // width).agg(
            open=column("price").get(place.arg_min()), high=column("price").max(), low=column("price").min(),
            close=column("price").get(place.arg_max()), shares=shares, trades=polars.len(),
        )
        sums = [whole(name).sum() for name in ("open", "high", "low", "close", "shares", "trades")]
        return found.select(polars.len().alias("candles"), *sums)

    asked = {
        "all": lambda trades, _: trades.select(every),
        "two": lambda trades, _: trades.select(shares, cents),
        "sorted": lambda trades, _: trades.filter(column("market") >= bounds["tenth_market"]).select(some),
        "unsorted": lambda trades, _: trades.filter(column("taker_account") >= bounds["tenth_account"]).select(some),
        "volume": lambda trades, _: trades.group_by("market").agg(polars.len(), shares).sort("market"),
        "join": lambda trades, markets: trades.join(markets, on="market").group_by("topic").agg(polars.len(), shares).sort("topic"),
        **{width: lambda trades, _, ms=ms: candles(trades, ms) for width, ms in WIDTHS.items()},
    }

    def ask(question, form):
        return asked[question](*tables[form]).collect().rows()

    return ask, polars.__version__, f"{scratch}/trades.arrow"


ask, version, own = duckdb_engine() if engine == "duckdb" else polars_engine()
print(json.dumps({"version": version, "own_bytes": os.path.getsize(own)}), flush=True)
for line in sys.stdin:
    question, form = line.split()
    began = time.perf_counter_ns()
    found = ask(question, form)
    print(json.dumps({"ns": time.perf_counter_ns() - began, "found": [list(row) for row in found]}), flush=True)
