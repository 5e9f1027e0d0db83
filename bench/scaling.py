#!/usr/bin/env python3
"""A model of scaling over ranks, for doc/mpi.md.

    bench/scaling.py BUILD [--costs MICROSECONDS,MB/s] [--ranks 2 4 8 16]

What is measured: latency and bandwidth between two ranks (op2-latency, or --costs,
of another machine), the time of an element (Airfoil on one rank and thread), and
how many elements each level has on the rank that has most, where PT-Scotch cuts
Airfoil's mesh for 2, 4, 8 and 16 ranks. The trace of four steps, as the last of
these runs recorded it, goes through pass halo with each limit; what comes out says
how far each loop runs and what is exchanged.

What is guessed: on P ranks a set has L_0 = N / P elements, times the imbalance on
16, and L_k = (sqrt(L_0) + w_k)^2, with the width w_k as on 16 ranks: a mesh in two
dimensions, cut into compact pieces. A step then takes

    sum over loops of L_level * element + exchanges * latency + bytes / bandwidth
    + 2 * log2(P) * latency for each flush (agreement, sums)

The tables between the markers in doc/mpi.md are rewritten.
"""
import argparse
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import ranks as bench

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- scaling -->", "<!-- scaling end -->"
STEPS = 4  # in a flush
LIMITS = range(29)
SHOWN = 7  # levels
RANKS = (1, 16, 64, 256, 1024, 4096, 10000)
SIZE = (200, 300)  # of the mesh that is cut: three cells each
CELLS = (2_880_000, 100_000_000)
PASSES = "rename,dce,fuse,storage,place,halo"


def command(args, *words):
    done = subprocess.run([str(w) for w in words], capture_output=True,
                          text=True, timeout=600, check=True,
                          env=bench.environment(args, 1, {}))
    return done.stdout


def costs(args):
    """Latency in us, bandwidth in MB/s."""
    if args.costs:
        return tuple(float(x) for x in args.costs.split(","))
    out = command(args, *bench.launcher(2), args.build / "op2-latency")
    return tuple(float(f.split("=")[1]) for f in out.split()[:2])


def airfoil(args, size, iters, *more):
    return [args.build / "bench/airfoil/airfoil_lazy", "--size", *size,
            "--iters", iters, "--warmup", STEPS, "--flush-every", STEPS, *more]


def step_ms(args):
    """Milliseconds of a step on one rank: the shortest is the machine's."""
    times = []
    for _ in range(args.rounds):
        out = command(args, *airfoil(args, (400, 600), 24))
        times.append(float(re.search(r"ms_per_iter=(\S+)", out)[1]))
    return min(times)


def recorded(args, n):
    """The trace of a flush as n ranks record it when halos are deep."""
    with tempfile.TemporaryDirectory() as folder:
        program = airfoil(args, SIZE, 4 * STEPS, "--partition", "PTSCOTCH")
        deep = ["env", "OP2_HALO_LIMIT=12"]
        dump = ["OP2_TRACE=1", f"OP2_TRACE_DIR={folder}"]
        start = bench.launcher(n)
        command(args, *start[:-1], 1, *deep, *dump, *program, ":", "-n", n - 1,
                *deep, *program)
        last = sorted(pathlib.Path(folder).glob("*.before.irt"))[-1]
        return last.read_text(encoding="utf-8")


def sets_of(trace):
    """{set: (n, [elements of L_0, L_1, ...])}."""
    found = re.findall(r"set %(\S+) n=(\d+)[^\n]* levels ([\d ]+)", trace)
    return {name: (int(n), [int(x) for x in levels.split()])
            for name, n, levels in found}


