#!/usr/bin/env python3
"""Where the time goes, for bench/results/tables.md.

    bench/report.py BUILD [--rounds 3] [--only airfoil]

For each benchmark at one and two threads: the time of each region with its
share and its bandwidth in ideal bytes (each dat that it touches counted once)
as a fraction of STREAM's triad measured in the same rounds, and what each pass
contributes: the time per iteration with it left out over the time with all.
Medians of interleaved rounds. The tables between the markers in
bench/results/tables.md are rewritten.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- report -->", "<!-- report end -->"
# name: folder/program, options
PROGRAMS = {
    "airfoil": ("airfoil/airfoil", "--size 400 600 --iters 20 --warmup 5"),
    "airfoil, deferred globals":
        ("airfoil/airfoil_lazy",
         "--size 400 600 --iters 20 --warmup 5 --flush-every 5"),
    "airfoil, shuffled":
        ("airfoil/airfoil",
         "--size 400 600 --iters 20 --warmup 5 --shuffle 5"),
    "jacobi": ("jacobi/jacobi_double", "--size 1000 1000 --iters 40"),
    "fem": ("fem/fem", "--size 400 400 --iters 100"),
    "shallow": ("shallow/shallow", "--size 600 400 --iters 40"),
    "euler": ("euler/euler", "--size 40 40 --iters 12 --warmup 2"),
    "multigrid": ("multigrid/multigrid", "--size 1000 1000 --iters 10"),
    "chebyshev": ("chebyshev/chebyshev",
                  "--size 107 107 --iters 6 --warmup 2 --degree 8"),
}
# what is left out, and how
LEFT_OUT = {
    "nothing": {},
    "slice": {"OP2_DISABLE": "slice"},
    "rename": {"OP2_DISABLE": "rename"},
    "dce": {"OP2_DISABLE": "dce"},
    "fuse": {"OP2_DISABLE": "fuse"},
    "deferral (eager)": {"OP2_EAGER": "1"},
    "choice of layouts": {"OP2_LAYOUT": "aos"},
    "renumbering": {"OP2_RENUMBER": "0"},
}


def run(args, command, threads, env):
    """Output of one run, its result line as a dict; raises on failure."""
    path, *options = command.split()
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OP2_LOG="0",
               OP2_CACHE_DIR=str(args.build / "cache"), **env)
    done = subprocess.run([str(args.build / "bench" / path), *options],
                          env=env, capture_output=True, text=True,
                          timeout=1200, check=True)
    line = [l for l in done.stdout.splitlines() if l.startswith("result ")][-1]
    return done.stdout, dict(f.split("=", 1) for f in line.split()[1:])


def regions(text):
    """{region: (seconds, GB/s)} of op_timing_output's table."""
    found = {}
    for line in text.splitlines():
        fields = [f.strip() for f in line.split(";")]
        if len(fields) == 4 and fields[0].isdigit():
            found[fields[3]] = float(fields[1]), float(fields[2])
    return found


def measure(args, name, threads):
    """Samples: of STREAM, of times by what is left out, of regions."""
    program, options = PROGRAMS[name]
    stream, times, found = [], {}, {}
    for _ in range(args.rounds):
        stream.append(float(run(args, "stream/stream_ref", threads, {})
                            [1]["gb_per_s"]))
        for left_out, env in LEFT_OUT.items():
            text, got = run(args, f"{program} {options}", threads, env)
            times.setdefault(left_out, []).append(float(got["ms_per_iter"]))
            if left_out == "nothing":
                for region, sample in regions(text).items():
                    found.setdefault(region, []).append(sample)
    return stream, times, found


def tables(name, threads, stream, times, found):
    mid = statistics.median
    s, whole = mid(stream), mid(times["nothing"])
    spent = {r: mid([x[0] for x in v]) for r, v in found.items()}
    total = sum(spent.values()) or 1
    lines = [f"### {name}, {threads} thread{'s' if threads > 1 else ''}", "",
             f"{whole:.3g} ms per iteration; STREAM triad {s:.3g} GB/s.", "",
             "| region | share of time | GB/s in ideal bytes | of STREAM |",
             "|---|---|---|---|"]
    for region in sorted(spent, key=spent.get, reverse=True):
        rate = mid([x[1] for x in found[region]])
        if spent[region] >= 0.01 * total:
            lines.append(f"| {region} | {100 * spent[region] / total:.0f} % | "
                         f"{rate:.3g} | {rate / s:.2f} |")
    lines += ["", "| left out | time over time with all |", "|---|---|"]
    lines += [f"| {k} | {mid(v) / whole:.2f} |" for k, v in times.items()
              if k != "nothing"]
    return "\n".join(lines)


def rewrite(path, text):
    old = path.read_text(encoding="utf-8")
    head, rest = old.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    path.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}", encoding="utf-8")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--only", choices=PROGRAMS, action="append")
    p.add_argument("--threads", type=lambda s: [int(t) for t in s.split(",")],
                   default=[1, 2], help="thread counts, as 1,2")
    args = p.parse_args()
    args.build = args.build.resolve()
    texts = []
    for name in args.only or PROGRAMS:
        for threads in args.threads:
            texts.append(tables(name, threads, *measure(args, name, threads)))
            print(texts[-1], "\n", flush=True)
    if not args.only:
        rewrite(ROOT / "bench" / "results" / "tables.md", "\n\n".join(texts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
