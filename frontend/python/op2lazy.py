"""op2lazy in Python: sets, maps, dats as numpy arrays, kernels as C texts.

    import numpy as np
    import op2lazy as op2

    nodes, edges = op2.Set(3, "nodes"), op2.Set(2, "edges")
    ends = op2.Map(edges, nodes, [[0, 1], [1, 2]], "ends")
    u = op2.Dat(nodes, [1.0, 2.0, 4.0], name="u")
    res = op2.Dat(nodes, np.zeros(3), name="res")
    flux = op2.Kernel("flux", '''
        void flux(const double *a, const double *b, double *ra, double *rb) {
          *ra += *b - *a;
          *rb += *a - *b;
        }''')
    op2.par_loop(flux, edges, u(op2.READ, ends[0]), u(op2.READ, ends[1]),
                 res(op2.INC, ends[0]), res(op2.INC, ends[1]))
    print(res.data_ro)  # [1. 1. -2.]

Loops are recorded; they run when values are looked at (data_ro, data, fetch,
value), at flush() and at exit(). Nothing is built: the module loads the shared
library through ctypes, and needs numpy. One rank.

Values   Dat.data_ro and Dat.data are numpy views of the library's own memory,
         not copies. A view has the values of the moment it was asked for: ask
         again after loops. Through a view of `data` values are written until the
         next call of this module. After exit() views must not be used: keep
         copies (fetch).
Errors   raise OP2Error, with the place in the Python program, the loop and the
         argument; nothing is recorded then.
Options  are environment variables (doc/options.md), read by the first call.
Library  OP2LAZY_LIBRARY names it, else it is looked for beside this file, in
         build/ of the sources, and where the system has libraries.
"""
import atexit
import ctypes
import ctypes.util
import os
import pathlib
import sys
import threading

import numpy as np

__all__ = ["READ", "WRITE", "RW", "INC", "MIN", "MAX", "OP2Error", "Set", "Map",
           "Dat", "Global", "Kernel", "index", "par_loop", "flush", "pending",
           "explain", "counter", "write_trace", "target", "init", "exit"]

READ, WRITE, RW, INC, MIN, MAX = range(6)

# Names of types as the library knows them, one object each: it compares addresses.
_TYPES = {np.dtype(key): name for key, name in (
    ("f8", b"double"), ("f4", b"float"), ("i4", b"int"), ("u4", b"uint"),
    ("i8", b"ll"), ("u8", b"ull"), ("i2", b"short"), ("i1", b"char"),
    ("u1", b"uchar"), ("?", b"bool"))}


