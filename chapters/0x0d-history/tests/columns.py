"""What DuckDB and Polars find in a folder of columns, a line of JSON for each time that they look.

columns.py FOLDER TIMES       looks so often, each time at all files whose names end as a glob asks for
columns.py FOLDER manifest    looks once, at the files that the manifest names
"""

import json
import sys
import time

import duckdb
import polars

# How often a reader begins again.
TRIES = 20

folder, times = sys.argv[1], sys.argv[2]
glob = f"{folder}/*.parquet"

BY_MARKET = """
    select shard, market, count(*), sum(quantity)::bigint, sum(quantity * price::bigint)::bigint, max(sequence)::bigint,
           count(distinct (sequence, event)), count(*) filter (taker_intent = 'buy-yes'),
           epoch_ms(min(time)), epoch_ms(max(time)), count(distinct taker_account)
    from read_parquet(getvariable('files')) group by all order by all
"""


def of_duckdb(files):
    duckdb.execute("set variable files = ?", [files])
    return [list(row) for row in duckdb.sql(BY_MARKET).fetchall()]


def of_polars(files):
    column = polars.col
    found = polars.scan_parquet(files).group_by("shard", "market").agg(
        rows=polars.len(),
        shares=column("quantity").cast(polars.Int64).sum(),
        cents=(column("quantity").cast(polars.Int64) * column("price").cast(polars.Int64)).sum(),
        last=column("sequence").max(),
        places=polars.struct("sequence", "event").n_unique(),
        bought=(column("taker_intent") == "buy-yes").sum(),
        begin=column("time").min().dt.epoch("ms"),
        end=column("time").max().dt.epoch("ms"),
        accounts=column("taker_account").n_unique(),
    )
    return [list(row) for row in found.sort("shard", "market").collect().rows()]


def look(files):
    # Between the two, new files may come. Each of them answers by itself.
    for engine, ask in (("duckdb", of_duckdb), ("polars", of_polars)):
        for again in range(TRIES):
            try:
                print(json.dumps({"engine": engine, "found": ask(files), "again": again}), flush=True)
                break
            except (duckdb.IOException, OSError) as gone:
                # A file was replaced between the list and its opening.
                reason = gone
        else:
            raise reason


if times == "manifest":
    with open(f"{folder}/manifest.json") as manifest:
        look([f"{folder}/{file['name']}" for file in json.load(manifest)["manifest"]["files"]])
else:
    for _ in range(int(times)):
        look(glob)
        time.sleep(0.02)