def dats_of(trace):
    """{dat: (set, bytes of an element)}."""
    found = re.findall(r"dat %(\S+) : %(\S+) [a-z]+(\d+) x(\d+)", trace)
    return {d: (s, int(bits) // 8 * int(dim)) for d, s, bits, dim in found}


def plan(args, trace, limit):
    """What pass halo makes of it: [(set, level)] of loops, [[(dat, level)]] of
    exchanges."""
    with tempfile.NamedTemporaryFile("w", suffix=".irt") as f:
        f.write(trace)
        f.flush()
        text = command(args, args.build / "op2-opt", "-p",
                       f"{PASSES}{{limit={limit}}}", f.name)
    text = re.sub(r"\s+", " ", text)
    loops = [(s, int(level or 0)) for s, level in re.findall(
        r"loop @\S+ over %(\S+) \([^()]*\)(?: level=(\d+))?", text)]
    exchanges = []
    for items in re.findall(
            r"exchange ((?:%\S+ to \d+(?: via \d+)?(?:, )?)+)", text):
        exchanges.append(
            [(d, max(int(own), (int(via) | 1) + 1 if via else 0))
             for d, own, via in re.findall(
                 r"%(\w+)\.\d+ to (\d+)(?: via (\d+))?", items)])
    return loops, exchanges


def widths(sets):
    """{set: (imbalance, [w_0, w_1, ...])}, of the largest number of ranks."""
    n, found = max(sets), {}
    for name, (total, levels) in sets[n].items():
        root = math.sqrt(levels[0])
        found[name] = (levels[0] * n / total,
                       [math.sqrt(l) - root for l in levels])
    return found


def elements(shape, name, total, ranks, level):
    """Elements of L_level of a set with `total`."""
    if ranks == 1:
        return total
    imbalance, w = shape[name]
    more = 0 if level < len(w) else \
        (level - len(w) + 1) * (w[-1] - w[-3]) / 2
    root = math.sqrt(total / ranks * imbalance)
    return min(total, (root + w[min(level, len(w) - 1)] + more) ** 2)


def step(args, facts, planned, ranks, scale, merged=True):
    """Microseconds of one step, for `scale` times the mesh that was cut."""
    loops, exchanges = planned

    def size(name, level):
        total = facts["sets"][name][0] * scale
        return elements(facts["shape"], name, total, ranks, level)

    us = sum(size(s, level) for s, level in loops) * facts["ns"] * 1e-3
    if ranks == 1:
        return us / STEPS
    for items in exchanges:
        us += facts["latency"] * (1 if merged else len(items))
        for d, level in items:
            s, width = facts["dats"][d]
            us += (size(s, level) - size(s, 0)) * width / facts["mb_s"]
    return (us + 2 * math.log2(ranks) * facts["latency"]) / STEPS


def short(us):
    return f"{us:.3g}" if us < 1000 else f"{us:.0f}"


def model_table(args, facts, plans, cells):
    base = facts["sets"]["cells"][0]
    one = next(l for l in LIMITS if len(plans[l][1]) <= STEPS)
    least = min(len(plans[l][1]) for l in LIMITS)
    head = ["ranks", "cells a rank", "eager", "merged", "one exchange a step",
            "cheapest", "its limit", "one pays above, us"]
    rows = [head, ["---"] * len(head)]

    def worth(p):
        """The latency above which one exchange a step is the cheaper."""
        none = dict(facts, latency=0)
        more = [step(args, none, plans[l], p, cells / base) for l in (one, 0)]
        return (more[0] - more[1]) * STEPS / (
            len(plans[0][1]) - len(plans[one][1]))

    for p in RANKS:
        def t(limit, merged=True):
            return step(args, facts, plans[limit], p, cells / base, merged)
        best = min(LIMITS, key=t)
        rows.append([f"{p}", f"{cells / p:.0f}", short(t(0, False)),
                     short(t(0)), short(t(one)), short(t(best)), f"{best}",
                     short(worth(p)) if p > 1 else "-"])
    n = f"{cells:,}".replace(",", " ")
    return [f"{n} cells, microseconds a step (limit {one} gives one exchange a "
            f"step; {least} in {STEPS} steps is the least):", "",
            *("| " + " | ".join(r) + " |" for r in rows), ""]


def counts_table(sets):
    deepest = min(SHOWN, *(len(l) for s in sets.values()
                           for _, l in s.values()))
    head = ["ranks", "set", *(f"L_{k}" for k in range(deepest))]
    rows = [head, ["---"] * len(head)]
    for n, of in sorted(sets.items()):
        rows += [[str(n), name, *map(str, levels[:deepest])]
                 for name, (_, levels) in of.items() if name != "bedges"]
    total = f"{3 * SIZE[0] * SIZE[1]:,}".replace(",", " ")
    return [f"Elements on the rank that has most; {total} cells, PT-Scotch:",
            "", *("| " + " | ".join(r) + " |" for r in rows), ""]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--costs", help="MICROSECONDS,MB/s of another machine")
    p.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8, 16])
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--no-save", action="store_true",
                   help="doc/mpi.md stays as it is")
    args = p.parse_args()
    args.build = args.build.resolve()
    traces = {n: recorded(args, n) for n in args.ranks}
    sets = {n: sets_of(t) for n, t in traces.items()}
    trace = traces[max(traces)]
    plans = {limit: plan(args, trace, limit) for limit in LIMITS}
    latency, mb_s = costs(args)
    facts = {"sets": sets[max(sets)], "shape": widths(sets),
             "dats": dats_of(trace), "latency": latency, "mb_s": mb_s}
    run = sum(facts["sets"][s][0] for s, _ in plans[0][0]) / STEPS
    ms = step_ms(args)
    facts["ns"] = ms * 1e6 / run / (400 * 600 / SIZE[0] / SIZE[1])
    load = os.getloadavg()[0]
    lines = [f"Latency {latency:g} us, {mb_s:g} MB/s, {facts['ns']:.2g} ns an "
             f"element of a loop (load average {load:.1f}).", "", *counts_table(sets)]
    for cells in CELLS:
        lines += model_table(args, facts, plans, cells)
    text = "\n".join(lines).rstrip()
    print(text)
    if not args.no_save:
        bench.rewrite(ROOT / "doc" / "mpi.md", BEGIN, END, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