class OP2Error(Exception):
    """What the library refused, or could not do. status: an op2_status of op2.h."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


# ---- the library ------------------------------------------------------------


class _Set(ctypes.Structure):
    _fields_ = [("index", ctypes.c_int), ("size", ctypes.c_int)]


class _Arg(ctypes.Structure):
    """op_arg of op2.h."""
    _fields_ = [("index", ctypes.c_int), ("dat", ctypes.c_void_p),
                ("map", ctypes.c_void_p), ("dim", ctypes.c_int),
                ("idx", ctypes.c_int), ("size", ctypes.c_int),
                ("data", ctypes.c_void_p), ("data_d", ctypes.c_void_p),
                ("map_data", ctypes.c_void_p), ("map_data_d", ctypes.c_void_p),
                ("type", ctypes.c_void_p), ("acc", ctypes.c_int),
                ("argtype", ctypes.c_int), ("sent", ctypes.c_int),
                ("opt", ctypes.c_int)]


_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p,
                            ctypes.c_void_p)
_INT, _SIZE, _TEXT, _PTR = (ctypes.c_int, ctypes.c_size_t, ctypes.c_char_p,
                            ctypes.c_void_p)
_REAL = ctypes.c_double
_FUNCTIONS = {  # name: result, arguments
    "op_init": (None, _INT, _PTR, _INT),
    "op_exit": (None,),
    "op_decl_set": (_PTR, _INT, _TEXT),
    "op_decl_map": (_PTR, _PTR, _PTR, _INT, _PTR, _TEXT),
    "op2_decl_dat_at": (_PTR, _PTR, _INT, _TEXT, _SIZE, _TEXT, _PTR, _TEXT),
    "op2_decl_gbl": (_PTR, _INT, _TEXT, _PTR, _TEXT),
    "op2_free_gbl": (None, _PTR),
    "op2_gbl_get": (None, _PTR, _PTR),
    "op2_gbl_set": (None, _PTR, _PTR),
    "op_arg_dat": (_Arg, _PTR, _INT, _PTR, _INT, _TEXT, _INT),
    "op_arg_idx": (_Arg, _INT, _PTR),
    "op2_arg_idx_long": (_Arg, _INT, _PTR),
    "op2_arg_gbl": (_Arg, _PTR, _INT, _TEXT, _INT),
    "op2_arg_gbl_at": (_Arg, _INT, _PTR, _INT, _TEXT, _SIZE, _TEXT, _INT),
    "op2_par_loop_at": (None, _TEXT, _INT, _PTR, _TEXT, _PTR, _INT, _PTR),
    "op2_kernel_source": (_INT, _TEXT, _TEXT),
    "op2_dat_data": (_PTR, _PTR),
    "op2_dat_data_rw": (_PTR, _PTR),
    "op2_dat_zero": (None, _PTR),
    "op2_dat_copy": (None, _PTR, _PTR),
    "op2_dat_scale": (None, _PTR, _REAL),
    "op2_dat_axpy": (None, _PTR, _REAL, _PTR),
    "op2_dat_axpy_gbl": (None, _PTR, _REAL, _PTR, _PTR),
    "op2_dat_dot": (None, _PTR, _PTR, _PTR),
    "op2_dat_norm": (None, _PTR, _PTR),
    "op2_flush": (None,),
    "op2_pending": (_SIZE,),
    "op2_explain": (_TEXT,),
    "op2_counter": (ctypes.c_longlong, _TEXT),
    "op2_trace_write": (_INT, _TEXT),
    "op2_target_push": (_INT, _TEXT),
    "op2_target_pop": (_INT,),
    "op2_here": (None, _TEXT, _INT),
    "op2_last_error": (_TEXT,),
    "op2_set_error_handler": (None, _HANDLER, _PTR),
}


def _places():
    """Where the library may lie, the likeliest first."""
    here = pathlib.Path(__file__).resolve().parent
    name = "libop2lazy.so"
    if os.environ.get("OP2LAZY_LIBRARY"):
        yield os.environ["OP2LAZY_LIBRARY"]
        return
    for folder in (here, here.parent.parent, here.parent.parent / "build"):
        if (folder / name).is_file():
            yield str(folder / name)
    found = ctypes.util.find_library("op2lazy")
    if found:
        yield found


class _Library:
    """The shared library, loaded at the first use; an error it reports is raised
    by the call that led to it."""

    def __init__(self):
        self.lib = None
        self.up = False
        self.session = 0  # of handles: one from each init() to exit()
        self.thread = None
        self.errors = []
        self.kept = {}  # texts whose addresses the library keeps
        self.handler = _HANDLER(self._note)

    def _note(self, status, message, _user):
        self.errors.append((status, message.decode(errors="replace")))

    def _load(self):
        for place in _places():
            self.lib = ctypes.CDLL(place)
            break
        else:
            raise ImportError("libop2lazy.so: not beside this module, not in "
                              "build/ and not among the system's libraries; set "
                              "OP2LAZY_LIBRARY to its path")
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(self.lib, name)
            function.restype, function.argtypes = result, arguments
        self.lib.op2_set_error_handler(self.handler, None)

    def text(self, value):
        """The same bytes at the same address for the rest of the run."""
        if isinstance(value, str):
            value = value.encode()
        return self.kept.setdefault(value, value)

    def start(self):
        if not self.lib:
            self._load()
        if self.up:
            return
        self.lib.op_init(0, None, 0)
        self.check()
        self.up = True
        self.session += 1
        self.thread = threading.get_ident()

    def check(self):
        if self.errors:
            status, message = self.errors[0]
            self.errors.clear()
            raise OP2Error(status, message)

    def place(self):
        """File and line of the Python program's call."""
        frame = sys._getframe(1)
        while frame.f_code.co_filename == __file__ and frame.f_back:
            frame = frame.f_back
        return self.text(frame.f_code.co_filename), frame.f_lineno

    def call(self, name, *arguments):
        self.start()
        self.lib.op2_here(*self.place())
        result = getattr(self.lib, name)(*arguments)
        self.check()
        return result

    def status(self, name, *arguments):
        """A function that returns an op2_status."""
        status = self.call(name, *arguments)
        if status:
            raise OP2Error(status, self.lib.op2_last_error().decode())


_library = _Library()


def init():
    """Start the library, which the first declaration does, too."""
    _library.start()


def exit():
    """Run what waits and free everything: no handle and no view is valid then."""
    if _library.up:
        _library.up = False
        _library.lib.op_exit()
        _library.check()


atexit.register(exit)


def _live(thing):
    if not _library.up or thing.session != _library.session:
        raise OP2Error(8, f"{thing!r}: exit() made it void")
    return thing.handle


