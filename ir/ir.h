/* The trace IR: what a program asked for, before anybody ran it.
 *
 * A trace is a list of nodes in program order over declarations (sets, maps,
 * dats, kernels). The file to read first; ir/ops.def, base/access.def and
 * base/types.def are its tables, doc/ir.md its grammar.
 *
 *   trace @step {
 *     set %cells n=720000
 *     set %edges n=1437600
 *     map %pecell : %edges -> %cells x2
 *     dat %q   : %cells f64 x4
 *     dat %res : %cells f64 x4
 *     gbl %rms : f64 x1
 *     param %p0 : f64 x1
 *     kernel @res_calc
 *     %res.1 = loop @res_calc over %edges (
 *         read %q.0 via %pecell[0], read %q.0 via %pecell[1],
 *         inc %res.0 via %pecell[0], inc %res.0 via %pecell[1])
 *         loc "airfoil.c":312
 *     fetch %res.1
 *   }
 *
 * The other nodes: `%b.1 = copy read %a.0, write %b` (alias likewise), `%g.1 =
 * set read %p0, write %g`, `free %t.3`, `live %a.1, %g.2` (`live none`). Loops
 * of one region stand in `region over %cells walk range { ... }`.
 *
 * Values. A dat or global has versions; version 0 is what it held when the
 * trace began. A node that writes defines the next version, so dependences are
 * operands: `in` is the version that an argument needs, `out` the one that its
 * node defines. A WRITE that provably covers every element needs no old
 * version: `write %adt` (in == IR_NONE); any other names the one that shows
 * through: `write %adt.3`. All arguments of a node on one storage share one
 * `out`, and one `in`.
 *
 * Storage. Dats that overlap in memory (overlays, user arrays) share one
 * `root`: versions are counted there and no pass may rename or move them. Such
 * an argument prints as `read %root.0 as %view`. Otherwise root is the dat.
 *
 * Same. `same %qold.0 %q.0`: two initial versions that lie in one buffer when
 * the trace begins (an ALIAS of a former trace). Pass rename makes ALIAS nodes.
 *
 * Places. A loop runs on its `target`; version 0 of a dat lies on the host, or
 * `at` a device, or on `both`. Pass place puts `upload %q.0 on "opencl"` and
 * `download %q.1 on "opencl"` where data have to move.
 *
 * Ranks. A set may lie over ranks, each of which has a part with copies of what
 * lies around it. `dat ... right 0` says how far out version 0 is right (all of
 * it, if nothing is said), `level=1` how far out a loop runs; pass halo puts
 * `exchange %q.0 to 0 via 1` before who needs it. struct reach has the meaning
 * of these numbers.
 *
 * Access. IR accesses are what is *proven*: OP_INC whose kernel also reads the
 * argument is `rw` here. Opaque kernels prove nothing.
 *
 * References are 32-bit indices into the trace's arrays; IR_NONE is none. The
 * arrays grow, so hold references, not pointers, across ir_add_* calls.
 * `tag` on declarations is the owner's number (frontend); it is not printed.
 */
#ifndef IR_IR_H
#define IR_IR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/reach.h"
#include "base/str.h"
#include "base/table.h"
#include "base/target.h"
#include "base/types.h"

typedef uint32_t ir_ref;
#define IR_NONE UINT32_MAX

enum ir_op {
#define OP(name, text, min_args, max_args, root, meaning) IR_##name,
#include "ir/ops.def"
#undef OP
  IR_OP_COUNT
};

struct ir_op_info {
  const char *text;
  int min_args, max_args;
  bool root;
  const char *meaning;
};
extern const struct ir_op_info ir_op_info[IR_OP_COUNT];

/* Words after declarations and nodes; one row each in ir/flags.def. */
enum ir_flag_owner {
  IR_FLAGS_SET,
  IR_FLAGS_MAP,
  IR_FLAGS_DAT,
  IR_FLAGS_GBL,
  IR_FLAGS_KERNEL,
  IR_FLAGS_NODE
};
struct ir_flag_info {
  const char *text;
  enum ir_flag_owner owner;
  uint32_t bit;
  const char *meaning;
};
extern const struct ir_flag_info ir_flag_info[];
extern const uint32_t ir_flag_count;

/* An area of points as seen from a box's domain: side 2 d is how far it begins
 * below the first in dimension d, 2 d + 1 how far it ends above the last;
 * negative: inside. Or where an entry lies, as seen from its point. Prints as
 * (-1:2,0): in the first dimension from 1 below to 2 above, then neither. */
enum { IR_DIMS = 4, IR_SIDES = 2 * IR_DIMS };
struct ir_area {
  int at[IR_SIDES]; /* 0 in dimensions that there are not */
};
/* The same in one dimension. */
struct ir_span {
  int below, above;
};
/* In each dimension that tiles of a chain have sides in, in its order. */
struct ir_spans {
  struct ir_span at[IR_DIMS];
};

