"""What VTK sees in the files of pictures.c: pictures.py hdf | xdmf | xdmf3

Ends with 77 where this VTK has no such reader. vtkHDFReader knows steps from VTK 9.3
on; before, it finds the mesh of one step (tets.vtkhdf)."""
import os
import sys

NX, NY, STEPS, MOVED = 7, 5, 4, 2
QUADS, NODES = NX * NY, (NX + 1) * (NY + 1)
TYPES = "f64 f32 i32 u32 i64 u64 i16 i8 u8".split()
TETS = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]

try:
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    if sys.argv[1] == "hdf":
        from vtkmodules.vtkIOHDF import vtkHDFReader as Reader
    elif sys.argv[1] == "xdmf3":
        from vtkmodules.vtkIOXdmf3 import vtkXdmf3Reader as Reader
    else:
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader as Reader
except ImportError as error:
    print(error)
    sys.exit(77)
ENDING = ".vtkhdf" if sys.argv[1] == "hdf" else ".xdmf"
VERSION = vtkVersion.GetVTKMajorVersion() * 100 + vtkVersion.GetVTKMinorVersion()


def value_of(e, k, step):
    return (e * 3 + k * 7 + step * 11) % 101


def equal(what, found, expected):
    if found != expected:
        print(f"{what}: expected {expected}, found {found}")
        sys.exit(1)


def open_file(name):
    reader = Reader()
    reader.SetFileName(os.path.abspath(name + ENDING))  # Xdmf3 fails on relative ones
    reader.UpdateInformation()
    return reader


def grid_at(reader, time=None):
    if time is None:
        reader.Update()
    else:
        reader.UpdateTimeStep(time)
    data = reader.GetOutputDataObject(0)
    while data.IsA("vtkCompositeDataSet"):
        found = data.NewIterator()
        found.InitTraversal()
        data = found.GetCurrentDataObject()
    if data.IsA("vtkPartitionedDataSet"):
        data = data.GetPartition(0)
    return data


def rows(array, n, dim):
    equal(f"{array.GetName()}: components", array.GetNumberOfComponents(), dim)
    equal(f"{array.GetName()}: rows", array.GetNumberOfTuples(), n)
    return [list(array.GetTuple(i)) for i in range(n)]


def nodes_of(grid, cell):
    ids = grid.GetCell(cell).GetPointIds()
    return [ids.GetId(i) for i in range(ids.GetNumberOfIds())]


def check_quads(grid, step):
    equal("cells", grid.GetNumberOfCells(), QUADS)
    equal("points", grid.GetNumberOfPoints(), NODES)
    for e in range(QUADS):
        at = e // NX * (NX + 1) + e % NX
        equal(f"type of cell {e}", grid.GetCellType(e), 9)
        equal(f"cell {e}", nodes_of(grid, e), [at, at + 1, at + NX + 2, at + NX + 1])
    for i in range(NODES):
        off = 0.125 * (i % (NX + 1)) if step >= MOVED else 0
        equal(f"point {i}", list(grid.GetPoint(i)),
              [0.5 * (i % (NX + 1)) + off, 0.5 * (i // (NX + 1)) + off, 0])
    cells, points = grid.GetCellData(), grid.GetPointData()
    pair = [[value_of(e, k, step) + 0.25 for k in range(2)] for e in range(QUADS)]
    five = [[value_of(e, k, 0) for k in range(5)] for e in range(QUADS)]
    if sys.argv[1] == "xdmf":  # vectors have three components
        equal("flow_q", rows(cells.GetArray("flow_q"), QUADS, 3), [p + [0] for p in pair])
    else:
        equal("flow_q", rows(cells.GetArray("flow_q"), QUADS, 2), pair)
    if sys.argv[1] == "hdf":
        equal("five", rows(cells.GetArray("five"), QUADS, 5), five)
    else:  # longer rows are arrays of their own
        for k in range(5):
            equal("five", rows(cells.GetArray(f"five_{k}"), QUADS, 1), [r[k:k + 1] for r in five])
    equal("t", rows(points.GetArray("t"), NODES, 1),
          [[value_of(i, 0, step) - 0.5] for i in range(NODES)])
    equal("v", rows(points.GetArray('v <"&>'), NODES, 3),
          [[value_of(i, k, 0) - 50 for k in range(3)] for i in range(NODES)])
    equal("flag", rows(cells.GetArray("flag"), QUADS, 1),
          [[e % 3 == 0] for e in range(QUADS)])
    for name in TYPES:
        equal(name, rows(cells.GetArray("types_" + name), QUADS, 1),
              [[value_of(e, 0, 0)] for e in range(QUADS)])


def check_steps():
    reader = open_file("quads")
    times = reader.GetOutputInformation(0).Get(
        vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    equal("times", list(times), [0.1 * s * s + 1 for s in range(STEPS)])
    for step in [0, 3, 1, 2]:
        check_quads(grid_at(reader, times[step]), step)


def check_tets():
    reader = open_file("tets")
    grid = grid_at(reader)
    equal("cells", grid.GetNumberOfCells(), len(TETS))
    equal("points", grid.GetNumberOfPoints(), 8)
    for e, nodes in enumerate(TETS):
        equal(f"type of cell {e}", grid.GetCellType(e), 10)
        equal(f"cell {e}", nodes_of(grid, e), nodes)
    for i in range(8):
        equal(f"point {i}", list(grid.GetPoint(i)), [i & 1, i >> 1 & 1, i >> 2])


check_tets()
if sys.argv[1] != "hdf" or VERSION >= 903:
    check_steps()
    print("ok")
else:
    print(f"ok: one step (VTK {vtkVersion.GetVTKVersion()})")
