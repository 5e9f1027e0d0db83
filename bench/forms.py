#!/usr/bin/env python3
"""The finite-element matrix in three forms, against plain C and PETSc.

    bench/forms.py BUILD [--rounds 5] [--iters 20] [--size I J] [--threads 1 2]

Assembled by the library, kept as a block a cell (--free), in compressed rows of
plain C in both flag sets, and by PETSc's own MatSetValues, MatMult and KSP,
where the build found PETSc, with as many ranks as the others have threads.
Programs run in turns; printed are medians of an assembly, a product, an
iteration of conjugate gradients (with the inverse of the diagonal; the free form
without) and a solution, and how many times as fast as PETSc the library is.

The last ratio is set against what fewer passes over memory could give at most:
the ideal bytes of an iteration, one loop a vector operation, over those of as
few loops as the method allows. Ends with 1 if a program failed, or if the
answers differ.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

COLUMNS = ("assembly", "product", "iteration", "solve")
LIBRARY, FREE, PETSC = "op2lazy, assembled", "op2lazy, free", "PETSc"
PROGRAMS = (
    (LIBRARY, "fem_matrix", ()),
    (FREE, "fem_matrix", ("--free",)),
    ("plain C, OP2's flags", "fem_matrix_ref", ()),
    ("plain C, JIT's flags", "fem_matrix_ref_jit", ()),
    (PETSC, "fem_matrix_petsc", ()),
)
# at least so many times as fast as PETSc; of the ideal ratio, so much
WANTED = {"assembly": 3.0, "product": 1.0}
WANTED_PART = 0.8


def command(args, program, options, threads):
    cmd = [str(args.build / "bench/fem" / program), *options,
           "--size", *map(str, args.size), "--iters", str(args.iters),
           "--warmup", "3"]
    if program.endswith("_petsc"):
        root = ["--allow-run-as-root"] if os.getuid() == 0 else []
        cmd = ["mpirun", *root, "--oversubscribe", "-n", str(threads), *cmd]
    return cmd


def run(args, program, options, threads):
    """Milliseconds by column, and the result line's fields."""
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OP2_LOG="0")
    env.setdefault("OP2_CACHE_DIR", str(args.build / "cache"))
    done = subprocess.run(command(args, program, options, threads), env=env,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{program}: exit {done.returncode}: "
                 f"{(done.stderr or done.stdout)[-400:]}")
    lines = done.stdout.splitlines()
    ms = {}
    for line in lines:
        if line.startswith("form "):
            fields = dict(f.split("=") for f in line.split()[1:])
            ms[fields["name"]] = float(fields["ms"])
    last = [l for l in lines if l.startswith("result ")][-1]
    result = dict(f.split("=", 1) for f in last.split()[1:])
    ms["solve"] = float(result["solve_ms"])
    ideal = [l for l in lines if l.startswith("ideal bytes")]
    return ms, float(result["rms"]), float(ideal[0].split()[-1])


def measure(args, programs, threads):
    samples = {label: [] for label, _, _ in programs}
    answers = {}
    for _ in range(args.rounds):
        for label, program, options in programs:
            ms, rms, ideal = run(args, program, options, threads)
            samples[label].append(ms)
            answers[label] = rms
    medians = {label: {c: statistics.median(s[c] for s in all_of)
                       for c in COLUMNS} for label, all_of in samples.items()}
    return medians, answers, ideal


def verdict(what, found, least):
    return (f"  {what}: {found:.2f}, wanted {least:.2f}: "
            f"{'holds' if found >= least else 'MISSED'}")


def report(args, threads, medians, ideal):
    print(f"{args.size[0]} x {args.size[1]} cells, {threads} "
          f"thread{'s' if threads > 1 else ''} or ranks, ms:")
    print("  " + "".ljust(24) + "".join(c.rjust(11) for c in COLUMNS))
    for label, ms in medians.items():
        print("  " + label.ljust(24) +
              "".join(f"{ms[c]:11.3f}" for c in COLUMNS))
    if PETSC not in medians:
        print("skipped: PETSc: not in this build (libpetsc-real-dev)")
        return
    ratio = {c: medians[PETSC][c] / medians[LIBRARY][c] for c in COLUMNS}
    for column, least in WANTED.items():
        print(verdict(f"{column}, times PETSc's speed", ratio[column], least))
    print(verdict("iteration, times PETSc's speed (ideal bytes give "
                  f"{ideal:.2f})", ratio["iteration"], WANTED_PART * ideal))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--iters", type=int, default=20)
    p.add_argument("--size", type=int, nargs=2, default=(400, 400))
    p.add_argument("--threads", type=int, nargs="+", default=(1, 2))
    args = p.parse_args()
    args.build = args.build.resolve()
    programs = [p for p in PROGRAMS
                if (args.build / "bench/fem" / p[1]).exists()]
    for threads in args.threads:
        medians, answers, ideal = measure(args, programs, threads)
        report(args, threads, medians, ideal)
        if max(answers.values()) - min(answers.values()) > 1e-6 * max(
                answers.values()):
            sys.exit(f"answers differ: {answers}")


if __name__ == "__main__":
    main()