/* set %name n=<n> [renumbered] [parts] [alike] [auto] [rcm] [bisect] [spaced]
 *     [levels <n> ...] [deepest=<depth>] [points <area> [of %box]]
 *     [sides <n> [periodic] ...]
 *   renumbered  elements are not numbered as the program numbers them: who
 *               shows a number to the program translates it
 *   parts       it lies over ranks; n counts all of them
 *   alike       in parts, of which each rank shows the same numbers: the
 *               program declared all of it
 *   auto        pass number says whether elements get other numbers, and which:
 *               `rcm` or `bisect`; of points around a domain whether their
 *               lines lie apart, `spaced`. Without it, these say which they
 *               have. No loop goes over a spaced set, and no map from it
 *   levels      elements of L_0, L_1, ... (ir/extent.h) where they are most
 *   deepest     of parts: elements lie by depth (base/reach.h), most of them so
 *               deep, none deeper
 *   points      they lie in dimensions: the domain of a box, or, `of` that one,
 *               an area around it
 *   sides       points of the domain in each dimension, of which the first one
 *               changes from one point to the next. Of a periodic one rules
 *               say nothing: all entries seem to lie at their point
 */
enum {
  IR_SET_RENUMBERED = 1,
  IR_SET_PARTS = 2,
  IR_SET_AUTO = 4,
  IR_SET_RCM = 8,
  IR_SET_BISECT = 16,
  IR_SET_ALIKE = 32,
  IR_SET_SPACED = 64
};
struct ir_set {
  const char *name;
  idx_g n;
  uint32_t flags;
  uint32_t tag;
  const idx_g *levels; /* in the arena; NULL: not known */
  uint32_t nlevels;
  uint32_t deepest; /* 1: nobody has put them by depth; 0: in no parts */
  uint32_t ndim;    /* of points; 0: it has none */
  uint32_t box;     /* 1 + the domain that they lie around; 0: they are one */
  struct ir_area area;
  idx_g side[IR_DIMS]; /* of a domain; 0: not known */
  uint32_t periodic;   /* bit d: dimension d */
};

/* map %name : %from -> %to x<arity> [onto] [injective] [repeats]
 *     [column] [turns] [scatter=<lines>] [drift=<targets>]
 *     [run=<length> [at=<entry>]] [stretch=<length> [still=<entries>]]
 *     [rule <area> ...]
 * relation %name : %from -> %to <rows> [%of ...] [onto] ... [usual=<length>]
 *     [step=<step>] [starts %other]
 *     [layers <first> <last> of <height> apart <apart>]
 *   rows       where they come from (rows.def). They may have a length each:
 *              a loop goes over them (`for %e in %name`), or an argument names
 *              all entries that there are (`[0:k]`: at most k)
 *   onto       every target element is hit by entry 0..arity-1 of some row
 *   injective  no target element is hit twice by any entries of any rows
 *   repeats    some row names a target twice
 *   column     it stays in a column: no two elements of the base reach one
 *              element by such
 *   turns      a rule: dimensions are periodic in which entries have offsets,
 *              on whose other side these come in again
 *   beside     of csr: rows have one length, not 0, and entry i of the next row
 *              names what lies one behind what it names in this one
 *   counts     of csr: entries of all rows, one after another, name 0, 1, 2 ...
 *   scatter    cache lines that a thousand entries in order take, if measured
 *   drift      targets between those that elements so far have done with and
 *              the farthest that they have gone to, at most, if measured
 *   run        so many elements one after another name the same target in entry
 *              `at` (0 if not said), on average; no entry has longer runs
 *   stretch    elements lie in stretches, of so many on average, along which
 *              each entry names the next target at the next element; of the
 *              entries whose bits are in `still` the same one
 *   usual      of csr: more than half of the rows that are not empty have this
 *              length
 *   step       along each row of csr the next entry names the target so many
 *              further on
 *   starts     of csr: its rows begin where those of the other do, an earlier
 *              relation of the same set
 *   layers     of csr: each row goes from layer `first` of its element's column
 *              to layer `last`, all columns have `height` layers, and elements
 *              of two layers that follow each other are numbered so far apart
 *   rule       between points: where each entry lies, over all colours; in the
 *              domain in dimensions that are periodic
 */
enum {
  IR_MAP_ONTO = 1,
  IR_MAP_INJECTIVE = 2,
  IR_MAP_REPEATS = 4,
  IR_MAP_COLUMN = 8,
  IR_MAP_TURNS = 16,
  IR_MAP_BESIDE = 32,
  IR_MAP_COUNTS = 64,
  IR_MAP_LINES = 128
};
enum ir_rows {
#define ROWS(name, text, of, meaning) IR_ROWS_##name,
#include "ir/rows.def"
#undef ROWS
  IR_ROWS_COUNT
};
enum { IR_ROWS_OF = 2 };
struct ir_rows_info {
  const char *text;
  uint32_t of; /* relations that it is made from */
  const char *meaning;
};
extern const struct ir_rows_info ir_rows_info[IR_ROWS_COUNT];
struct ir_rows_layers {
  idx_l first, last;
  idx_l height; /* 0: not known */
  idx_l apart;
};
struct ir_map {
  const char *name;
  ir_ref from, to;
  uint32_t arity; /* 0: rows have a length each */
  uint32_t flags;
  uint32_t tag;
  enum ir_rows rows;
  ir_ref of[IR_ROWS_OF]; /* as many as ir_rows_info says */
  uint32_t scatter;      /* 1 + that; 0: not measured */
  uint32_t drift;        /* likewise */
  uint32_t run;          /* 0: not measured */
  uint32_t run_entry;    /* the one that has them */
  uint32_t stretch;      /* 0: none are known */
  uint32_t still;        /* bit i: entry i */
  uint32_t usual;        /* 0: none is known */
  int32_t step;          /* likewise */
  uint32_t starts;       /* 1 + the other; 0: none is known */
  struct ir_rows_layers layers;
  const struct ir_area *rule; /* [arity], in the arena; NULL: not known */
};

