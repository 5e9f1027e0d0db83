/* What `lower` makes and `rt/exec.c` runs: a short command list.
 *
 * A program is made once per shape of trace and run many times. It refers to
 * the user's things by small program-local numbers; the frontend fills the
 * tables `sets maps dats cells` once, and `globals params` before each run.
 */
#ifndef RT_PLAN_H
#define RT_PLAN_H

#include "base/err.h"
#include "base/str.h"
#include "base/types.h"
#include "rt/mesh/relation.h"
#include "rt/store/store.h"

struct rt_device;
struct rt_dev_arg;
struct rt_dev_code;
struct rt_stage;
struct rt_comm;
struct rt_halo;
struct rt_part;

/* ---- walks (rt/walk/walk.h) ---------------------------------------------- */

void rt_walk_cache_clear(void);
/* Between runs: drop what none has asked for since the last sweep. */
void rt_walk_cache_sweep(void);
/* Check what makers make (debug builds, OP2_CHECK). */
extern bool rt_walk_checking;
/* Seconds that making walks, and plans of fronts, took so far. */
extern double rt_walk_seconds;
/* Elements in a block of the walks that runs ask for (OP2_BLOCK_SIZE); 0:
 * the library's choice. */
void rt_set_block_size(idx_l block);

/* Fronts run on as many threads as they have any room for, all or fewer, though
 * launches one by one would be faster: for tests (OP2_TILE_PIECE). */
void rt_set_front_tight(bool on);
bool rt_front_is_tight(void);

/* ---- programs ------------------------------------------------------------ */

/* A compiled region: run elements [lo, hi), lo < hi. `ptr` is the table of
 * bound addresses (see rt_bind), with accumulators of the calling thread put
 * in. Called several times with the same accumulators: add to what they
 * hold. */
typedef void (*rt_region_fn)(void *const *ptr, int64_t lo, int64_t hi);

enum rt_bind_kind {
  RT_BIND_SLOT,   /* memory of buffer slot `index` */
  RT_BIND_STRIDE, /* its stride, as an integer in the pointer */
  RT_BIND_OFFSET, /* where it begins in memory that it shares, in bytes */
  RT_BIND_MAP,    /* table of maps[index] */
  RT_BIND_START,  /* where its rows begin, of rows of any length */
  RT_BIND_HEAD,   /* first entries of its rows, along which they step */
  RT_BIND_FIRST,  /* of its stretches: targets of their first elements, */
  RT_BIND_BEGIN,  /* where they begin, */
  RT_BIND_COUNT,  /* how many there are, as an integer in the pointer */
  RT_BIND_NAMED,  /* the same with the program's numbers in it */
  RT_BIND_ROWS,   /* the program's numbers of the elements of sets[index], whose
                     order is not NULL */
  RT_BIND_NUMBERS, /* idx_g numbers over all ranks of the elements of
                      sets[index], which is in parts */
  RT_BIND_PARAM,   /* params[index]: captured bytes */
  RT_BIND_GLOBAL,  /* globals[index]: memory of a global */
  RT_BIND_ACC,     /* accumulator of reductions[index] of this launch */
  RT_BIND_SCRATCH, /* memory of the thread, aligned to a page: the launch's
                      `scratch` bytes, from line `index` on */
  RT_BIND_ADDRESS  /* addresses[index]: an opaque kernel */
};
/* What SCRATCH is aligned to; bytes of its lines. */
enum { RT_PAGE = 4096, RT_LINE = 64 };
struct rt_bind {
  uint32_t kind, index;
  bool written; /* SLOT: the launch writes there */
  bool far;     /* and does so through a map */
  bool own;     /* SLOT, STRIDE: each thread has memory of its own there, of a
                   chain */
  uint32_t old; /* number + 1 of the bind whose values show through in what is
                   written at the elements themselves; 0: none do */
};

/* A global that a launch combines over its elements. Each thread starts its
 * accumulator at the access's identity; afterwards they are combined into
 * globals[global] in thread order, the start value counted once. With `lanes`
 * it has so many running values of each component, ACC[c * lanes + l], which
 * are combined in their order; which element goes to which is the region's
 * business.
 * payload >= 0: this is the OP_ARG_INFO payload of reductions[payload]: its
 * component c (all of it, if that reduction has dim 1) is taken with the
 * winner; ties keep the earliest; no winner leaves it alone. Its accumulator
 * starts as a copy of the global. A coloured launch with a payload runs on one
 * thread. Accumulators are aligned to 16 bytes. */
