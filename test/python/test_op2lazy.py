"""frontend/python/op2lazy.py against numpy, exact in integers and small floats."""
import subprocess
import sys
import unittest

import numpy as np

import op2lazy as op2

N = 200

FLUX = op2.Kernel("flux", """
    void flux(const double *a, const double *b, double *ra, double *rb) {
      *ra += *b - *a;
      *rb += *a - *b;
    }""")
RING = np.array([[i, (i + 7) % N] for i in range(N)])


def ring():
    nodes, edges = op2.Set(N, "nodes"), op2.Set(N, "edges")
    return nodes, edges, op2.Map(edges, nodes, RING, "ends")


class Loops(unittest.TestCase):
    def test_increments(self):
        nodes, edges, ends = ring()
        start = np.arange(N) ** 2 % 17.0
        u = op2.Dat(nodes, start, name="u")
        res = op2.Dat(nodes, np.zeros(N), name="res")
        op2.par_loop(FLUX, edges, u(op2.READ, ends[0]), u(op2.READ, ends[1]),
                     res(op2.INC, ends[0]), res(op2.INC, ends[1]))
        self.assertEqual(op2.pending(), 1)
        want = np.zeros(N)
        np.add.at(want, RING[:, 0], start[RING[:, 1]] - start[RING[:, 0]])
        np.add.at(want, RING[:, 1], start[RING[:, 0]] - start[RING[:, 1]])
        np.testing.assert_array_equal(res.data_ro, want)
        self.assertEqual(op2.pending(), 0)

    def test_vectors_indices_parameters(self):
        nodes, edges, ends = ring()
        x = op2.Dat(nodes, np.arange(2 * N).reshape(N, 2), np.int64, "x")
        y = op2.Dat(edges, np.zeros((N, 3)), np.int32, "y")
        take = op2.Kernel("take", """
            void take(long long **x, const int *e, const long long *n,
                      const double *scale, const int *add, int *y) {
              y[0] = (int)(x[0][1] + x[1][0]);
              y[1] = (int)(*e + 1000 * *n);
              y[2] = (int)(*scale * add[1]);
            }""")
        add = np.array([5, 6], np.int32)
        op2.par_loop(take, edges, x(op2.READ, ends), op2.index(),
                     op2.index(ends[1], long=True), 2.5, add, y(op2.WRITE))
        add[:] = 0  # it was read at the call
        e = np.arange(N)
        want = np.stack([2 * RING[:, 0] + 1 + 2 * RING[:, 1],
                         e + 1000 * RING[:, 1], np.full(N, 15)], axis=1)
        np.testing.assert_array_equal(y.data_ro, want)

    def test_extremes_through_maps(self):
        nodes, edges, ends = ring()
        w = op2.Dat(edges, (np.arange(N) * 37 % 101).astype(np.float32))
        low = op2.Dat(nodes, np.full(N, 1000, np.float32), name="low")
        least = op2.Kernel("least", """
            void least(const float *w, float *a, float *b) {
              if (*w < *a) *a = *w;
              if (*w < *b) *b = *w;
            }""")
        op2.par_loop(least, edges, w(op2.READ), low(op2.MIN, ends[0]),
                     low(op2.MIN, ends[1]))
        want = np.full(N, 1000, np.float32)
        for e, (a, b) in enumerate(RING):
            value = np.float32(e * 37 % 101)
            want[a], want[b] = min(want[a], value), min(want[b], value)
        np.testing.assert_array_equal(low.fetch(), want)

    def test_globals_wait(self):
        cells = op2.Set(N, "cells")
        d = op2.Dat(cells, np.arange(N), np.int32, "d")
        total = op2.Global(np.zeros(2, np.int64), name="total")
        add = op2.Kernel("add", """
            void add(const int *d, long long *t) { t[0] += *d; t[1] += 1; }""")
        for _ in range(3):
            op2.par_loop(add, cells, d(op2.READ), total(op2.INC))
        self.assertEqual(op2.pending(), 3)
        self.assertEqual(list(total.value), [3 * N * (N - 1) // 2, 3 * N])
        total.value = [5, 6]
        op2.par_loop(add, cells, d(op2.READ), total(op2.INC))
        self.assertEqual(list(total.value), [5 + N * (N - 1) // 2, 6 + N])
        self.assertEqual(op2.Global(2.5).value, 2.5)

    def test_globals_go_with_their_names(self):
        cells = op2.Set(N, "cells")
        d = op2.Dat(cells, np.ones(N), name="d")
        add = op2.Kernel("add_to", "void add_to(double *d, const double *g)"
                         " { *d += *g; }")
        for k in range(4):
            op2.par_loop(add, cells, d(op2.RW), op2.Global(float(k))(op2.READ))
        self.assertEqual(d.data_ro[5], 1 + 0 + 1 + 2 + 3)


class Algebra(unittest.TestCase):
    def test_values(self):
        cells = op2.Set(7, "cells")
        x0 = np.arange(14.0).reshape(7, 2)
        x, y = op2.Dat(cells, x0, name="x"), op2.Dat(cells, x0 + 1, name="y")
        y.axpy(3, x)
        a = x.dot(x)
        y.axpy(a, x, sign=-1)
        x.scale(2)
        self.assertGreater(op2.pending(), 3)
        self.assertEqual(a.value, (x0 * x0).sum())
        np.testing.assert_array_equal(x.fetch(), 2 * x0)
        np.testing.assert_array_equal(y.fetch(),
                                      x0 + 1 + 3 * x0 - (x0 * x0).sum() * x0)
        y.copy(x)
        x.zero()
        self.assertEqual(x.norm(out=a).value, 0)
        self.assertEqual(y.norm().value, np.sqrt((4 * x0 * x0).sum()))

    def test_integers_and_errors(self):
        cells = op2.Set(5, "cells")
        n = op2.Dat(cells, np.arange(5, dtype=np.int32), name="n")
        n.axpy(2, n)
        self.assertEqual(n.dot(n).value, 9 * 30)
        with self.assertRaisesRegex(op2.OP2Error, "op2_dat_scale: a: expected a"):
            n.scale(0.5)
        with self.assertRaisesRegex(op2.OP2Error, "op2_dat_norm: x: wrong type"):
            n.norm()
        other = op2.Dat(op2.Set(5, "nodes"), np.zeros(5, np.int32), name="m")
        with self.assertRaisesRegex(op2.OP2Error, "wrong set"):
            n.copy(other)


class Views(unittest.TestCase):
    def setUp(self):
        self.cells = op2.Set(N, "cells")
        self.d = op2.Dat(self.cells, np.arange(2.0 * N).reshape(N, 2), name="d")
        self.twice = op2.Kernel(
            "twice", "void twice(double *d) { d[0] *= 2; d[1] *= 2; }")

    def test_no_copies(self):
        a, b = self.d.data_ro, self.d.data_ro
        self.assertTrue(np.shares_memory(a, b))
        self.assertFalse(a.flags.writeable)
        with self.assertRaises(ValueError):
            a[0, 0] = 1

    def test_writing(self):
        op2.par_loop(self.twice, self.cells, self.d(op2.RW))
        view = self.d.data  # the loop ran
        self.assertEqual(view[3, 1], 14)
        view[3, 1] = -1
        op2.par_loop(self.twice, self.cells, self.d(op2.RW))
        self.assertEqual(self.d.data_ro[3, 1], -2)
        self.assertEqual(self.d.data_ro[4, 0], 32)

    def test_empty_set(self):
        none = op2.Set(0, "none")
        d = op2.Dat(none, np.zeros((0, 2)))
        op2.par_loop(self.twice, none, d(op2.RW))
        self.assertEqual(d.data_ro.shape, (0, 2))


class Errors(unittest.TestCase):
    def test_place_and_argument(self):
        nodes, edges, ends = ring()
        u = op2.Dat(nodes, np.zeros(N), name="u")
        with self.assertRaises(op2.OP2Error) as caught:
            op2.par_loop(FLUX, edges, u(op2.READ), u(op2.READ, ends[1]),
                         u(op2.INC, ends[0]), u(op2.INC, ends[1]))
        for words in ("test_op2lazy.py:", "flux", "argument 0"):
            self.assertIn(words, str(caught.exception))
        self.assertEqual(op2.pending(), 0)

    def test_compiler(self):
        with self.assertRaises(op2.OP2Error) as caught:
            op2.Kernel("broken", "void broken(double *x) { *x = nothing; }")
        self.assertIn("nothing", str(caught.exception))
        self.assertEqual(caught.exception.status, 3)

    def test_before_the_library(self):
        nodes, edges, ends = ring()
        one = op2.Map(edges, nodes, np.zeros(N, int), "one")
        u = op2.Dat(nodes, np.zeros(N), name="u")
        with self.assertRaisesRegex(ValueError, "expected 200 rows"):
            op2.Map(edges, nodes, [[0, 1]], "short")
        with self.assertRaisesRegex(IndexError, "entry 2: expected 0 to 1"):
            u(op2.READ, ends[2])
        with self.assertRaisesRegex(ValueError, "one entry"):
            u(op2.READ, one)
        with self.assertRaisesRegex(TypeError, "complex128"):
            op2.Dat(nodes, np.zeros(N, complex))
        with self.assertRaisesRegex(op2.OP2Error, "far.*200"):
            op2.Map(edges, nodes, np.full(N, 200), "far")

    def test_why_it_ran(self):
        nodes, edges, ends = ring()
        u = op2.Dat(nodes, np.zeros(N), name="u")
        res = op2.Dat(nodes, np.zeros(N), name="looked_at")
        op2.par_loop(FLUX, edges, u(op2.READ, ends[0]), u(op2.READ, ends[1]),
                     res(op2.INC, ends[0]), res(op2.INC, ends[1]))
        res.fetch()
        first = op2.explain().splitlines()[0]
        self.assertIn('dat "looked_at", by op2_dat_data', first)
        self.assertIn("test_op2lazy.py:", first)
        with self.assertRaises(KeyError):
            op2.counter("of no such name")

    def test_void_after_exit(self):
        program = """
import numpy as np, op2lazy as op2
s = op2.Set(3, "s")
d = op2.Dat(s, np.zeros(3), name="late")
twice = op2.Kernel("twice", "void twice(double *x) { *x *= 2; }")
op2.par_loop(twice, s, d(op2.RW))
op2.exit()
try:
    d.fetch()
except op2.OP2Error as e:
    print(e)
t = op2.Set(2, "again")
e = op2.Dat(t, np.ones(2))
op2.par_loop(twice, t, e(op2.RW))
print(e.fetch())
try:
    d.fetch()
except op2.OP2Error as e:
    print(e)
"""
        done = subprocess.run([sys.executable, "-c", program], check=True,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout,
                         'Dat "late": exit() made it void\n[2. 2.]\n'
                         'Dat "late": exit() made it void\n')


if __name__ == "__main__":
    unittest.main()