/* dat %name : %set f64 x<dim> [block=<b>] [device=<b>] [temp] [pinned] [auto]
 *     [rows] [both] [at "device"] [right <own> [via <via>]] [storage %root]
 * gbl %name : f64 x<dim> [raw] [storage %root]     a global: one value, set is
 *                                   IR_NONE
 * param %name : f64 x<dim>         a value captured at the call; never written
 *                                  (work %name: its room as scratch of a
 *                                  thread)
 * inline %name : %set f64 x<dim> of <parts>     values of an element that a
 *                                  region makes and reads again, in registers:
 *                                  they have no memory (passes/inline.c)
 *   block   1 AoS (default), 0 SoA, b AoSoA: component c of element e lies at
 *           (e/b)*dim*b + c*b + e%b
 *   device  likewise on devices: 0 (default) or 1. Memory that several dats
 *           share lies there as on the host
 *   pinned  lies in memory the user holds: never renamed or moved
 *   auto    pass layout chooses its block, and that on devices
 *   rows    some loop, perhaps of an earlier trace, works on whole elements
 *   at      the device where version 0 is valid; with `both` on the host, too
 *   right   how far out version 0 is right, of a set in parts
 *   raw     a raw pointer of the program: delivered, not kept
 *   unread  and overwritten by the program before it read that */
enum ir_dat_kind { IR_DAT, IR_GBL, IR_PARAM, IR_INLINE };
enum {
  IR_DAT_TEMP = 1,
  IR_DAT_PINNED = 2,
  IR_DAT_RAW = 4,
  IR_DAT_BOTH = 8,
  IR_DAT_AUTO = 16,
  IR_DAT_ROWS = 32,
  IR_DAT_UNREAD = 64
};
struct ir_dat {
  const char *name;
  uint32_t kind; /* enum ir_dat_kind */
  ir_ref set;
  struct type type;
  uint32_t dim;
  uint32_t parts; /* INLINE: so many values of `dim` components; 0 else */
  uint32_t block, device;
  uint32_t flags;
  const char *at;     /* a device's target; NULL: version 0 lies on the host */
  struct reach reach; /* of version 0, where the set is in parts */
  ir_ref root;        /* whose versions count; itself if alone */
  uint32_t nvalues;   /* versions so far, of a root */
  ir_ref last;        /* newest version while building, of a root */
  uint32_t tag;
};

/* kernel @name [opaque [promised]] [effects] [work=<operations>]
 *        [copies <from> <to>]
 *   opaque   no IR: called through its address, proves nothing
 *   promised  the program promises that it does what its arguments declare
 *   effects  does I/O or writes globals: keeps its place, never fused
 *   work     what a call computes, in additions, where loops go over points or
 *            add along runs of a map
 *   copies   argument <to> becomes an exact copy of argument <from>, no more */
enum { IR_KERNEL_OPAQUE = 1, IR_KERNEL_EFFECTS = 2, IR_KERNEL_PROMISED = 4 };
struct ir_kernel {
  const char *name;
  uint32_t flags;
  int copy_from, copy_to; /* -1: not a copy */
  uint32_t work;          /* 1 + that; 0: nobody counted */
  uint32_t tag;
};

/* DAT     read %q.0 [as %view] [via %map[i] | via %map[0:k]]
 * GBL     inc %rms.0, read %g.2
 * PARAM   read %p0
 * IDX     idx, idx via %map[i]; NUMBER the same: number via %map[i]
 * LENGTH  length via %map
 * INFO    info %loc.0 of 4
 * OFF     off */
enum ir_arg_kind {
#define ARG(name, word, of, map, number, meaning) IR_ARG_##name,
#include "ir/args.def"
#undef ARG
  IR_ARG_COUNT
};
enum { IR_ARG_OF_NONE = 255 };
struct ir_arg_info {
  const char *word;
  uint8_t of;         /* enum ir_dat_kind; IR_ARG_OF_NONE */
  bool map;           /* it may go through one */
  struct type number; /* size 0: it is none */
};
extern const struct ir_arg_info ir_arg_info[IR_ARG_COUNT];