struct rt_reduction {
  uint32_t global;
  struct type type;
  uint32_t dim;
  enum access access; /* INC, MIN, MAX; of a payload it does not matter */
  int32_t payload;    /* -1: a plain reduction */
  /* of INC: the sum does not depend on the order (exact_sums.c). each: the
   * region
     leaves what element e adds at ACC[e * dim + c] */
  bool exact, each;
  uint32_t lanes; /* 0: one value */
};

enum rt_run_mode {
  RT_RUN_RANGE,    /* elements are independent: any split */
  RT_RUN_SERIAL,   /* one thread, in the program's order of elements */
  RT_RUN_COLOURED, /* writes through maps: by colours on several threads */
  RT_RUN_PARTS,    /* the same: by parts, if their borders are short */
  RT_RUN_IN_ORDER  /* the same, as if one thread ran all of the program's
                      elements in their order */
};

/* What an element writes in a slot: its own row, or those of entries [first,
 * first + count) of a map. */
struct rt_write {
  uint32_t slot;
  uint32_t map; /* maps[map]; RT_DIRECT */
  uint32_t first, count;
};
enum { RT_DIRECT = UINT32_MAX };

/* A captured value of a few bytes that an offloaded launch takes along. */
struct rt_scalar {
  uint32_t param, bytes, offset;
};
/* Captured values of so many bytes in all are arguments of the kernel. */
enum { RT_SCALARS_WORD = 8, RT_SCALARS_WORDS = 32 };

/* A global that a launch updates in place, element by element: over ranks it
 * goes from rank to rank, as from element to element. */
struct rt_token {
  uint32_t global, bytes;
};

/* A global that each rank has a part of. */
struct rt_sum {
  uint32_t global;
  struct type type;
  uint32_t dim;
  enum access access; /* INC, MIN, MAX */
};

/* A buffer that is to be right farther out than what a rank owns. */
struct rt_want {
  uint32_t slot;
  struct reach reach;
};

/* How a region's code for a device goes over the elements. */
enum rt_form {
  RT_FORM_PLAIN,  /* one after the other; what they combine is atomic */
  RT_FORM_COLOUR, /* in two levels, a launch for each colour of blocks */
  RT_FORM_STAGE /* blocks add in local memory, then to the device's, atomically
                   */
};

/* Staging through entries[0 .. nentries) of one map: a number for each block's
 * targets. */
enum { RT_STAGE_ENTRIES = 16 };
struct rt_stage_use {
  uint32_t map; /* of this program */
  bool reads;   /* nothing is added through it */
  uint32_t nentries;
  uint32_t entries[RT_STAGE_ENTRIES];
};
/* Local memory for the targets of uses[use], so many bytes each. */
struct rt_strip {
  uint32_t use, bytes;
};
enum { RT_STRIP_ALIGN = 16 };

/* What a launch on a device needs besides. */
struct rt_offload {
  struct rt_dev_code *code; /* KEEP */
  struct rt_scalar *scalars;
  uint32_t nscalars;
  uint32_t nwords; /* as arguments; 0: they are in memory, if there are any */
  size_t scalar_bytes;
  struct rt_dev_mem *scalar_mem; /* of this launch */
  char *staging;                 /* what it was sent last */
  bool sent;
  size_t row;        /* bytes of a work item's accumulators */
  bool rows_local;   /* those of a group are in its local memory */
  size_t item_bytes; /* of a work item's private copies */
  enum rt_form form;
  struct rt_stage_use *uses; /* of RT_FORM_STAGE */
  struct rt_strip *strips;
  uint32_t nuses, nstrips;
  const struct rt_stage **stages; /* of uses, in the run at hand */
  struct rt_dev_arg *args;        /* of offload.c, kept from run to run */
};

/* Work items of a group that wait for each other, of the group that the device
 * has at most. */
uint32_t rt_offload_group(const struct rt_offload *o, uint32_t group,
                          size_t local);

/* What a launch does for each of its elements, by its code; for reports:
 * nothing is decided by it. */