def _type_of(dtype):
    name = _TYPES.get(np.dtype(dtype))
    if name is None:
        raise TypeError(f"dtype {np.dtype(dtype)}: expected one of "
                        + ", ".join(str(t) for t in _TYPES))
    return name


def _pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


# ---- mesh ---------------------------------------------------------------------


class _Handle:
    def __init__(self, name, handle):
        self.name, self.handle = name, handle
        self.session = _library.session

    def __repr__(self):
        return f"{type(self).__name__} \"{self.name}\""


class Set(_Handle):
    """`size` elements."""

    def __init__(self, size, name="set"):
        super().__init__(name, _library.call("op_decl_set", size,
                                             name.encode()))
        self.size = size

    def __len__(self):
        return self.size


class Map(_Handle):
    """From each element of `source` to `arity` elements of `target`.

    values   [source.size, arity] numbers from 0; copied. One dimension: arity 1
    m[i]     entry i of each row, for arguments
    """

    def __init__(self, source, target, values, name="map"):
        table = np.ascontiguousarray(values, dtype=np.int32)
        if table.ndim == 1:
            table = table.reshape(-1, 1)
        if table.ndim != 2 or len(table) != source.size:
            raise ValueError(f"map \"{name}\": expected {source.size} rows, found "
                             f"an array of shape {np.shape(values)}")
        super().__init__(name, _library.call(
            "op_decl_map", _live(source), _live(target), table.shape[1],
            _pointer(table), name.encode()))
        self.source, self.target = source, target
        self.arity = table.shape[1]
        self.values = table
        self.values.flags.writeable = False

    def __getitem__(self, entry):
        if not 0 <= entry < self.arity:
            raise IndexError(f"map \"{self.name}\": entry {entry}: expected 0 to "
                             f"{self.arity - 1}")
        return (self, entry)


def _through(way):
    """Index and handle of the map, of None, m[i], or m for all its entries."""
    if way is None:
        return -1, None
    if isinstance(way, tuple):
        return way[1], _live(way[0])
    if way.arity == 1:
        raise ValueError(f"map \"{way.name}\" has one entry: use "
                         f"{way.name}[0], which gives the kernel T *")
    return -way.arity, _live(way)


class Dat(_Handle):
    """Values on a set.

    data    [set.size] or [set.size, dim] values; copied
    dtype   if it is not that of data; float64 float32, integers of 8 to 64 bits, bool
    d(access, way)   an argument: way is None for the loop's own element, m[i] for
            one entry of a map (the kernel gets T *), m for all (T **)
    """

    def __init__(self, on, data, dtype=None, name="dat"):
        array = np.ascontiguousarray(data, dtype=dtype)
        if array.ndim not in (1, 2) or len(array) != on.size:
            raise ValueError(f"dat \"{name}\": expected [{on.size}] or [{on.size}, "
                             f"dim] values, found {array.shape}")
        self.set, self.dtype, self.shape = on, array.dtype, array.shape
        self.dim = array.shape[1] if array.ndim == 2 else 1
        self.type = _type_of(array.dtype)
        super().__init__(name, _library.call(
            "op2_decl_dat_at", _live(on), self.dim, self.type,
            array.dtype.itemsize, self.type, _pointer(array), name.encode()))

    def __call__(self, access, way=None):
        idx, table = _through(way)
        return _library.lib.op_arg_dat(_live(self), idx, table, self.dim,
                                       self.type, access)

    def _view(self, function, writeable):
        at = _library.call(function, _live(self))
        if not self.set.size:
            return np.empty(self.shape, self.dtype)
        size = int(np.prod(self.shape)) * self.dtype.itemsize
        memory = (ctypes.c_char * size).from_address(at)
        view = np.frombuffer(memory, self.dtype).reshape(self.shape)
        view.flags.writeable = writeable
        return view

    @property
    def data_ro(self):
        """A view of the values: what they need runs first. To be read only."""
        return self._view("op2_dat_data", False)

    @property
    def data(self):
        """The same, to be written until the next call of this module, which takes
        all of it as written."""
        return self._view("op2_dat_data_rw", True)

    def fetch(self):
        """A copy of the values."""
        return self.data_ro.copy()

    def zero(self):
        """All values become zero. This and what follows are loops that wait."""
        _library.call("op2_dat_zero", _live(self))

    def copy(self, other):
        """The values become those of another dat."""
        _library.call("op2_dat_copy", _live(self), _live(other))

    def scale(self, a):
        """Times a number."""
        _library.call("op2_dat_scale", _live(self), a)

    def axpy(self, a, x, sign=1):
        """Add sign * a * x. a is a number, or a Global that loops may still compute:
        it is read when the loop runs."""
        if isinstance(a, Global):
            _library.call("op2_dat_axpy_gbl", _live(self), sign, _live(a),
                          _live(x))
        else:
            _library.call("op2_dat_axpy", _live(self), sign * a, _live(x))

    def dot(self, other, out=None):
        """The sum of products with another dat, in a Global (a new one, or `out`, which
        is overwritten)."""
        out = self._global() if out is None else out
        _library.call("op2_dat_dot", _live(self), _live(other), _live(out))
        return out

    def norm(self, out=None):
        """The root of the sum of squares, likewise."""
        out = self._global() if out is None else out
        _library.call("op2_dat_norm", _live(self), _live(out))
        return out

    def _global(self):
        return Global(0, self.dtype, self.name)