/* An argument through a map names its row's entries [entry, entry +
 * ir_arg_count): one, or as many as the kernel gets pointers to (`vector`,
 * prints [i:k]; of rows that have a length each those that there are); direct:
 * map == IR_NONE, both 0, but of an INLINE they name parts (%q.1[0:3]). In a
 * loop over rows its path may begin at the row's element: via %e, via %e
 * %map[i]; with shift=1 behind that the map is known to name, of all elements
 * in the rows, the next one. With `own` (inc %res.0 own
 * via %e %map[i], rows of the inverse of map) it is the loop's element that it
 * adds to (or makes less or greater), where its path leads there; else what it
 * brings is dropped.
 * The access of an INFO argument is ACC_RW (the payload survives where no
 * element improves); PARAM, numbers and OFF are ACC_READ and have no
 * versions. */
struct ir_arg {
  uint8_t kind;     /* enum ir_arg_kind */
  uint8_t access;   /* enum access */
  bool own;         /* combined: of what its path leads to the loop's element */
  uint16_t info_of; /* IR_ARG_INFO: number of the argument it belongs to */
  struct reach reach;     /* EXCHANGE: how far out */
  uint32_t entry, vector; /* vector 0: not one */
  ir_ref dat;             /* declaration as the program named it */
  ir_ref map;
  uint32_t each;  /* 1 + the relation whose row it begins with; 0: none */
  int32_t shift;  /* from the row's element to the one named; 0: not known */
  ir_ref in, out; /* ir_value */
};

/* Flags of a node.
 *   overdue   left out of two slices before: the next one takes it along
 *   deferred  left out of this slice: stays pending (set by pass slice)
 *   serial    one thread, in the program's order of elements (RW globals, ...)
 *   apart     never fused: known to be faster alone */
enum {
  IR_NODE_OVERDUE = 1,
  IR_NODE_DEFERRED = 2,
  IR_NODE_SERIAL = 4,
  IR_NODE_APART = 8
};
struct ir_node {
  uint8_t op; /* enum ir_op */
  uint8_t flags;
  uint32_t each;      /* LOOP: 1 + the relation for whose entries the kernel is
                         called, one after another; 0: once for each element */
  ir_ref kernel, set; /* LOOP; IR_NONE else */
  ir_ref arg0;        /* its arguments are args[arg0 .. arg0+nargs) */
  uint32_t nargs;
  ir_ref region;      /* set by pass fuse, IR_NONE before */
  const char *target; /* where it runs, from where or where to data move; NULL:
                         the host, all threads */
  uint32_t level;     /* LOOP over a set in parts: it runs over L_level; set by
                         pass halo */
  const char *file;   /* the program's call; NULL if none */
  int line;
  uint32_t epoch; /* version of the constants the kernel uses, 0 first */
  uint32_t tag;   /* position in the recording */
};

/* Version `version` of `dat` (a root). */
struct ir_value {
  ir_ref dat;
  uint32_t version;
  ir_ref def;    /* node; IR_NONE: held when the trace began */
  ir_ref same;   /* the value whose data this one names (ALIAS, same); itself
                    if none. Always fully resolved: values[same].same==same */
  ir_ref buffer; /* set by pass storage */
};

/* In which order a region goes over its elements: walks.def, walk.h. */
enum ir_walk {
  IR_WALK_NONE, /* not chosen yet */
#define WALK(name, text, host, device, safe, meaning) IR_WALK_##name,
#include "ir/walks.def"
#undef WALK
  IR_WALK_COUNT
};

/* Who runs its shares: teams.def, walk.h. */
enum ir_team {
  IR_TEAM_NONE, /* not chosen yet */
#define TEAM(name, text, meaning) IR_TEAM_##name,
#include "ir/teams.def"
#undef TEAM
  IR_TEAM_COUNT
};

/* How a region holds an operand: holds.def, hold.h. */
enum ir_hold {
  IR_HOLD_NONE, /* not chosen yet */
#define HOLD(name, text, of, meaning) IR_HOLD_##name,
#include "ir/holds.def"
#undef HOLD
  IR_HOLD_COUNT
};
/* Bytes of a vector that is held as stream: a line. */
enum { IR_STREAM_BYTES = 64 };
struct ir_operand_hold {
  ir_ref value; /* ir_operand */
  enum ir_hold how;
};

/* Nodes [first, first+count) run as one: region over %set [walk <walk>] [width
 * <width>] [panel <elements>] [by stretches] [by steps] [by lengths]
 * [ahead <bytes>] [prefetch <elements>] [targets <elements> [rows <targets>]]
 * [twice] [team <team>] [core first] [chain #k (<span>, ...)]
 * { ... hold <hold> %q.1 ... } */
