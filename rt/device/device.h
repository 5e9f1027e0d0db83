/* Devices: memory and code apart from the host's, behind one table of
 * functions. A driver (dev_opencl.c, ...) fills the table; nothing above it
 * knows whose device it is.
 *
 * All work of a device runs in the order in which it was given; only `read` and
 * `finish` wait for it, `write` and `read_start` where too much is under way.
 * What `write` is given may be changed when it returns.
 */
#ifndef RT_DEVICE_H
#define RT_DEVICE_H

#include "base/err.h"
#include "base/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_device;

/* An argument of a kernel: memory of the device, a word, or room in the local
 * memory of each group (the last argument only). */
struct rt_dev_arg {
  void *mem; /* NULL: `word` */
  int64_t word;
  size_t local; /* bytes; 0: none of this kind */
};

/* Places of arguments of the kernels that lower makes and this layer launches:
 * in each list memory comes first, words from the one that is named on.
 *   op2_region    binds, sums, values, plain    words from LO: e is at[e] if
 *                                               `mapped`
 *   op2_colour    binds, sums, values, colour   words from LO
 *   op2_stage     binds, sums, values, stage, tables of each use, stage words,
 *                 the most targets of each use
 *   op2_combine   sums, a cell for each reduction, combine words, a word for
 *                 each reduction: what cell k starts from, if bit k of FRESH is
 *                 set; one group
 *   op2_pack8...  move                          words from N
 * Binds are memory, strides and offsets are words; that of an accumulator is
 * the global's cell if a payload starts from there, else none. Captured values
 * are no binds, but words, all of them, or memory (struct low_device_form). The
 * last argument is room in local memory, where there is any: of RT_FORM_STAGE,
 * and for the items' rows of sums. */
enum {
  RT_PLAIN_AT,
  RT_PLAIN_LO,
  RT_PLAIN_HI,
  RT_PLAIN_MUL,
  RT_PLAIN_SPAN,
  RT_PLAIN_STEP,
  RT_PLAIN_MAPPED,
  RT_PLAIN_ARGS
};
enum {
  RT_COLOUR_ORDER,
  RT_COLOUR_COLOURS,
  RT_COLOUR_NCOLOURS,
  RT_COLOUR_LO,
  RT_COLOUR_HI,
  RT_COLOUR_FIRST,
  RT_COLOUR_FRESH,
  RT_COLOUR_ARGS
};
enum { RT_STAGE_COLOURS, RT_STAGE_NCOLOURS, RT_STAGE_ARGS };
enum { RT_STAGE_FIRST, RT_STAGE_TARGETS, RT_STAGE_LOCAL, RT_STAGE_TABLES };
enum {
  RT_STAGE_LO,
  RT_STAGE_HI,
  RT_STAGE_BLOCKS,
  RT_STAGE_GROUPS,
  RT_STAGE_WORDS
};
enum { RT_COMBINE_SUMS, RT_COMBINE_CELLS };
enum {
  RT_COMBINE_ROWS,
  RT_COMBINE_JOIN, /* what they come to goes into the cells */
  RT_COMBINE_FRESH,
  RT_COMBINE_WORDS
};
/* Can this reduction's start be a word? */
static inline bool
rt_combine_starts(uint32_t k, size_t bytes, int32_t payload) {
  return k < 64 && bytes <= sizeof(int64_t) && payload < 0;
}
enum {
  RT_MOVE_DAT,
  RT_MOVE_LIST,
  RT_MOVE_PLACE,
  RT_MOVE_MESSAGE,
  RT_MOVE_N,
  RT_MOVE_DIM,
  RT_MOVE_PER, /* words of a component */
  RT_MOVE_STRIDE,
  RT_MOVE_SCALE,
  RT_MOVE_ARGS
};

struct rt_driver {
  /* How many devices there are. ERR_TARGET: what was looked for. */
  status (*count)(int *out);
  /* Open device `number`; *out is zeroed but for driver and target. ERR_TARGET
   * says what was looked for and what was found. */
  status (*open)(struct rt_device *d);
  void (*close)(struct rt_device *d);
  status (*mem_new)(struct rt_device *d, size_t bytes, void **out);
  void (*mem_free)(struct rt_device *d, void *mem);
  status (*write)(struct rt_device *d, void *to, const void *from,
                  size_t bytes);
  status (*read)(struct rt_device *d, void *to, void *from, size_t bytes);
  /* The same, but `to` holds it when `finish` returns. */
  status (*read_start)(struct rt_device *d, void *to, void *from, size_t bytes);
  status (*copy)(struct rt_device *d, void *to, void *from, size_t bytes);
  status (*zero)(struct rt_device *d, void *mem, size_t bytes);
  /* Code in the device's format (struct rt_device.code_kind). */
  status (*code_new)(struct rt_device *d, const void *code, size_t bytes,
                     void **out);
  void (*code_free)(struct rt_device *d, void *code);
  status (*kernel_new)(struct rt_device *d, void *code, const char *name,
                       void **out);
  void (*kernel_free)(struct rt_device *d, void *kernel);
  /* `items` work items in groups of `group`, which divides them. */
  status (*launch)(struct rt_device *d, void *kernel,
                   const struct rt_dev_arg *args, uint32_t nargs, size_t items,
                   size_t group);
  status (*finish)(struct rt_device *d);
  /* Between them commands may be kept back until one waits (`read`, `finish`);
   * nothing is freed. NULL, both: they are given one by one. */
  status (*batch_begin)(struct rt_device *d);
  status (*batch_end)(struct rt_device *d);
  /* A span of the device's own time, over what is launched and copied between
   * begin and end. `take` reads it when the device has finished it, and frees
   * it in any case. NULL, all: it has no clock. */
  status (*span_begin)(struct rt_device *d, void **out);
  status (*span_end)(struct rt_device *d, void *span);
  status (*span_take)(struct rt_device *d, void *span, double *seconds_out);
};