class Global(_Handle):
    """One value, or an array of them, that loops read and combine into without
    being waited for.

    value       reading it runs what it needs; what is assigned is seen by later loops
    g(access)   an argument
    """

    def __init__(self, value, dtype=None, name="global"):
        array = np.array(value, dtype=dtype)
        self.shape, self.dtype = array.shape, array.dtype
        self.dim, self.type = max(array.size, 1), _type_of(array.dtype)
        super().__init__(name, _library.call(
            "op2_decl_gbl", self.dim, self.type, _pointer(array), name.encode()))

    def __del__(self):
        if (_library.up and getattr(self, "session", 0) == _library.session
                and _library.thread == threading.get_ident()):
            _library.lib.op2_free_gbl(self.handle)  # loops that wait keep it

    def __call__(self, access):
        arg = _library.lib.op2_arg_gbl(_live(self), self.dim, self.type, access)
        arg.owner = self  # it lives until the loop is recorded
        return arg

    @property
    def value(self):
        out = np.empty(self.shape, self.dtype)
        _library.call("op2_gbl_get", _live(self), _pointer(out))
        return out if self.shape else out[()]

    @value.setter
    def value(self, value):
        new = np.empty(self.shape, self.dtype)
        new[...] = value
        _library.call("op2_gbl_set", _live(self), _pointer(new))


# ---- loops --------------------------------------------------------------------


class Kernel:
    """A C function `name` in the text `code`, void, with a pointer for each argument.
    An error of the compiler is raised here."""

    def __init__(self, name, code):
        self.name, self.code, self.session = name, code, 0
        self.compile()

    def compile(self):
        """Once from each init() to exit()."""
        _library.start()
        if self.session == _library.session:
            return
        _library.status("op2_kernel_source", self.name.encode(),
                        self.code.encode())
        self.session = _library.session

    def __repr__(self):
        return f"Kernel \"{self.name}\""


def index(way=None, long=False):
    """The number of the loop's element, or of m[i], as const int *, or, long, as
    const long long *."""
    _library.start()
    lib = _library.lib
    return (lib.op2_arg_idx_long if long else lib.op_arg_idx)(*_through(way))


def _parameter(value):
    """A number or an array that the loop reads, as it is now."""
    array = np.ascontiguousarray(value)
    name = _type_of(array.dtype)
    arg = _library.lib.op2_arg_gbl_at(1, _pointer(array), max(array.size, 1),
                                      name, array.dtype.itemsize, name, READ)
    return arg, array


def par_loop(kernel, over, *arguments):
    """Record kernel for each element of `over`. Arguments are made by dats, globals
    and index(); a number or an array is read as it is now."""
    kernel.compile()
    made = [(a, None) if isinstance(a, _Arg) else _parameter(a)
            for a in arguments]  # arrays live until the call is over
    table = (_Arg * max(len(made), 1))(*[arg for arg, _ in made])
    file, line = _library.place()
    _library.lib.op2_par_loop_at(file, line, None, _library.text(kernel.name),
                                 _live(over), len(made), table)
    _library.check()


def flush():
    """Run all that waits."""
    _library.call("op2_flush")


def pending():
    """Loops that wait."""
    return _library.call("op2_pending")


def explain():
    """The last flush in words: why it was, what was fused, what not and why."""
    return _library.call("op2_explain").decode()


def counter(name):
    """A counter of the library, by name (doc/debugging.md)."""
    value = _library.call("op2_counter", name.encode())
    if value < 0:
        raise KeyError(name)
    return value


def write_trace(path):
    """What waits, or else the last flush: .irt text, .dot graph, .json timeline."""
    _library.status("op2_trace_write", os.fspath(path).encode())


class target:
    """`with target("opencl"):` loops recorded inside run there."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        _library.status("op2_target_push", self.name.encode())

    def __exit__(self, *_):
        _library.status("op2_target_pop")
