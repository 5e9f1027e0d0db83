#!/usr/bin/env python3
"""What OP2_REPORT says of loops that are each held up by one thing.

    bench/bounds.py BUILD [--kinds memory,latency] [--threads 1] [--rounds 5]

For each loop of bench/bounds/bounds.c: how often which limit was named; of the round
with the median distance, what the region took and what it takes at least (rt/bound.c);
that distance, and the least and the most of all rounds. As a table for
doc/performance.md. fork-join takes two threads at least, exchange two ranks of one,
transfer one beside those that copy.
Exit code 1: some report could not be read."""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

KINDS = {  # kind: environment, ranks
    "memory": ({}, 1),
    "arithmetic": ({}, 1),
    "latency": ({"OP2_RENUMBER": "0"}, 1),
    "conflicts": ({}, 1),
    "fork-join": ({"OP2_TEAM": "all"}, 1),
    "exchange": ({"OP2_DECLARE": "whole"}, 2),
    "transfer": ({"OP2_TARGET": "opencl"}, 1),
    "compile": ({"OP2_CACHE": "0"}, 1),
}


def threads(args, kind):
    if KINDS[kind][1] > 1 or kind == "transfer":
        return 1
    return max(2, args.threads) if kind == "fork-join" else args.threads


def run(args, kind, path):
    env, ranks = KINDS[kind]
    env = dict(os.environ, OP2_REPORT=path, OMPI_ALLOW_RUN_AS_ROOT="1",
               OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMP_NUM_THREADS=str(threads(args, kind)), **env)
    words = [os.path.join(args.build, "bench/bounds/bounds"), kind]
    if ranks > 1:
        words = ["mpirun", "--oversubscribe", "-n", str(ranks)] + words
    done = subprocess.run(words, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.stderr.write(done.stderr)
        return None
    with open(path) as f:
        report = json.load(f)
    named = [r for r in report["regions"] if not r["name"].startswith("(")]
    return max(named, key=lambda r: r["seconds"]["most"] +
               max(r[b + "_seconds"] for b in ("exchange", "transfer", "compile")))


def took(region):
    bound = region["bound"] + "_seconds"
    return region.get(bound, region["seconds"]["rank0"])


def row(kind, regions):
    names = collections.Counter(r["bound"] for r in regions)
    regions.sort(key=lambda r: r["distance"])
    r = regions[len(regions) // 2]
    least, most = regions[0]["distance"], regions[-1]["distance"]
    limit = r["at_least"]
    said = ", ".join(f"{n} ({k} of {len(regions)})" for n, k in names.most_common())
    return (f"| {kind} | {said} | {1e3 * took(r):.2f} | {1e3 * limit:.2f} | "
            + (f"{r['distance']:.2f} | {least:.2f} to {most:.2f} |" if limit else "- | - |"))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("build")
    p.add_argument("--kinds", default=",".join(KINDS))
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=5)
    args = p.parse_args()
    print("| built to be bound by | named | took (ms) | at least (ms) | distance | of all rounds |")
    print("|---|---|---|---|---|---|")
    bad = 0
    for kind in args.kinds.split(","):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            regions = [run(args, kind, path) for _ in range(args.rounds)]
        if None in regions:
            bad = 1
            print(f"| {kind} | did not run | | | | |")
        else:
            print(row(kind, regions), flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
