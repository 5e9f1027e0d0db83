#!/usr/bin/env python3
"""Measure the benchmarks in one interleaved run and compare.

    bench/run.py BUILD [--rounds 5] [--iters N] [--size I J] [--only airfoil]

Each round runs every program once, in turns (A B C A B C ...), so that a slow
minute of the machine falls on all of them. Reported are medians and interquartile
ranges over the rounds, and speed-ups over the plain-C reference in both builds
(OP2 users' flags; the flags of this library's code generator) and over the
library itself under OP2_EAGER=1. The reference is one loop per kernel on one
thread and OpenMP over coloured blocks on more, with the block size that was
fastest in a short trial before.

Results are appended to bench/results/<date>.jsonl, one line a program and
thread count, and the table between the markers in README.md is rewritten.
Ends with 1 if a program failed or an answer differs from the reference's.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
BLOCKS = (64, 128, 256, 512, 1024, 2048, 4096)
NOBODY = "-"

# name, program, kind: "ref" and "ref_jit" are compared with, "eager" too.
AIRFOIL = (
    ("plain C, OP2's flags", "airfoil_ref", "ref"),
    ("plain C, JIT's flags", "airfoil_ref_jit", "ref_jit"),
    ("op2lazy, eager", "airfoil", "eager"),
    ("op2lazy, C", "airfoil", ""),
    ("op2lazy, C++ newest form", "airfoil_cpp", ""),
    ("op2lazy, deferred globals", "airfoil_lazy", ""),
)
JACOBI = (
    ("plain C, OP2's flags", "jacobi_ref", "ref"),
    ("plain C, JIT's flags", "jacobi_ref_jit", "ref_jit"),
    ("op2lazy, eager", "jacobi_double", "eager"),
    ("op2lazy", "jacobi_double", ""),
)
FEM = (
    ("plain C, OP2's flags", "fem_ref", "ref"),
    ("plain C, JIT's flags", "fem_ref_jit", "ref_jit"),
    ("op2lazy, eager", "fem", "eager"),
    ("op2lazy", "fem", ""),
)
# benchmark: (programs, size, iterations, warm-up, elements, how many for I*J = 1,
# relative difference of rms that is allowed: conjugate gradients amplify rounding)
BENCHMARKS = {
    "airfoil": (AIRFOIL, (400, 600), 30, 10, "cells", 3, 1e-9),
    "jacobi": (JACOBI, (1000, 1000), 60, 10, "nodes", 1, 1e-9),
    "fem": (FEM, (400, 400), 100, 10, "cells", 1, 1e-4),
}


class Failed(Exception):
    pass


def run(args, bench, program, kind, threads, iters, block):
    """One run; the fields of its result line as a dict."""
    path = args.build / "bench" / bench / program
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OP2_LOG="0")
    env.pop("OP2_EAGER", None)
    size = args.size or BENCHMARKS[bench][1]
    cmd = [str(path), "--size", str(size[0]), str(size[1]), "--iters",
           str(iters), "--warmup", str(min(BENCHMARKS[bench][3], iters - 1))]
    if kind.startswith("ref"):
        cmd += ["--threads", str(threads), "--block", str(block)]
    if program.endswith("_lazy"):
        cmd += ["--flush-every", str(BENCHMARKS[bench][3])]
    if kind == "eager":
        env["OP2_EAGER"] = "1"
    try:
        done = subprocess.run(cmd, env=env, capture_output=True, text=True,
                              timeout=1200)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Failed(f"{' '.join(cmd)}: {e}") from e
    lines = [l for l in done.stdout.splitlines() if l.startswith("result ")]
    if done.returncode or not lines:
        raise Failed(f"{' '.join(cmd)}: exit {done.returncode}: "
                     f"{(done.stderr or done.stdout)[-400:]}")
    return dict(f.split("=", 1) for f in lines[-1].split()[1:])


def tune(args, bench, cases):
    """The fastest block size of each reference, per thread count."""
    best = {}
    for _, program, kind in cases:
        for threads in args.threads:
            if not kind.startswith("ref") or threads == 1:
                continue
            times = {b: float(run(args, bench, program, kind, threads, 20, b)
                              ["ms_per_iter"]) for b in BLOCKS}
            best[program, threads] = min(times, key=times.get)
            print(f"  {program}, {threads} threads: block "
                  f"{best[program, threads]}", flush=True)
    return best


def measure(args, bench):
    """Samples {(label, threads): [ms]}, rms likewise, failures."""
    cases, _, iters = BENCHMARKS[bench][:3]
    iters = args.iters or iters
    samples, rms, failures = {}, {}, {}
    try:
        blocks = tune(args, bench, cases)
    except Failed as e:
        return samples, rms, {("tuning", 0): str(e)}, {}
    for r in range(args.rounds):
        for threads in args.threads:
            for label, program, kind in cases:
                key = label, threads
                if key in failures:
                    continue
                try:
                    got = run(args, bench, program, kind, threads, iters,
                              blocks.get((program, threads), 1024))
                except Failed as e:
                    failures[key] = str(e)
                    print(f"  FAILED {e}", flush=True)
                    continue
                samples.setdefault(key, []).append(float(got["ms_per_iter"]))
                rms[key] = float(got["rms"])
        print(f"  round {r + 1} of {args.rounds}", flush=True)
    return samples, rms, failures, blocks


def iqr(values):
    if len(values) < 2:
        return 0.0
    q = statistics.quantiles(values, n=4, method="inclusive")
    return q[2] - q[0]


def label_of(cases, kind):
    return next(c[0] for c in cases if c[2] == kind)


def ratio(medians, base, key):
    if base not in medians or base == key:
        return NOBODY
    return f"{medians[base] / medians[key]:.2f}"


def table(bench, samples, threads):
    cases = BENCHMARKS[bench][0]
    medians = {k: statistics.median(v) for k, v in samples.items()}
    rows = []
    for t in threads:
        for label, _, _ in cases:
            key = label, t
            if key not in samples:
                continue
            rows.append([str(t), label, f"{medians[key]:.3g}",
                         f"{iqr(samples[key]):.2g}"] +
                        [ratio(medians, (label_of(cases, k), t), key)
                         for k in ("ref", "ref_jit", "eager")])
    return rows


HEAD = ["threads", "program", "ms per iteration", "IQR", "over plain C",
        "over plain C, JIT's flags", "over eager"]


def markdown(title, rows):
    out = [title, "", "| " + " | ".join(HEAD) + " |",
           "|" + "---|" * len(HEAD)]
    return "\n".join(out + ["| " + " | ".join(r) + " |" for r in rows])


def plain(title, rows):
    widths = [max(len(r[i]) for r in [HEAD] + rows) for i in range(len(HEAD))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip()
             for r in [HEAD] + rows]
    return "\n".join([title] + lines)


def check_answers(bench, rms):
    """Every program's rms against the first reference's."""
    cases, within = BENCHMARKS[bench][0], BENCHMARKS[bench][6]
    wrong = []
    for (label, threads), value in rms.items():
        want = rms.get((label_of(cases, "ref"), threads))
        if want is not None and not abs(value - want) <= within * abs(want):
            wrong.append(f"{bench}, {label}, {threads} threads: rms {value!r}, "
                         f"expected {want!r}")
    return wrong


def words(*cmd):
    try:
        return subprocess.run(cmd, capture_output=True, text=True, cwd=ROOT,
                              check=False).stdout.strip()
    except OSError:
        return ""


def host():
    cpu = platform.processor()
    try:
        for line in open("/proc/cpuinfo", encoding="ascii", errors="replace"):
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    commit = words("git", "rev-parse", "--short", "HEAD")
    if words("git", "status", "--porcelain", "--untracked-files=no"):
        commit += "+"
    return {"commit": commit, "cpu": cpu, "cpus": os.cpu_count(),
            "compiler": words("clang-19", "--version").split("\n")[0]}


def save(args, bench, facts, samples, blocks):
    now = datetime.datetime.now(datetime.timezone.utc)
    args.results.mkdir(parents=True, exist_ok=True)
    programs = {label: program for label, program, _ in BENCHMARKS[bench][0]}
    size = args.size or BENCHMARKS[bench][1]
    path = args.results / f"{now.date()}.jsonl"
    with open(path, "a", encoding="utf-8") as f:
        for (label, threads), values in samples.items():
            line = dict(facts, time=now.isoformat(timespec="seconds"),
                        metric=f"{bench}: {label}", program=programs[label],
                        threads=threads, size=list(size),
                        iters=args.iters or BENCHMARKS[bench][2],
                        unit="ms per iteration", n=len(values),
                        median=statistics.median(values), iqr=iqr(values))
            block = blocks.get((programs[label], threads))
            if block:
                line["block"] = block
            f.write(json.dumps(line) + "\n")
    return path


def rewrite(readme, text):
    """Put text between the markers; False if there are none."""
    try:
        old = readme.read_text(encoding="utf-8")
    except OSError:
        return False
    if BEGIN not in old or END not in old:
        return False
    head, rest = old.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    readme.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}", encoding="utf-8")
    return True


def parse():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--iters", type=int, help="iterations of each run")
    p.add_argument("--size", type=int, nargs=2, metavar=("I", "J"))
    p.add_argument("--threads", type=lambda s: [int(t) for t in s.split(",")],
                   default=[1, 2], help="thread counts, as 1,2")
    p.add_argument("--only", choices=BENCHMARKS, action="append")
    p.add_argument("--results", type=pathlib.Path,
                   default=ROOT / "bench" / "results")
    p.add_argument("--no-save", action="store_true",
                   help="neither results nor README.md are written")
    p.add_argument("--readme", type=pathlib.Path, default=ROOT / "README.md")
    return p.parse_args()


def title_of(args, bench):
    _, size, _, _, what, factor, _ = BENCHMARKS[bench]
    size = args.size or size
    return f"{bench}, {size[0] * size[1] * factor:,} {what}".replace(",", " ") \
        .replace("  ", ", ", 1)


def main():
    args = parse()
    args.build = args.build.resolve()
    facts, texts, bad = host(), [], []
    for bench in args.only or BENCHMARKS:
        print(bench, flush=True)
        samples, rms, failures, blocks = measure(args, bench)
        bad += list(failures.values()) + check_answers(bench, rms)
        rows = table(bench, samples, args.threads)
        if not rows:
            continue
        print("\n" + plain(title_of(args, bench), rows) + "\n", flush=True)
        texts.append(markdown(title_of(args, bench), rows))
        if not args.no_save:
            print(f"appended to {save(args, bench, facts, samples, blocks)}")
    if texts and not args.no_save and not args.only:
        note = (f"{facts['cpu']}, {facts['cpus']} CPUs; commit "
                f"{facts['commit']}; medians of {args.rounds} rounds.")
        if rewrite(args.readme, "\n\n".join([note] + texts)):
            print(f"table in {args.readme} rewritten")
    for line in bad:
        print("FAILED", line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