struct ir_region {
  ir_ref first;
  uint32_t count;
  ir_ref set;
  enum ir_walk walk;      /* set by pass colour */
  uint32_t hold0, nholds; /* holds[hold0 .. hold0+nholds): set by pass hold */
  uint32_t
      width; /* elements that its code works on at once, 0: one; set by pass
                     width */
  uint32_t panel; /* elements, whole blocks, whose rows its code goes along side
                     by side; 0: those of a block; likewise */
  enum ir_team team; /* set by pass team */
  uint8_t stretches; /* its code goes by them; set by pass stretch, */
  uint8_t steps;     /* by steps along rows; likewise */
  uint8_t lengths;   /* it has code of its own for rows of the usual length;
                        likewise */
  uint8_t twice;  /* what is left of a stretch, less than a block, runs in one
                     that begins before it; likewise */
  uint32_t ahead; /* bytes behind what leads (ir_entry_leads, ir_arg_leads) at
                     which its blocks ask for memory: set by pass ahead, as is
                     what comes next. 0: they do not */
  uint32_t prefetch; /* elements further on whose rows its code asks for: in
                        blocks those of maps, and components that lie in rows
                        of elements; one by one, rows of many lines
                        (ir_arg_lines). 0: of none */
  uint32_t targets;  /* elements further on: of the targets that a block there
                       names its code asks for the rows (ir_arg_row) of the last
                       in their set, 0: it does not, */
  uint32_t target_rows; /* and of those before it: so many together */
  uint8_t
      core_first; /* its core runs while the exchange in front of it is under
                      way: set by pass cores */
  uint32_t chain; /* 1 + the chain that it is of; 0: it runs by itself. Set by
                     pass tile, as is */
  struct ir_spans span; /* how far around a tile it runs then */
  uint32_t deep; /* over ranks, in a front: the depth (base/reach.h) from which
                    on elements run in it, likewise; 0: all do */
};

/* chain #k : %box along <dimension> rows <rows> ... private #b ...
 * chain #k : pieces <elements>
 *   Regions that run one after the other for one tile after the other: `rows`
 *   layers of points of the box that follow each other in that dimension, one
 *   deep in those behind it, and whole in the dimensions before it but for such
 *   as are named next, likewise, each one before the last. Each thread has
 *   `private` buffers for itself, as large as tiles whole in these need them.
 *   Of pieces: so many elements of the first region, then of each other one as
 *   many as what these have done allows, and so on (ir/front.c).
 */
struct ir_side {
  uint32_t along, rows;
};
struct ir_chain {
  uint32_t
      piece; /* not 0: it has neither box, nor sides, nor private buffers */
  ir_ref box;
  struct ir_side side[IR_DIMS];
  uint32_t nsides;
  ir_ref *own; /* private buffers, in the arena */
  uint32_t nown;
};

/* buffer #k : %q.0 %qold.1   versions that share memory, one after another.
 * `initial` holds a version 0; others are allocated when the trace runs. */
struct ir_buffer {
  ir_ref dat; /* shape: set, type, dim, block of this root */
  bool initial;
};

struct ir_trace {
  const char *name;
  struct arena arena; /* names, remarks */
  struct table names; /* every declared name, for uniqueness and look-up */
  VEC(struct ir_set, sets);
  VEC(struct ir_map, maps);
  VEC(struct ir_dat, dats);
  VEC(struct ir_kernel, kernels);
  VEC(struct ir_arg, args);
  VEC(struct ir_node, nodes);
  VEC(struct ir_value, values);
  VEC(struct ir_region, regions);
  VEC(struct ir_operand_hold, holds);
  VEC(struct ir_buffer, buffers);
  VEC(struct ir_chain, chains);
  VEC(const char *, remarks); /* what passes did and why not; op2_explain */
  bool placed; /* data are where their loops run: by pass place; texts that move
                  data say so */
};

/* ---- build.c: making a trace ------------------------------------------- */

struct ir_trace *ir_trace_new(const char *name);
void ir_trace_free(struct ir_trace *t);
struct ir_trace *ir_trace_clone(const struct ir_trace *t);

/* Declarations. A name already taken gets "'2", "'3", ... appended; an empty
 * one becomes "anon". The struct is copied; `name` is copied into the arena.
 * ir_add_dat: root IR_NONE means itself; version 0 is made with a root. */
ir_ref ir_add_set(struct ir_trace *t, struct ir_set s);
ir_ref ir_add_map(struct ir_trace *t, struct ir_map m);
ir_ref ir_add_dat(struct ir_trace *t, struct ir_dat d);
ir_ref ir_add_kernel(struct ir_trace *t, struct ir_kernel k);
/* Look a declaration up by its exact name. Kernels have a name space of their
 * own, sets, maps and dats (globals, params) share one. IR_NONE: none such. */
enum ir_decl { IR_DECL_SET, IR_DECL_MAP, IR_DECL_DAT, IR_DECL_KERNEL };
ir_ref ir_find(const struct ir_trace *t, enum ir_decl kind, const char *name);

/* Append a node with its arguments (n.nargs of them). For each argument `in`
 * and `out` are filled here from access and kind: `in` is the newest version
 * (IR_NONE for a WRITE whose `in` the caller left as IR_NONE; any other value
 * of `in` on a WRITE means "partial"; through a view a WRITE is always
 * partial); `out` is a new version for accesses that write, shared by arguments
 * of one root. Strings in `n` are copied; arg0 and region are filled here. An
 * ALIAS's new version is `same` as the one it reads. */
ir_ref ir_add_node(struct ir_trace *t, struct ir_node n,
                   const struct ir_arg *args);
