#!/usr/bin/env python3
"""Ranks against threads, for doc/mpi.md.

    bench/ranks.py BUILD [--rounds 7] [--size 400 600] [--iters 30]

Airfoil on one rank, on one rank with as many threads as there are processors, and
on as many ranks with a thread each, in turns; medians over the rounds. What
exchanges and reductions take is rank 0's timing table. Every rank has its part of
the mesh as it is numbered (OP2_DECLARE=whole). The table between the markers in
doc/mpi.md is rewritten.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- ranks -->", "<!-- ranks end -->"
N = os.cpu_count()
PROGRAMS = (("sum read in every step", "airfoil", ()),
            ("sum read in every tenth", "airfoil_lazy",
             ("--flush-every", "10")))
# label, ranks, threads, environment
CASES = (
    ("one rank, one thread", 1, 1, {}),
    (f"one rank, {N} threads", 1, N, {}),
    (f"{N} ranks, one thread each", N, 1, {}),
    (f"{N} ranks, exchanges not hidden", N, 1, {"OP2_OVERLAP": "0"}),
)
HEAD = ("Airfoil", "run", "ms per step", "IQR", "speed-up", "exchanges, ms",
        "reductions, ms")


def launcher(ranks):
    """The command that starts so many ranks; nothing for one."""
    if ranks == 1:
        return []
    for name in ("mpirun.openmpi", "mpirun.mpich", "mpirun"):
        if shutil.which(name):
            extra = [] if "mpich" in name else ["--oversubscribe"]
            return [name, *extra, "-n", str(ranks)]
    raise SystemExit("no mpirun")


def environment(args, threads, more):
    return dict(os.environ, OMP_NUM_THREADS=str(threads), OP2_LOG="0",
                OP2_DECLARE="whole", OP2_CACHE_DIR=str(args.build / "cache"),
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_hwloc_base_binding_policy="none", **more)


def timers(text):
    """{name: seconds} of op_timing_output's table."""
    lines = ([f.strip() for f in l.split(";")] for l in text.splitlines())
    return {f[3]: float(f[1]) for f in lines
            if len(f) == 4 and f[0].isdigit()}


def run(args, program, options, ranks, threads, more):
    """(ms per step, ms of exchanges, ms of reductions)."""
    size = [str(n) for n in args.size]
    cmd = [*launcher(ranks), str(args.build / "bench/airfoil" / program),
           "--size", *size, "--iters", str(args.iters), "--warmup", "10",
           *options]
    done = subprocess.run(cmd, env=environment(args, threads, more),
                          capture_output=True, text=True, timeout=600,
                          check=True)
    line = [l for l in done.stdout.splitlines() if l.startswith("result ")]
    got = dict(f.split("=", 1) for f in line[0].split()[1:])
    t = timers(done.stdout)
    return (float(got["ms_per_iter"]),
            *(1e3 * t.get(k, 0) / args.iters
              for k in ("(exchange)", "(reduce)")))


def iqr(values):
    q = statistics.quantiles(values, n=4, method="inclusive")
    return q[2] - q[0]


def measure(args):
    samples = {}
    for r in range(args.rounds):
        for what, program, options in PROGRAMS:
            for label, *case in CASES:
                samples.setdefault((what, label), []).append(
                    run(args, program, options, *case))
        print(f"  round {r + 1} of {args.rounds}", flush=True)
    return samples


def table(samples):
    rows = []
    for (what, label), values in samples.items():
        ms, exchange, reduction = (statistics.median(v) for v in zip(*values))
        one = statistics.median(v[0] for v in samples[what, CASES[0][0]])
        rows.append((what, label, f"{ms:.3g}",
                     f"{iqr([v[0] for v in values]):.2g}", f"{one / ms:.2f}",
                     f"{exchange:.2g}", f"{reduction:.2g}"))
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    return "\n".join("| " + " | ".join(l) + " |" for l in lines)


def rewrite(path, begin, end, text):
    """Put text between the markers."""
    head, rest = path.read_text(encoding="utf-8").split(begin, 1)
    tail = rest.split(end, 1)[1]
    path.write_text(f"{head}{begin}\n{text}\n{end}{tail}", encoding="utf-8")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--iters", type=int, default=30)
    p.add_argument("--size", type=int, nargs=2, default=(400, 600))
    p.add_argument("--no-save", action="store_true",
                   help="doc/mpi.md stays as it is")
    args = p.parse_args()
    args.build = args.build.resolve()
    load = os.getloadavg()[0]
    text = table(measure(args))
    cells = f"{3 * args.size[0] * args.size[1]:,}".replace(",", " ")
    text = f"{cells} cells, {N} cores (load average when it began: {load:.1f})" \
        f", medians of {args.rounds} rounds.\n\n{text}"
    print(text)
    if not args.no_save:
        rewrite(ROOT / "doc" / "mpi.md", BEGIN, END, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