/* Formats of code; lower makes them. */
enum rt_code_kind { RT_CODE_SPIR, RT_CODE_SPIRV, RT_CODE_PTX };

/* Memory of a device, in a list while nobody has it. */
struct rt_dev_mem {
  struct rt_device *device;
  void *mem;
  size_t bytes;
  struct rt_dev_mem *next;
};

/* A table of the host that the device has a copy of. */
struct rt_dev_table {
  const void *data;
  uint64_t version;
  size_t bytes;
  void *mem;
  bool used; /* since the last sweep */
  struct rt_dev_table *next;
};

/* A span that was not yet read, for a line of the timing table. */
struct rt_dev_span {
  void *span;
  uint32_t timer;
};

/* Kernels that move listed elements between dats and messages, by bytes of a
 * word (1, 2, 4, 8): lower makes them, halo_device.c knows their arguments. */
enum { RT_MOVE_WORDS = 4 };
struct rt_dev_moves {
  void *code; /* NULL: not made */
  void *pack[RT_MOVE_WORDS], *unpack[RT_MOVE_WORDS];
};

/* Work items in a group, where a device takes as many: their rows of sums are
 * folded RT_FOLD neighbours at a time, twice. Local memory that is counted on
 * where code is made without a device. */
enum {
  RT_FOLD = 16,
  RT_DEVICE_GROUP = RT_FOLD * RT_FOLD,
  RT_DEVICE_LOCAL = 48 << 10
};

struct rt_device {
  const struct rt_driver *driver;
  struct target target;
  char name[128]; /* the device's own words */
  char arch[32];  /* what code is made for: "sm_90" */
  enum rt_code_kind code_kind;
  uint32_t group; /* work items in a group, at most RT_DEVICE_GROUP */
  uint32_t rows;  /* work items of a launch that reduces */
  size_t local;   /* bytes of local memory that a group may have */
  void *driver_data;
  struct rt_dev_mem *pool;
  struct rt_dev_table *tables;
  void *sums; /* scratch of launches */
  size_t sum_bytes;
  void *span; /* open */
  struct rt_dev_span *spans;
  uint32_t nspans, spans_cap;
  uint64_t measured, batches; /* spans begun; batches since there are many */
  bool sparse;                /* the batch at hand is not measured */
  struct rt_dev_moves moves;
  void *message,
      *message_host; /* scratch of exchanges: messages, there and here */
  size_t message_bytes;
  void *staging; /* on the host: values in the device's layout, on their way */
  size_t staging_bytes;
  struct rt_device *next;
};

/* The device of this target, opened when first asked for. KEEP until
 * rt_devices_close. */
status rt_device_get(struct target t, struct rt_device **out);
/* How many devices of this kind there are. */
status rt_device_count(enum target_kind kind, int *out);
/* Is any open? The one that was opened last, or NULL. */
bool rt_device_any(void);
struct rt_device *rt_device_last(void);
void rt_device_moves_free(struct rt_device *d);
/* Close all, after everything that lies there was freed. */
void rt_devices_close(void);
/* Put a driver in the place of a target's own (tests). NULL: its own. */
void rt_device_set_driver(enum target_kind kind, const struct rt_driver *d);

/* What follows is for device `next` (NULL: the host): the batch of *at ends,
 * that of `next` begins, if they differ. */
status rt_device_batch(struct rt_device **at, struct rt_device *next);
/* Repeated batches as CUDA graphs (OP2_CUDA_GRAPHS). */
extern bool rt_cuda_graphs;

/* A batch begins: is it measured? */
void rt_dev_times_choose(struct rt_device *d);
/* What is given to the device in between counts for this line of the timing
 * table, by the device's clock. One at a time. */
status rt_dev_span_begin(struct rt_device *d, uint32_t timer);
status rt_dev_span_end(struct rt_device *d, uint32_t timer);
/* Read what was measured into the table; waits for the device if there is any.
 * */
void rt_dev_times(struct rt_device *d);
void rt_devices_times(void);
/* Measure at all (OP2_DEVICE_TIMES); set before devices are opened. */
extern bool rt_device_times;

/* dev_speed.c: seconds of a short copy to it or from it, bytes per second of
 * long ones. Waits for the device. ERR_MEMORY, ERR_DEVICE */
status rt_device_measure(struct rt_device *d, double *each, double *rate);

/* Memory from the device's pool or the driver; contents unspecified. */
status rt_dev_mem_new(struct rt_device *d, size_t bytes,
                      struct rt_dev_mem **out);
void rt_dev_mem_free(struct rt_dev_mem *m); /* to the pool; NULL is allowed */
/* A copy of an immutable table, uploaded once for each version. */
status rt_dev_table_get(struct rt_device *d, const void *data, size_t bytes,
                        uint64_t version, void **out);
/* Free all devices' copies of tables: others will lie where they lay. */
void rt_devices_forget(void);
/* Between runs: those that none has asked for since the last sweep. */
void rt_devices_sweep(void);
/* Memory of the host for so many bytes on their way, the same each time: new
 * pages are cleared first (uploads of four components, AoS there and SoA here,
 * 32 MB, PoCL: 1.32 times as fast as with memory of their own). One at a time;
 * `end`: above 64 MiB it goes back. ERR_MEMORY */
status rt_dev_staging(struct rt_device *d, size_t bytes, void **out);
void rt_dev_staging_end(struct rt_device *d);
/* Make scratch memory at least so large. */
status rt_dev_scratch(struct rt_device *d, void **mem, size_t *have,
                      size_t bytes);

extern const struct rt_driver rt_driver_opencl, rt_driver_cuda;

#endif