struct rt_effort {
  double flops;   /* additions, subtractions, multiplications */
  double slow;    /* divisions and square roots */
  double maths;   /* other functions of <math.h> */
  double far;     /* elements that it goes to through maps, in memory */
  double adds;    /* components that it changes there, */
  double targets; /* of so many elements; each component, if they lie apart */
  double kept;    /* components that it adds to what a register keeps of them */
  double unread; /* bytes that it writes to lines that are only read for that */
  double inside; /* bytes that stay with a tile of its chain, or that others of
                    its front go to before it */
  double named;  /* of the rest, those of elements that maps name */
  bool open;     /* there is more: code without IR, loops of unknown length */
};

/* Who runs the shares of a launch: one thread for each; one for all; one for
 * each, but measured where other work wants the processors; whoever was faster
 * so far. */
enum rt_team_way { RT_TEAM_ALL, RT_TEAM_ONE, RT_TEAM_BUSY, RT_TEAM_MEASURED };

struct rt_launch {
  rt_region_fn fn;
  const char *name; /* "update+adt_calc"; KEEP */
  uint32_t lanes;   /* elements that fn works on at once; 0: on a device */
  uint32_t set;     /* sets[set].n elements */
  enum rt_run_mode mode;
  int level; /* over ranks: it runs over L_level */
  struct rt_token *tokens;
  struct rt_bind *binds;
  struct rt_reduction *reductions;
  struct {
    uint32_t map, first, count;
  } *conflicts; /* for RT_RUN_COLOURED: entries of maps of this program */
  struct rt_write *writes; /* of RT_RUN_IN_ORDER: all; none: one thread runs */
  uint32_t ntokens, nbinds, nreductions, nconflicts, nwrites;
  size_t scratch; /* bytes that each thread is given, a multiple of a page */
  struct rt_offload *offload; /* NULL: it runs on the host */
  uint64_t bytes_per_element; /* ideal traffic, for the timing table */
  struct rt_effort effort;
  double seconds;   /* on the host, since somebody set it to zero */
  double took;      /* of the last run whose time was taken */
  uint32_t untimed; /* runs since */
  uint64_t runs;    /* with rt_timer_detail */
  uint32_t timer;   /* line in the timing table: rt_timer_get(name) */
  enum rt_team_way team;
  bool alone;      /* on the host: on one thread */
  bool core_first; /* its core runs by itself, during an exchange */
  int deep;        /* over ranks, in a front: on elements of this depth and more
                      (rt/ranks/part_depth.c); on the others behind it */
  bool rows;       /* it goes over rows, so over more than its maps name */
  bool numbered;   /* it is shown numbers, which over ranks are the owner's */
};

/* Launches [first, first + count) that run one behind the other for one tile
 * after the other: on each side `rows` of `n` layers of points of a box; the
 * next side's are within one of these, as often as they fit. Points of a set
 * lie in layers of `each`, of which `before` lie before the box's first; a
 * launch runs from `below` layers below a tile to `above` above it, as far as
 * there are layers. Private memory takes what lies there on the first side. */
enum { RT_SIDES = 4 };
struct rt_layers {
  int64_t each, n, before;
  int below, above;
};
struct rt_side {
  int64_t n, rows;
};
struct rt_own_slot {
  struct rt_layers layers;
  uint32_t slot;
  uint32_t size, dim, block; /* as of its dat */
};
/* Launch `launch` of a chain goes to memory that has this number: at its
 * elements, or through the entries of a map. */
struct rt_touch {
  uint32_t launch, memory;
  uint32_t map; /* maps[map]; RT_DIRECT */
  bool writes;
};
struct rt_chain {
  uint32_t first, count;
  int64_t times; /* of the box: all layers of the first side */
  struct rt_side side[RT_SIDES];
  uint32_t nsides;
  struct rt_layers (*layers)[RT_SIDES]; /* of launches */
  struct rt_own_slot *own;
  uint32_t nown;
  uint32_t timer;
  /* Not 0: its launches run as a front instead, without sides: so many elements
   * of the first one, then of each other one what these allow, and so on. What
   * they touch says which elements meet. */
  idx_l piece;
  struct rt_touch *touches; /* by launch */
  uint32_t ntouches;
};