/* LIVE of the last version of every dat and handle global that was written, has
 * an initial version and was not freed: what op2_flush leaves observable. */
ir_ref ir_add_live(struct ir_trace *t);
/* Say that two initial versions lie in one buffer. */
void ir_add_same(struct ir_trace *t, ir_ref dat_a, ir_ref dat_b);
/* All that names the data of `v` names those of `as` from now on (a pass that
 * turns a node into an ALIAS says it of the node's out and in). */
void ir_set_same(struct ir_trace *t, ir_ref v, ir_ref as);
/* cost O(values); IR_NONE: no such version */
ir_ref ir_find_value(const struct ir_trace *t, ir_ref root, uint32_t version);

/* A new value of `root`, its next version, defined by node `def`. */
ir_ref ir_new_value(struct ir_trace *t, ir_ref root, ir_ref def);

/* Keep node i as new position perm[i] (a permutation of [0, nnodes) onto
 * [0, n_keep); IR_NONE drops it). There must be no regions. Values that nobody
 * defines any more disappear (nobody may use them: asserted), versions are
 * renumbered densely in the new order, so that all ir_refs to nodes, args and
 * values change. Increments that stand in a new order (ir_dep allows it) are
 * linked anew: the first of them takes the old version. */
void ir_reorder(struct ir_trace *t, const ir_ref *perm, uint32_t n_keep);
/* Insert a node before position `at` and give its place. Arguments are filled
 * as by ir_add_node, with the newest version before `at`; but an `in` that is a
 * version of the argument's root is kept. Later nodes go on using the versions
 * they used: the caller redirects them to the new `out` (read it off the node's
 * arguments). Renumbers as ir_reorder does; must not split a region. */
ir_ref ir_insert_node(struct ir_trace *t, ir_ref at, struct ir_node n,
                      const struct ir_arg *args);
/* Drop node n, and its region if it was alone there. Of what it wrote nobody
 * reads anything; who frees it frees the version before. Renumbers as
 * ir_reorder does. */
void ir_drop_node(struct ir_trace *t, ir_ref n);

/* Add a chain; `own` is copied. */
ir_ref ir_add_chain(struct ir_trace *t, struct ir_chain c);

