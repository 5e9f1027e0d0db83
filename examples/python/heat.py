"""Heat on a plate: an explicit scheme on the nodes of a grid, edges that carry heat.

    python3 examples/python/heat.py [nodes a side] [picture.png]

Prints the heat at the beginning and in the end, which no edge changes, and draws
the plate where matplotlib is there.
"""
import pathlib
import sys

import numpy as np

try:
    import op2lazy as op2
except ImportError:  # in the sources, not installed
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                           / "frontend/python"))
    import op2lazy as op2

n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
STEPS, PART = 500, 0.125  # of a difference that passes in a step

# ---- the mesh: nodes of a grid, an edge between neighbours ----
number = np.arange(n * n).reshape(n, n)
across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
down = np.stack([number[:-1, :].ravel(), number[1:, :].ravel()], axis=1)
nodes = op2.Set(n * n, "nodes")
edges = op2.Set(len(across) + len(down), "edges")
ends = op2.Map(edges, nodes, np.concatenate([across, down]), "ends")

# ---- a hot square ----
start = np.zeros((n, n))
start[n // 4:n // 2, n // 4:n // 2] = 256
u = op2.Dat(nodes, start.ravel(), name="u")
gain = op2.Dat(nodes, np.zeros(n * n), name="gain")
heat = op2.Global(0.0, name="heat")

# ---- kernels ----
flow = op2.Kernel("flow", """
    void flow(const double *part, const double *a, const double *b,
              double *gain_a, double *gain_b) {
      double f = *part * (*b - *a);
      *gain_a += f;
      *gain_b -= f;
    }""")
step = op2.Kernel("step", """
    void step(double *u, double *gain) {
      *u += *gain;
      *gain = 0;
    }""")
total = op2.Kernel("total", """
    void total(const double *u, double *heat) { *heat += *u; }""")


def measure():
    """All heat of the plate. The loop waits until `value` is asked for."""
    heat.value = 0
    op2.par_loop(total, nodes, u(op2.READ), heat(op2.INC))
    return heat.value


begin = measure()
for k in range(STEPS):
    op2.par_loop(flow, edges, PART, u(op2.READ, ends[0]), u(op2.READ, ends[1]),
                 gain(op2.INC, ends[0]), gain(op2.INC, ends[1]))
    op2.par_loop(step, nodes, u(op2.RW), gain(op2.RW))
    if k % 50 == 49:
        op2.flush()
end = measure()
plate = u.data_ro.reshape(n, n)  # a view, not a copy
print(f"heat {begin:.6g} at the beginning, {end:.6g} in the end; the hottest "
      f"node has {plate.max():.4g}")
if abs(end - begin) > 1e-9 * begin:  # sums of 500 steps, 1e-16 each
    sys.exit("heat was lost")

try:
    from matplotlib import pyplot
except ImportError:
    print("no picture: matplotlib is not there")
else:
    picture = sys.argv[2] if len(sys.argv) > 2 else "heat.png"
    pyplot.imshow(plate, cmap="inferno")
    pyplot.colorbar(label="temperature")
    pyplot.savefig(picture)
    print("the plate is in", picture)