enum rt_cmd_op {
  RT_LAUNCH,
  RT_CHAIN,
  RT_COPY,
  RT_SET_GLOBAL,
  RT_UPLOAD,
  RT_DOWNLOAD,
  RT_EXCHANGE_START,  /* values from their owners: they are on their way */
  RT_LAUNCH_CORE,     /* elements that name owned ones only, if that pays */
  RT_EXCHANGE_FINISH, /* and are there */
  RT_BEGIN, /* a sum over ranks: its start value counts on rank 0 alone */
  RT_REDUCE /* sums over ranks: parts become wholes */
};
struct rt_cmd {
  enum rt_cmd_op op;
  uint32_t a, b;            /* LAUNCH_CORE, LAUNCH (those left): launches[a];
                    CHAIN: chains[a]; of pieces: in front of its launches;
                    COPY: slot a to slot b;
                    SET_GLOBAL: globals[a] = params[b];
                    UPLOAD, DOWNLOAD: slot a; EXCHANGE_START: wants[a .. a+b);
                    BEGIN: sums[a]; REDUCE: sums[a .. a+b) */
  uint32_t bytes;           /* SET_GLOBAL */
  struct rt_device *device; /* UPLOAD; COPY: NULL: on the host */
};

/* Buffer slots: `initial` ones hold a dat's buffer when the run starts, others
 * are allocated in its shape, with unspecified contents. When the run ends,
 * outs[] say which slot each written dat has then (the slot of its own buffer,
 * if it was written in place); slots that nobody has go back to the pool.
 * Foreign buffers stay with their dats. */
struct rt_slot {
  uint32_t dat; /* dats[dat]: its buffer, or the shape to allocate */
  bool initial;
  bool no_host;             /* nothing on the host works on it */
  struct rt_device *device; /* something there does; NULL: none */
};
struct rt_out {
  uint32_t dat, slot;
};

/* All arrays, and the program, come from mem_alloc or mem_grow (base/arena.h);
 * the things that sets, maps, dats, globals, params and addresses point to are
 * KEEP. */
struct rt_program {
  struct rt_launch *launches;
  struct rt_chain *chains;
  struct rt_cmd *cmds;
  struct rt_slot *slots;
  struct rt_out *outs;
  struct rt_want *wants;
  struct rt_sum *sums;
  uint32_t nlaunches, nchains, ncmds, nslots, nouts, nwants, nsums;
  uint32_t nsets, nmaps, ndats, nglobals, nparams, naddresses;
  const struct rt_set **sets;
  const struct rt_relation **maps;
  struct rt_dat **dats;
  void **globals;
  struct rt_cell **cells; /* of globals: its own, or KEEP; NULL: no device */
  struct rt_cell *own_cells;
  const void **params;
  void **addresses;
  struct rt_comm *comm; /* KEEP; NULL: one rank */
  struct rt_halo *halo; /* KEEP */
  bool broken; /* the last run failed behind the first write of a value */
  struct rt_scratch *scratch; /* of exec, kept from run to run; NULL at first */
};

/* Run it on `nthreads` threads (1: no OpenMP region is entered), in two steps:
 * what may fail and changes nothing (memory, walks), and the rest; cancel:
 * instead of the second. But a device may fail in that, too (ERR_DEVICE):
 * `broken`, the values of outs are lost. Nothing is allocated in a repeated
 * run. */
status rt_exec_prepare(struct rt_program *p, int nthreads);
status rt_exec_run(struct rt_program *p);
void rt_exec_cancel(struct rt_program *p);
/* What the program holds of shared tables stays in the next sweep of teams. */
void rt_exec_keep(struct rt_program *p);
/* How its launches were last split over threads, in lines. */
void rt_exec_explain(const struct rt_program *p, struct str *out);
/* The device that an offloaded launch runs on. */
struct rt_device *rt_launch_device(const struct rt_launch *l);
/* Elements from which on a launch is split into several shares. */
enum { RT_TEAM_LEAST = 2 * 512 };
/* Elements that a thread gets at least; < 0: the library's choice. */
void rt_set_thread_least(idx_l n);
/* Forget what was measured: functions are no longer those that they were. */
void rt_team_clear(void);
void rt_team_sweep(void);
/* One order of writes that meet for any number of threads and ranks
 * (OP2_REPRODUCIBLE): that of the program's elements, for launches in order and
 * serial ones. Sums are independent of order where reductions say `exact`. */