/* Add a line to the trace's remarks: "fuse: adt_calc joins update ...". */
void ir_remark(struct ir_trace *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Elements of the set that are here: over ranks, that the rank with most of
 * them owns. */
static inline idx_g
ir_elements_here(const struct ir_trace *t, ir_ref set) {
  const struct ir_set *s = &t->sets[set];
  return s->nlevels ? s->levels[0] : s->n;
}
/* Entries of each row; 0: rows have a length each. */
static inline uint32_t
ir_rows_arity(const struct ir_trace *t, const struct ir_map *m) {
  bool composed = m->rows == IR_ROWS_COMPOSED;
  if (!composed) return m->rows ? 0 : m->arity;
  return t->maps[m->of[0]].arity * t->maps[m->of[1]].arity;
}

static inline struct ir_arg *
ir_args(const struct ir_trace *t, const struct ir_node *n) {
  return t->args + n->arg0; /* args is never NULL */
}
static inline ir_ref
ir_root(const struct ir_trace *t, ir_ref dat) {
  return t->dats[dat].root;
}
static inline ir_ref
ir_same(const struct ir_trace *t, ir_ref value) {
  return t->values[value].same;
}
/* Has the argument a version, i.e. takes part in dependences? */
static inline bool
ir_arg_has_value(const struct ir_arg *a) {
  return a->kind == IR_ARG_DAT || a->kind == IR_ARG_GBL ||
         a->kind == IR_ARG_INFO;
}
static inline bool
ir_arg_writes(const struct ir_arg *a) {
  return ir_arg_has_value(a) && access_info[a->access].writes;
}
static inline bool
ir_arg_direct(const struct ir_arg *a) {
  return a->own || (a->map == IR_NONE && !a->each);
}
/* Have all rows one length, and not 0, so that code goes along several of them
 * at once? */
static inline bool
ir_rows_alike(const struct ir_map *m) {
  return m->flags & IR_MAP_BESIDE || m->layers.height;
}
/* In a loop over rows: does its path stay in the column whose row it is? Then
 * other elements of the loop reach nothing of that. */
static inline bool
ir_arg_in_column(const struct ir_trace *t, const struct ir_arg *a) {
  return a->each && !a->own && t->maps[a->each - 1].flags & IR_MAP_COLUMN &&
         (a->map == IR_NONE || t->maps[a->map].flags & IR_MAP_COLUMN);
}
/* ... and leads to an element that no other one of it does? */
static inline bool
ir_arg_column_own(const struct ir_trace *t, const struct ir_arg *a) {
  return ir_arg_in_column(t, a) &&
         (a->map == IR_NONE || t->maps[a->map].flags & IR_MAP_INJECTIVE);
}
/* The relation through whose entries it reaches its dat at last; IR_NONE:
 * direct. */
static inline ir_ref
ir_arg_through(const struct ir_arg *a) {
  return a->map == IR_NONE && a->each ? a->each - 1 : a->map;
}
/* Entries of its row that an argument through a map names. */
static inline uint32_t
ir_arg_count(const struct ir_arg *a) {
  return a->vector ? a->vector : 1;
}
/* Does it read or write one element for each of the loop's, and no two of these
 * the same one? So does what goes by the same entry. */
static inline bool
ir_arg_one_to_one(const struct ir_trace *t, const struct ir_arg *a) {
  return a->map != IR_NONE && !a->each && !a->shift && ir_arg_count(a) == 1 &&
         t->maps[a->map].arity && t->maps[a->map].flags & IR_MAP_INJECTIVE &&
         (a->access == ACC_READ || a->access == ACC_WRITE ||
          a->access == ACC_RW);
}
/* Does each touch nothing but what belongs to the loop's element: itself, its
 * column, or what one entry leads to? */
static inline bool
ir_args_beside(const struct ir_trace *t, const struct ir_arg *a,
               const struct ir_arg *b) {
  if (a->kind != IR_ARG_DAT || b->kind != IR_ARG_DAT) return false;
  return (ir_arg_direct(a) && ir_arg_direct(b)) ||
         (ir_arg_in_column(t, a) && ir_arg_in_column(t, b)) ||
         (ir_arg_one_to_one(t, a) && ir_arg_one_to_one(t, b) &&
          a->map == b->map && a->entry == b->entry);
}
/* Does n note a payload where argument a of it improves? Then what a global was
 * before shows: its order among other loops on it counts. */
static inline bool
ir_arg_has_payload(const struct ir_trace *t, const struct ir_node *n,
                   const struct ir_arg *a) {
  const struct ir_arg *args = ir_args(t, n);
  for (uint32_t k = 0; k < n->nargs; k++)
    if (args[k].kind == IR_ARG_INFO && &args[args[k].info_of] == a) return true;
  return false;
}
/* Do both only combine with what is there, so that their order does not show?
 * What an element adds to itself it holds while it does: nobody else may. */
static inline bool
ir_args_combine(const struct ir_arg *a, const struct ir_arg *b) {
  return a->access == b->access && access_info[a->access].commutes &&
         (!(a->own || b->own) || (ir_arg_direct(a) && ir_arg_direct(b)));
}
/* Does it go through rows that have a length each? */
static inline bool
ir_arg_any_length(const struct ir_trace *t, const struct ir_arg *a) {
  return a->map != IR_NONE && !t->maps[a->map].arity;
}
/* Does it name parts of what a region has in registers? */
static inline bool
ir_arg_inline(const struct ir_trace *t, const struct ir_arg *a) {
  return a->kind == IR_ARG_DAT && t->dats[a->dat].kind == IR_INLINE;
}
/* Is it a version of a dat? */
static inline bool
ir_arg_on_dat(const struct ir_trace *t, const struct ir_arg *a) {
  return ir_arg_has_value(a) && t->dats[ir_root(t, a->dat)].kind == IR_DAT;
}
/* Where a version lies; IR_NONE: nowhere, or no version. */
static inline ir_ref
ir_buffer_of(const struct ir_trace *t, ir_ref value) {
  return value == IR_NONE ? IR_NONE : t->values[ir_same(t, value)].buffer;
}

static inline bool
ir_deferred(const struct ir_node *n) {
  return n->flags & IR_NODE_DEFERRED;
}
/* Does it run over elements now? */
static inline bool
ir_runs(const struct ir_node *n) {
  return (n->op == IR_LOOP || n->op == IR_COPY) && !ir_deferred(n);
}
static inline bool
ir_has_effects(const struct ir_trace *t, const struct ir_node *n) {
  return n->kernel != IR_NONE &&
         t->kernels[n->kernel].flags & IR_KERNEL_EFFECTS;
}
/* Is its kernel shown numbers that elements have on this rank alone? Then what
 * it makes of copies of others' elements is not what these have. */
static inline bool
ir_shows_own_numbers(const struct ir_trace *t, const struct ir_node *n) {
  if (n->op != IR_LOOP) return false;
  uint32_t flags = t->sets[n->set].flags & (IR_SET_PARTS | IR_SET_ALIKE);
  if (flags != IR_SET_PARTS) return false;
  for (uint32_t k = 0; k < n->nargs; k++)
    if (ir_args(t, n)[k].kind == IR_ARG_IDX) return true;
  return false;
}
/* Does its kernel work in memory, wherever it pleases? */
static inline bool
ir_in_place(const struct ir_trace *t, const struct ir_node *n) {
  if (n->kernel == IR_NONE) return false;
  uint32_t flags = t->kernels[n->kernel].flags;
  return flags & IR_KERNEL_OPAQUE && !(flags & IR_KERNEL_PROMISED);
}
/* An ALIAS and a FREE name a version, they don't look at its data. */
static inline bool
ir_reads_data(const struct ir_node *n) {
  return n->op != IR_ALIAS && n->op != IR_FREE;
}
/* A unit is a region, or a node outside of regions: what runs together. The end
 * of node n's. */
static inline ir_ref
ir_unit_end(const struct ir_trace *t, ir_ref n) {
  ir_ref r = t->nodes[n].region;
  return r == IR_NONE ? n + 1 : t->regions[r].first + t->regions[r].count;
}

/* ---- print.c, parse.c -------------------------------------------------- */

/* Canonical text: equal traces give equal text; ir_parse accepts all of it. */
void ir_print(const struct ir_trace *t, struct str *out);
void ir_print_value(const struct ir_trace *t, ir_ref v, struct str *out);
void ir_print_area(uint32_t ndim, const struct ir_area *a, struct str *out);
/* Of so many dimensions. */
void ir_print_spans(uint32_t n, const struct ir_spans *s, struct str *out);
/* Parse one trace. ERR_ARG with "file:line:col: expected ..., found ...". */
status ir_parse(const char *text, const char *file, struct ir_trace **out);

/* ---- verify.c ---------------------------------------------------------- */

/* Check every rule of doc/ir.md. All failures are appended to `why`, one line
 * each, naming node and argument. Returns their number. */
int ir_verify(const struct ir_trace *t, struct str *why);

/* ---- deps.c ------------------------------------------------------------ */

enum { IR_DEP_RAW = 1, IR_DEP_WAR = 2, IR_DEP_WAW = 4, IR_DEP_EFFECT = 8 };

/* Why node b (later) must stay after node a: an OR of IR_DEP_*, 0 if it need
 * not. Commuting accesses of one kind (INC and INC) do not depend. On TRUE,
 * *value_out is a version that the dependence runs through. */
unsigned ir_dep(const struct ir_trace *t, ir_ref a, ir_ref b,
                ir_ref *value_out);

/* ---- facts.c ----------------------------------------------------------- */

/* Readers and definition of each value, as one index built in O(args).
 *   users[start[v] .. start[v+1])  nodes that have v as `in`, in order */
struct ir_uses {
  ir_ref *users;
  uint32_t *start;
};
struct ir_uses ir_uses_build(const struct ir_trace *t);
void ir_uses_free(struct ir_uses *u);

/* Does the loop read each element of the dat at itself alone and write it, all
 * of it? So the new version may lie elsewhere. */
bool ir_updates_all(const struct ir_trace *t, const struct ir_node *n,
                    const struct ir_arg *a);
/* Does the node write what argument a reads only at the element where a does,
 * if at all? Then both may be in one place. */
bool ir_writes_beside(const struct ir_trace *t, const struct ir_node *n,
                      const struct ir_arg *a);
/* Does argument a of the loop write all of its dat anew, each element at
 * itself? Then what earlier loops of its region read of other elements may lie
 * in other memory: pass storage sees to that. */
bool ir_arg_writes_anew(const struct ir_trace *t, const struct ir_node *n,
                        const struct ir_arg *a);
/* May argument y of a later loop, over the same elements as loop m, write what
 * m's argument x reads of other elements? x goes over rows and y writes anew,
 * in memory of its own: pass storage sees to that. */
bool ir_arg_written_beside(const struct ir_trace *t, ir_ref m,
                           const struct ir_arg *x, const struct ir_arg *y);
/* Elements at each point of a box; they are told apart behind the first
 * dimension, so that those of a layer across it do not follow each other. 0:
 * its sides are not known. */
idx_g ir_colours_of(const struct ir_set *box);
/* Lines of points, the first dimension, as they lie in a spaced set: the first
 * `lead` elements in, each `pitch` behind the one before. */
struct ir_spacing {
  idx_g line, pitch, lead;
};
/* The set lies around a domain whose sides are known. The first point of the
 * domain in each line begins a line of the cache, whatever the type. */
struct ir_spacing ir_spacing_of(const struct ir_trace *t, ir_ref set);
/* Does the map's rule say where this entry leads, seen from any point? It does
 * not where colours differ in that, or across periods. No: it has no rule. */
bool ir_at_one_place(const struct ir_trace *t, const struct ir_map *m,
                     uint32_t entry);
/* The first map that the trace has, and its entry, which lead from points to
 * where this one does; itself where rules don't say. */
void ir_first_alike(const struct ir_trace *t, ir_ref *map, uint32_t *entry);
/* By dat, as a root: do several dats share its memory? Caller frees. */
bool *ir_overlaps_build(const struct ir_trace *t);
/* By node: the number of its unit, from 1 in their order; 0: it is deferred.
 * Caller frees. *n_out: units. */
int32_t *ir_units_build(const struct ir_trace *t, int32_t *n_out);

/* ---- traffic.c --------------------------------------------------------- */

/* Bytes of dats that nodes [lo, hi) move as one region, each dat once. cost
 * O(arguments squared) */
double ir_traffic(const struct ir_trace *t, ir_ref lo, ir_ref hi);

/* ---- dot.c ------------------------------------------------------------- */

/* Graphviz: loops as boxes with file:line and bytes, regions as clusters, edges
 * labelled with accesses and dat versions; a legend. */
void ir_dot(const struct ir_trace *t, struct str *out);

#endif