void rt_set_reproducible(bool on);
/* Over ranks: globals that loops combine stay each rank's own. */
void rt_set_apart(bool on);
void rt_program_free(struct rt_program *p); /* TAKE; NULL is allowed */

/* ---- timing and counters ------------------------------------------------- */

/* Line of the timing table for this kernel or region name. cost one look-up */
uint32_t rt_timer_get(const char *name);
/* What is no loop, the names of these lines, and each one's line, which is
 * looked up once. */
enum rt_timer_own {
  RT_TIMER_COPY,
  RT_TIMER_UPLOAD,
  RT_TIMER_ZERO,
  RT_TIMER_DOWNLOAD,
  RT_TIMER_EXCHANGE,
  RT_TIMER_REDUCE,
  RT_TIMER_OWN
};
extern const char *const rt_timer_own[RT_TIMER_OWN];
uint32_t rt_timer_of(enum rt_timer_own what);
void rt_timer_add(uint32_t timer, double seconds, uint64_t bytes);
const char *rt_timer_name(uint32_t timer);
/* The same; !call: the first half of a call. */
void rt_timer_part(uint32_t timer, double seconds, uint64_t bytes, bool call);
/* The same for work that was given to a device; how long it ran comes later,
 * from there. */
void rt_timer_given(uint32_t timer, uint64_t bytes);
void rt_timer_seconds(uint32_t timer, double seconds);
/* Is the time of the launch's run at hand taken (the next one's always is,
 * once somebody set `seconds` to zero)? Then this one is told, and says how
 * long it counts in the table, which has those since the last one, too. */
bool rt_launch_timed(struct rt_launch *l);
double rt_launch_took(struct rt_launch *l, double seconds);
/* Launch i runs this code from now on, and what was measured of the other is
 * forgotten. Between runs. */
void rt_launch_renew(struct rt_program *p, uint32_t i, rt_region_fn fn,
                     uint32_t lanes);
/* Is a run measured, of those that are `sparse`? A new line's is. Those that
 * are not count as the mean of those that are. */
bool rt_timer_measures(uint32_t timer, bool sparse);
/* How a launch went over its elements. */
struct rt_way {
  idx_l n;        /* elements */
  idx_l border;   /* of these: by one thread, behind the parts of all */
  int threads;    /* shares of a step */
  int team;       /* threads that it could have had */
  idx_l steps;    /* one after another: colours; parts and their border: 2 */
  idx_l blocks;   /* of all colours */
  uint32_t lanes; /* 1: no vector code; 0: on a device */
  enum { RT_WAY_RANGE, RT_WAY_PARTS, RT_WAY_COLOURS } kind;
  bool serial;                /* in the program's order, on one thread */
  bool alone;                 /* on one thread, which was faster */
  bool crowded;               /* on one thread: colours would not pay */
  uint32_t aos, soa, blocked; /* of its dats of several components: so many lie
                                 so */
  double locality;            /* rt_locality of its maps; -1: it has none */
  double bytes;               /* of its data, each once */
};
/* What ranks, devices and the compiler did before a launch could run. */
enum rt_before {
  RT_BEFORE_EXCHANGE,
  RT_BEFORE_TRANSFER,
  RT_BEFORE_COMPILE,
  RT_BEFORE_COUNT
};

/* A line of the timing table. */
struct rt_timing {
  const char *name;
  long long calls;
  double seconds, bytes;
  double host; /* of these seconds: by the host's clock */
  /* in detail only; else zero */
  double elements;
  struct rt_effort work; /* of all elements */
  struct rt_way way;     /* of the last call */
  struct {
    double seconds, bytes;
    long long n; /* messages, copies, compilations */
  } before[RT_BEFORE_COUNT];
};
/* Keep `way`, `work` and what came before launches? For reports; costs some 100
 * ns a launch. */
extern bool rt_timer_detail;
void rt_timer_way(uint32_t timer, const struct rt_way *way);
void rt_timer_work(uint32_t timer, const struct rt_effort *each, double n);
void rt_timer_before(uint32_t timer, enum rt_before what, double seconds,
                     double bytes, long long n);
/* fn for each line that was called. Waits for devices. */
void rt_timer_each(void (*fn)(void *user, const struct rt_timing *line),
                   void *user);
/* All lines to zero (and out of rt_timer_each until used); numbers stay
 * valid. */
void rt_timer_reset(void);

#endif
