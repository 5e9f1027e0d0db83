/* op2lazy: OP2's API for unstructured meshes, run lazily.
 *
 * A mesh is sets (cells, edges, ...), maps between them, and dats: `dim` values
 * of a type for each element of a set. A parallel loop calls a function, the
 * kernel, for each element of a set and hands it pointers to the values there,
 * directly or through a map. op_par_loop records the loop and returns; loops
 * run when something looks at their results, fused and compiled together. No
 * program can tell, but by the clock.
 *
 *   op_init(argc, argv, 0);
 *   op_set cells = op_decl_set(ncell, "cells");
 *   op_set edges = op_decl_set(nedge, "edges");
 *   op_map ecell = op_decl_map(edges, cells, 2, table, "ecell");
 *   op_dat q     = op_decl_dat(cells, 4, "double", q0, "q");
 *   op_par_loop(flux, "flux", edges,
 *               op_arg_dat(q, 0, ecell, 4, "double", OP_READ),
 *               op_arg_dat(res, 1, ecell, 4, "double", OP_INC));
 *   op_fetch_data(q, out);                          // runs what q needs
 *   op_exit();
 *
 * The same header serves C11 and C++ (C++11 and later). Everything here works
 * in both; what differs is in op2_c.h and op2_cpp.h, included at the end.
 *
 * Errors. A wrong call has no effect: a loop is not recorded, a declaration
 * gives NULL. The message names file:line, loop, argument (from 0), what was
 * expected and what was found. Without a handler (op2_set_error_handler) it is
 * printed and the program ends with 1; only functions that return an op2_status
 * return it instead.
 * A loop that no compiler takes is told where it is needed, once. It goes, and what it
 * would have written is lost: a look at that is an error, until something writes all
 * of it. The call that met it goes on, where there is a handler.
 *
 * Threads. All calls come from the thread that called op_init; from another one
 * they are errors. op_printf op_print op_timers op_malloc op_is_root work
 * before op_init, too.
 *
 * Collective. On several MPI ranks each rank makes the same calls in the same
 * order. Calls marked (local) ask for facts of this rank and may be made by any
 * rank alone; every other call may communicate.
 */
#ifndef OP2_H
#define OP2_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* C++ calls these C functions through wrappers that note file and line
 * (op2_cpp.h); C through macros of the same names (op2_c.h). */
#ifdef __cplusplus
#define OP2_PLAIN namespace op2_plain {
#define OP2_PLAIN_END }
#else
#define OP2_PLAIN
#define OP2_PLAIN_END
#endif

/* Of functions whose op2_status says what nothing else does. */
#ifdef __GNUC__
#define OP2_CHECKED __attribute__((warn_unused_result))
#else
#define OP2_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types --------------------------------------------------------------- */

typedef unsigned int uint;
typedef long long ll;
typedef unsigned long long ull;

typedef int idx_l_t;       /* index or size on this rank */
typedef long long idx_g_t; /* index or size over all ranks */

typedef int op_access;   /* OP_READ ... OP_WORK */
typedef int op_arg_type; /* OP_ARG_GBL ... */

/* What a kernel does with an argument. OP_WRITE: writes without reading; where
 * that is not proven for every component on every path, the old values count as
 * read. OP_INC OP_MIN OP_MAX: combines with what is there, in any order; the
 * latter two keep the better value, of dats at the element itself and through
 * maps, too (a NaN is never better; of two zeros -0 is the smaller one). */
#define OP_READ 0
#define OP_WRITE 1
#define OP_RW 2
#define OP_INC 3
#define OP_MIN 4
#define OP_MAX 5
#define OP_WORK 6 /* globals only: scratch of the kernel, neither in nor out */

#define OP_ARG_GBL 0
#define OP_ARG_DAT 1
#define OP_ARG_IDX 2
#define OP_ARG_INFO 3
#define OP2_ARG_HANDLE 16 /* op2_arg_gbl */
#define OP2_ARG_LENGTH 17 /* op2_arg_row_length */
#define OP2_ARG_PACKED 18 /* op2_arg_dat_packed */
#define OP2_ARG_MAT 19    /* op2_arg_mat */
#define OP2_ARG_MASK 20   /* of op2_mat_mask: the library adds it */
#define OP2_ARG_LAYER 21  /* op2_arg_dat_layer */
#define OP2_ARG_NUMBER 22 /* op2_arg_idx_long */

#define OP_ID ((op_map)NULL) /* no map: the loop's own element */
#define OP_GBL ((op_map)NULL)

enum { OP2_ARGS_MAX = 64 }; /* arguments of one op_par_loop */

/* The structs behind the handles are OP2's, field by field, for programs that
 * read them. They belong to the library: read only. */
typedef struct op_set_core {
  int index;    /* number of the declaration, from 0 */
  idx_l_t size; /* elements on this rank, without halo */
  char const *name;
  int core_size;    /* elements that touch no halo */
  int exec_size;    /* halo elements that this rank executes, too */
  int nonexec_size; /* halo elements that it only reads */
  int stride;
} op_set_core;
typedef op_set_core *op_set;

typedef struct op_map_core {
  int index;
  op_set from, to;
  int dim;  /* entries per element of `from` (arity) */
  int *map; /* [from->size, dim], element-major, from 0 */
  idx_g_t *map_gbl;
  int *map_d;
  char const *name;
  int user_managed; /* the table is the program's own memory */
  bool force_part;
} op_map_core;
typedef op_map_core *op_map;

typedef struct op_dat_core {
  int index;
  op_set set;
  int dim;    /* values per element */
  int size;   /* bytes per element: dim * size of the type */
  char *data; /* host mirror [set->size, dim], element-major. Current
                       after declaration, op2_sync, fetch and print, and where
                       op2cc has put a look before the read (doc/porting.md) */
  char *data_d;
  char const *type, *name;
  char *buffer_d, *buffer_d_r;
  int dirtybit, dirty_hd;
  int user_managed; /* the data are the program's own memory */
  void *mpi_buffer;
} op_dat_core;
typedef op_dat_core *op_dat;

/* One argument of op_par_loop, passed by value; made by op_arg_dat and its kin,
 * checked by op_par_loop. */
typedef struct op_arg {
  int index;
  op_dat dat;
  op_map map;
  int dim;
  int idx;
  int size; /* bytes of all components of a global; 0 for dats */
  char *data;
  char *data_d;
  int *map_data, *map_data_d;
  char const *type;
  op_access acc;
  op_arg_type argtype;
  int sent;
  int opt; /* 0: switched off; 1: on */
} op_arg;

/* Status of functions that return int: 0 or one of these. */
typedef enum op2_status {
  OP2_OK = 0,
  OP2_ERR_ARG = 1,     /* wrong argument */
  OP2_ERR_TARGET = 2,  /* target not available */
  OP2_ERR_COMPILE = 3, /* kernel or region does not compile */
  OP2_ERR_DEVICE = 4,  /* device failed */
  OP2_ERR_MEMORY = 5,  /* out of memory */
  OP2_ERR_MPI = 6,     /* MPI failed */
  OP2_ERR_IO = 7,      /* input or output failed */
  OP2_ERR_STATE = 8    /* not possible in this state */
} op2_status;

/* ---- start and end ------------------------------------------------------- */

/* Start the library and read options.
 * argv   OP2's options OP_PART_SIZE= OP_BLOCK_SIZE= OP_CACHE_LINE_SIZE=
 *        OP_MAPS_BASE_INDEX= OP_NO_REALLOC OP_AUTO_SOA; other words that begin
 *        with OP_ are reported, the rest is the program's; NULL with argc 0
 * diags  kept in OP_diags; above 1: op_diagnostic_output prints. Arguments are
 *        always checked
 * The environment (OP2_TRACE, OP2_TARGET, ...) is read here. */
void op_init(int argc, char **argv, int diags);
/* The same; soa != 0 as OP_AUTO_SOA: the library prefers SoA storage. */
void op_init_soa(int argc, char **argv, int diags, int soa);
/* Run all that is pending, free everything. No handle and no mirror is valid after
 * it; with OP_NO_REALLOC the program's arrays hold the final values, on one rank
 * (on several data are copied). op_init may follow. */
void op_exit(void);

/* ---- mesh ---------------------------------------------------------------- */

OP2_PLAIN
/* Declare a set of `size` >= 0 elements (this rank's part); name is copied. */
op_set op_decl_set(idx_l_t size, char const *name);
/* Declare a map of `dim` >= 1 targets per element.
 * imap   [from->size, dim], element-major; entries in [0, to->size) of the
 *        target set (+ OP_MAPS_BASE_INDEX); copied, unless OP_NO_REALLOC is
 *        given
 * error  an entry outside the set; NULL for a non-empty set */
op_map op_decl_map(op_set from, op_set to, int dim, idx_l_t *imap,
                   char const *name);
op_map op_decl_map_long(op_set from, op_set to, int dim, idx_g_t *imap,
                        char const *name);
/* A map whose rows have any length, from compressed rows: row e is col[row_ptr[e]]
 * to col[row_ptr[e + 1] - 1]; empty rows and repeated targets are allowed. map->dim
 * is the length of the longest row, over all ranks, or 1. Loops take
 *   op_arg_dat(d, -n, map, ...)   n at least that of the longest row: the kernel gets
 *                 T ** with as many pointers as the element's row has entries
 *   op2_arg_row_length(map)       how many these are
 *   op_arg_dat(d, i, map, ...)    if every row has more than i entries
 * row_ptr [elements + 1], the first 0, ascending; copied
 * col     [row_ptr[elements]], in 0 to size of `to` - 1 (from OP_MAPS_BASE_INDEX on);
 *         copied, unless OP2_NO_REALLOC. Over ranks both are of this rank's part of
 *         `from`, and entries are numbers over all ranks
 * error   otherwise; rows of more than 65536 entries; maps of op2_decl_map_permuted
 *         and loops by hand (op_mpi_halo_exchanges) do not take it. At loops: on
 *         OpenCL vectors of dats that share memory (overlays), and rows that with
 *         the longest need more than 64 KB an element
 * cost    8 bytes an element and 4 an entry; over ranks, while sets are spread, each
 *         row takes as much as the longest
 * collective over ranks; runs no loops */
op_map op2_decl_map_csr(op_set from, op_set to, const idx_g_t *row_ptr,
                        const idx_l_t *col, const char *name);
/* The same from rows of `width` places, in which -1 (anywhere) stands for none,
 * whatever the first index of maps is: row e has the other entries of
 * table[e * width] to table[(e + 1) * width - 1], in their order.
 * table [elements, width]; copied. Errors, cost as above */
op_map op2_decl_map_padded(op_set from, op_set to, int width,
                           const idx_l_t *table, const char *name);

/* A subset: some elements of a set, to run loops over. It can stand wherever a set
 * is gone over, and is a set like any other: dats may be declared on it, maps from
 * it and to it, subsets of it. A loop over it also takes dats on the whole set and
 * maps from the whole set as they are (the whole set of a subset's subset is that of
 * the subset); op_arg_idx then gives indices of the whole set, and a write leaves
 * elements outside as they were. op_get_size gives its own size.
 * indices [n], of the parent `set` (of this rank's part of it, as declared; with
 *         OP2_DECLARE=whole, of all); in any order, those that come again count
 *         once; copied; NULL for n == 0. Elements of the subset are numbered in
 *         ascending order of the parent
 * error   an index outside the parent. Over ranks, if each declares a part: subsets
 *         after op_partition has moved elements of the parent
 * collective over ranks; runs no loops */
op_set op2_decl_subset(op_set set, idx_l_t n, const idx_l_t *indices,
                       const char *name);
/* Elements of a or b, of both, of a and not b, as a subset of their whole set, in
 * its order. a, b: subsets of one set, or that set.
 * error  they are of different sets. Collective over ranks; runs no loops */
op_set op2_set_union(op_set a, op_set b, const char *name);
op_set op2_set_intersection(op_set a, op_set b, const char *name);
op_set op2_set_difference(op_set a, op_set b, const char *name);

/* A set of columns: each element b of `base` has layers l, one after another, and
 *   element (b, l) has number b * layers + l,   0 <= l < layers
 * It is a set like any other: dats and maps may be declared on it, subsets of it,
 * columns over it. Its elements lie with those of the base over ranks; each rank
 * gives the columns of its part of the base.
 * layers  1 or more; elements of a rank fit an int
 * error   otherwise. Over ranks, if each declares a part: columns, their regions and
 *         maps after op_partition has moved elements of the base; op_partition by
 *         columns in place of their base
 * cost    none; over ranks 8 bytes an element
 * collective over ranks; runs no loops */
op_set op2_decl_columns(op_set base, int layers, const char *name);
/* The same where column b has layers range[2b] <= l < range[2b + 1], numbered from 0
 * on, one column after another.
 * range  [elements of base, 2], 0 <= range[2b] <= range[2b + 1]; copied
 * cost   8 bytes a column beside that of op2_decl_columns */
op_set op2_decl_columns_var(op_set base, const idx_l_t *range,
                            const char *name);
/* Elements of each column as a subset of the columns: the lowest layer, the highest,
 * or all that have one above them. Empty columns have none.
 * error  `columns` is no such set; another region. Collective; runs no loops */
#define OP2_BOTTOM 1
#define OP2_TOP 2
#define OP2_INTERIOR 3
op_set op2_columns_region(op_set columns, int region, const char *name);
/* A map between columns after a map `base` between their bases: element (b, l) of
 * `from` names in its entry i
 *   (base[b][i], l + offset[i])   where `to` are columns over the set of base[b][i]
 *   base[b][i]                    where `to` is that set (offset NULL): all layers of
 *                                 a column meet in it
 * from    columns, or a subset of them
 * base    from their base; its rows have one length; NULL: b itself, one entry
 * offset  [base->dim] layers, also negative; copied
 * error   a layer outside the column, by entry and element; sets and maps that do not
 *         belong together
 * cost    4 bytes an entry of each element, as of a composed map; neither base nor
 *         offset is needed any longer
 * collective over ranks; runs no loops */
op_map op2_decl_map_columns(op_set from, op_set to, op_map base,
                            const int *offset, const char *name);

/* The map e -> then[first[e][i]][j], as entry i * then->dim + j of a row. `then`
 * begins at the set to which `first` leads, or, where that is a subset, at its
 * whole set. If one of them has rows of any length, so has this one: entries one
 * after another. Rows are written down now: neither map is needed any longer.
 * error  `then` begins elsewhere; rows of more than 65536 entries
 * collective over ranks; runs no loops */
op_map op2_decl_map_composed(op_map first, op_map then, const char *name);
/* A map with each row's entries in another order: entry i is entry perm[i] of `map`.
 * perm   [map->dim], each of 0 to dim - 1 once; copied
 * error  otherwise; `map` has rows of any length
 * collective over ranks; runs no loops */
op_map op2_decl_map_permuted(op_map map, const int *perm, const char *name);
/* End a set or a map that one of these functions gave, an axis, a sparsity that has no
 * matrix any more, or a matrix; NULL: nothing. Its handle is void at once; loops that
 * wait keep what they need, and so do maps that were made of it. Returns an op2_status.
 * error  a set with dats that are not freed (of a box, with or without a halo), with
 *        an axis, maps or rules from it or to it, or of which others are made (regions and
 *        subsets of columns, columns of their base); sets and maps of op_decl_set,
 *        op_decl_map. Collective over ranks; runs no loops */
int op2_free(void *handle);

/* Another set's view of a dat's memory: both handles read and write the same
 * values. The set must not be larger than the dat's. An overlay of a temporary
 * is one, too, and keeps the memory until both are freed. With _ptr below the dat
 * is the one that was declared from this pointer. */
op_dat op_decl_dat_overlay(op_set set, op_dat dat);
/* Free a temporary dat (op_decl_dat_temp), or an overlay of one. Pending loops on
 * it still run; its name may be used again at once. 0, or an op2_status. */
int op_free_dat_temp(op_dat dat);
OP2_PLAIN_END
op_dat op_decl_dat_overlay_ptr(op_set set, char *data);

#include "op2_boxes.h"

/* Distribute the mesh over ranks. lib: "PTSCOTCH" "PARMETIS" "KAHIP" "INERTIAL"
 * "EXTERNAL" "RANDOM"; "" or NULL: blocks. routine: "KWAY" or nothing; of PARMETIS also
 * "GEOM" (by inertia here) and "GEOMKWAY". Another library or routine, or one whose set,
 * map or dat is NULL: blocks, with a warning, as in OP2. On one rank without effect. */
void op_partition(const char *lib_name, const char *lib_routine,
                  op_set prime_set, op_map prime_map, op_dat coords);
/* The same with the table and coordinates that map and dat were declared from. */
void op_partition_ptr(const char *lib_name, const char *lib_routine,
                      op_set prime_set, int *prime_map, double *coords);
/* Number the elements anew before the next loop, however good their order is, if
 * this may be done at all (OP2_RENUMBER); on one rank. Never visible. NULL: ignored,
 * with a warning. _ptr: the map that was declared from this table. */
void op_renumber(op_map base);
void op_renumber_ptr(int *table);
/* Hint for op_partition about the map declared from this table: cut none of its rows. */
void op_force_part(int *table);

/* ---- loops --------------------------------------------------------------- */

/* A handle that op_exit made void is told of by op_par_loop, not by a sanitizer. */
#if defined(__has_attribute)
#if __has_attribute(no_sanitize)
#define OP2_NOT_CHECKED __attribute__((no_sanitize("address")))
#endif
#endif
#ifndef OP2_NOT_CHECKED
#define OP2_NOT_CHECKED
#endif

/* Argument from a dat.
 *   idx = -1, map = OP_ID   the element itself          kernel gets T *
 *   idx in [0, map->dim)    entry idx of its map row    kernel gets T *
 *   idx = -k, k in [2, map->dim]  the first k entries   kernel gets T **
 * dim, type  as declared; acc  OP_READ OP_WRITE OP_RW OP_INC OP_MIN OP_MAX
 * What counts is what the kernel's IR shows; what differs from acc is told once for
 * each kernel and argument. Arguments with the same dat and different accesses see
 * each other's stores; if one goes through a map, the loop runs in order, on one
 * thread.
 * data, size, map_data are those of dat and map, for loops written by hand
 * (op_lib_core.h).
 * local; errors are reported by op_par_loop. cost a few ns; inline, since a time
 * loop makes the same ones again and again */
inline OP2_NOT_CHECKED op_arg
op_arg_dat(op_dat dat, int idx, op_map map, int dim, char const *type,
           op_access acc) {
  op_arg a = {-1, dat, map,  dim, idx,        0, 0, 0,
              0,  0,   type, acc, OP_ARG_DAT, 0, 1};
  if (dat) { /* by address: op2cc takes no such read for one of the program's */
    const void *field = (const char *)dat + offsetof(op_dat_core, data);
    a.data = *(char *const *)field;
    a.size = dat->size;
  }
  if (map) a.map_data = map->map;
  return a;
}
/* With opt == 0 it is switched off: dat may be NULL, nothing is checked or
 * moved, the kernel gets NULL. The flag may change from call to call. */
op_arg op_opt_arg_dat(int opt, op_dat dat, int idx, op_map map, int dim,
                      char const *type, op_access acc);
/* The first k entries of the element's map row as one block, kernel gets T *:
 *   x[i * dim + c]   component c of entry i, 0 <= i < k
 * The block is a copy. With OP_READ and OP_RW it begins with the values of the dat,
 * with OP_WRITE too where the kernel does not store all of it; with OP_INC at 0, and
 * what it ends as is added; with OP_MIN, OP_MAX at their identity. Entries that name
 * one element have a copy each: of what is written, the last one's stays.
 * k    1 to map->dim; the map's rows have one length. OP_ID and k = 1: the element
 *      itself
 * cost none above a vector argument where the kernel's loops have constant lengths;
 *      else the block is copied in and out
 * error  at op_par_loop: as op_arg_dat; k outside; a block of more than 1 MB */
op_arg op2_arg_dat_packed(op_dat dat, int k, op_map map, int dim,
                          char const *type, op_access acc);
/* Another layer of the element's column, kernel gets T *: of element (b, l) that of
 * (b, l + dl). The dat lies on columns (op2_decl_columns); the loop goes over these,
 * or over a subset of them all of whose elements have such a layer (a region). Or it
 * lies on a box, along whose last dimension layers are (op2_boxes.h).
 * cost 4 bytes an element of the loop's set, once for each dl but 0
 * error  at op_par_loop: as op_arg_dat; an element that has no such layer. Over ranks
 *        the first call with a dl is collective, and an error of one rank is one of all */
op_arg op2_arg_dat_layer(op_dat dat, int dl, int dim, char const *type,
                         op_access acc);
/* The element's index (-1, OP_ID) or its entry idx of the map, as const int *,
 * in the program's own numbering of this rank; over a subset, of its whole set. */
op_arg op_arg_idx(int idx, op_map map);
/* The same over all ranks, as const idx_g_t *: number of the element that it is, those
 * of the parts that ranks declare counting one after another (op_get_global_set_offset
 * and the index in this rank's, whoever owns the element now). Of programs of one rank,
 * or of a whole mesh (OP2_DECLARE), op_arg_idx's, in 64 bits.
 * cost  none on one rank; on several 8 bytes read, those of the element's number */
op_arg op2_arg_idx_long(int idx, op_map map);
/* How many entries the element's row of the map has, as const int *: with
 * op2_decl_map_csr, where each row has a length of its own; of other maps their
 * dim.
 * error  at op_par_loop: no map, or one from another set than the loop's */
op_arg op2_arg_row_length(op_map map);

/* op_par_loop(kernel, name, set, op_arg...): 0 to OP2_ARGS_MAX arguments; macro
 * in C, template in C++. kernel: void (T *, ...), one pointer for each
 * argument; NULL: the source given to op2_kernel_source under this name.
 *   op_arg_gbl(T *data, int dim, type, acc)       global: READ values are taken
 *     now; else *data holds the result when op_par_loop returns (op2_defer_globals),
 *     or is read, where op2cc sees that (doc/porting.md). Where several overlap in
 *     memory and one is written, the loop runs in order, on one thread of the host; a
 *     device refuses it
 *   op_opt_arg_gbl(int opt, T *data, int dim, type, acc)
 *   op_arg_info(T *data, int dim, type, int ref)  payload of the OP_MIN or
 *     OP_MAX argument number ref (from 0): taken from the element that won
 * These and op_decl_dat, op_decl_dat_temp, op_decl_const, op_decl_const2,
 * op_fetch_data, op_fetch_data_idx are in op2_c.h and op2_cpp.h. */

/* op2_par_loop_scan(kernel, name, set, order, op_arg...): an op_par_loop along columns,
 * in each one layer after another (doc/columns.md, doc/boxes.md).
 *   set    columns (op2_decl_columns), a box (op2_boxes.h), or a subset of these. The
 *          scan goes over those of its elements that have all layers that arguments name
 *   order  OP2_FORWARD: layers ascend; OP2_BACKWARD: they descend
 *   op_arg_dat(d, -1, OP_ID, ...)    the element itself, any access
 *   op2_arg_dat_layer(d, dl, ...)    OP_READ. Of a dat that the scan writes, dl < 0 in
 *          OP2_FORWARD, > 0 in OP2_BACKWARD: what the scan wrote there, or, where it
 *          did not come, what was there when it began
 *   op_arg_dat(d, i, map, ...)       OP_READ, of dats that the scan does not write
 *   op_arg_gbl, op2_arg_gbl          as in op_par_loop
 * cost   4 bytes an element for each set, order and range of layers, and each dl
 * error  another set, order or kind of argument; a write to another layer or through a
 *        map; a layer that is written after the element. Collective if layers are new */
#define OP2_FORWARD 1
#define OP2_BACKWARD 2

/* ---- looking at data ----------------------------------------------------- */

/* A copy of the dat, of this rank's part as it was declared, in the program's order:
 * copy->set->size elements at copy->data. It is the program's: free its data, its set,
 * and itself, or keep it. Calls that look at dats take it until op_exit; it is
 * none for loops, and in no dump. */
op_dat op_fetch_data_file_char(op_dat dat);
op_dat op_mpi_get_data(op_dat dat);
/* The values of such a copy, which the program may have changed, become those of the
 * dat it was made from, ordered like a write. Of a declared dat: op_upload_dat. */
void op_mpi_put_data(op_dat dat);
OP2_PLAIN
/* Write to a file, from rank 0: the elements of all ranks, in the order of one rank.
 *   txt  "size dim" and a line of dim numbers for each element
 *   bin  int size, int dim, then size * dat->size bytes, host order
 * error  type without a text form; the file cannot be written */
void op_print_dat_to_txtfile(op_dat dat, const char *file_name);
void op_print_dat_to_binfile(op_dat dat, const char *file_name);
OP2_PLAIN_END
/* Print one value a line on stdout. */
void op_dump_dat(op_dat dat);
/* Take the host mirror dat->data as the new values, ordered like a write
 * (upload), bring the mirror up to date (download); _all: every dat whose mirror
 * is current. Call op2_sync before writing there (or op2_dat_data_rw in place of
 * both): a dat in the program's own memory (OP_NO_REALLOC) or under an overlay
 * has no second place, and pending loops see what is written. */
void op_upload_dat(op_dat dat);
void op_download_dat(op_dat dat);
void op_upload_all(void);
/* Address of the mirror, brought up to date, and of the map's table, as
 * numbers. reset: the dat or map that was declared from this pointer is henceforth known
 * by its number (mode 1) or by its mirror (mode 2); that value is returned. */
unsigned long op_get_data_ptr(op_dat dat);
unsigned long op_reset_data_ptr(char *data, int mode);
unsigned long op_get_map_ptr(op_map map);
unsigned long op_reset_map_ptr(int *map);

/* Elements over all ranks, and of the ranks before this one. Collective. */
idx_g_t op_get_size(op_set set);
idx_g_t op_get_global_set_offset(op_set set);
/* Elements here: owned; owned that touch no halo; and executed halo; and all halo. (local) */
int op_get_size_local(op_set set);
int op_get_size_local_core(op_set set);
int op_get_size_local_exec(op_set set);
int op_get_size_local_full(op_set set);
/* Elements here, halo included, of the set with this name. (local) */
int op_size_of_set(const char *name);

/* ---- HDF5 files ---------------------------------------------------------- */

/* Data sets have the shapes that OP2 gives them (doc/io.md); names are paths, and
 * writing makes the groups on the way. All is in the program's numbering. Values
 * are converted only where none is changed by that. On several ranks each reads and
 * writes its part; sets from files are shared out evenly.
 * error  no HDF5 in this build; a missing file; a wrong shape or type; values that the
 *        program's type does not hold. A data set that is not there is told, as
 *        an error is, and the program goes on, with NULL or an unchanged constant */

OP2_PLAIN
/* The size is the one value of the data set `name`; or the number of rows of
 * another data set. */
op_set op_decl_set_hdf5(char const *file, char const *name);
op_set op_decl_set_hdf5_infer_size(char const *file, char const *name,
                                   char const *set_dataset_name);
/* As op_decl_map, the table from [from->size, dim] integers. */
op_map op_decl_map_hdf5(op_set from, op_set to, int dim, char const *file,
                        char const *name);
/* As op_decl_dat, the values from [set->size, dim], or [set->size] for dim 1.
 */
op_dat op_decl_dat_hdf5(op_set set, int dim, char const *type, char const *file,
                        char const *name);
/* Read `dim` values to, or write them from, const_data, which is what `type` says.
 * The file and the data set are made if they are not there. */
void op_get_const_hdf5(char const *name, int dim, char const *type,
                       char *const_data, char const *file_name);
void op_write_const_hdf5(char const *name, int dim, char const *type,
                         char *const_data, char const *file_name);
/* A new file of all sets, maps and dats, in place of a former one. */
void op_dump_to_hdf5(char const *file_name);
/* Write the dat's values to a file, which is made if it is not there, as the data set
 * of its name or of this path; one that is there must be of this shape and type. */
void op_fetch_data_hdf5_file(op_dat dat, char const *file_name);
void op_fetch_data_hdf5_file_path(op_dat dat, char const *file_name,
                                  char const *path_name);
OP2_PLAIN_END

/* ---- pictures ------------------------------------------------------------ */

OP2_PLAIN
/* Write mesh and values for viewers, as a step of a series: an HDF5 file in the layout
 * VTKHDF (ParaView 5.12, VTK 9.3 and later), and beside it a text in XDMF (others) over
 * the same values: path with ".xdmf" in place of its ending.
 *   op2_write_vtk("run.vtkhdf", t, cell_nodes, 0, x, 2, (op_dat[]){q, speed});
 * path            names the series. Its first call since op_init begins both files, in
 *                 place of former ones; later ones add a step each
 * time            of the step; more than that of the step before
 * cells_to_nodes  rows of one length, nodes in VTK's order
 * vtk_cell_type   VTK's number: 1 vertex, 3 line, 5 triangle, 9 quadrilateral, 10
 *                 tetrahedron, 12 hexahedron, 13 wedge, 14 pyramid, 21 22 23 24
 *                 quadratic edge, triangle, quadrilateral, tetrahedron. 0: by the
 *                 length of rows: 1, 2, 3, 5 as said; 4, 6, 8 tetrahedron, wedge,
 *                 hexahedron where coordinates have dim 3, else quadrilateral,
 *                 quadratic triangle and quadrilateral; 10 quadratic tetrahedron
 * coordinates     of the nodes, double or float, dim 1 to 3; what is missing is 0.
 *                 Written again only when they have changed
 * dats            n of them, of numbers, on the cells or on the nodes: the same ones in
 *                 each step (by name, dim, type and set). "/" in a name becomes "_"
 * Runs what the dats need, as a fetch does. Numbering is the program's; files of several
 * ranks are those of one. Steps are added in place: a crash inside the call may cost the
 * series. XDMF has no unsigned 64-bit integers: there they are signed.
 * An op2_status: OP2_ERR_ARG, OP2_ERR_IO (files; no HDF5). */
OP2_CHECKED int op2_write_vtk(const char *path, double time,
                              op_map cells_to_nodes, int vtk_cell_type,
                              op_dat coordinates, int n, const op_dat *dats);
OP2_PLAIN_END

/* ---- checkpoints --------------------------------------------------------- */

OP2_PLAIN
/* Write what the rest of the run needs to an HDF5 file: those dats, with the
 * values of this call, that were written since their declaration and whose next
 * use is not a full write; and all op2_gbl. What the next loops do decides: the
 * file is complete, and takes the place of a former one, after one period of the
 * time loop, or at op2_flush, op_exit, or the next checkpoint; until then, and after
 * a crash, the former one stays whole. Returns an op2_status; failures of a
 * later moment are errors of the call that met them. OP2_CHECKPOINT=all: all
 * dats that were written, at once.
 * What the program has elsewhere, as the number of the time step, it keeps in an
 * op2_gbl. */
OP2_CHECKED int op2_checkpoint(const char *path);
/* Go on from a checkpoint: behind the same declarations as in the run that wrote it,
 * in place of the loops up to it, on any number of threads and ranks. Names, sets,
 * sizes, dims and types are compared first; then nothing has changed if they
 * differ. The loops that follow must be those that followed op2_checkpoint: a
 * dat that was left out has no values, and using it before a loop has written
 * all of it is an error. Returns an op2_status; without an error handler it also
 * prints why it did nothing, for one, that there is no such file. */
OP2_CHECKED int op2_restart(const char *path);
OP2_PLAIN_END

/* ---- services ------------------------------------------------------------ */

int op_is_root(void);    /* 1 on rank 0 (local) */
void op_rank(int *rank); /* this rank's number, from 0 (local) */
/* printf on rank 0; a line on rank 0. (local) */
void op_printf(const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 1, 2)))
#endif
    ;
void op_print(const char *line);
/* As malloc and its kin, 64-byte aligned; free() may free it. (local) */
void *op_malloc(size_t size);
void *op_calloc(size_t num, size_t size);
void *op_realloc(void *ptr, size_t size);
void op_free(void *ptr);
/* CPU seconds of this process and wall-clock seconds, each since some fixed
 * moment; NULL where not wanted. Does not run pending loops. (local) */
void op_timers(double *cpu, double *et);
/* Run all that is pending, then a table of the regions run (a region is a loop
 * or several fused ones): calls, seconds, GB/s; on stdout, to a file, and as
 * comma-separated values. Rank 0 writes. */
void op_timing_output(void);
void op_timing_output_2_file(const char *file_name);
void op_timings_to_csv(const char *file_name);
/* List sets, maps and dats on stdout if diags of op_init was above 1. */
void op_diagnostic_output(void);
/* true: what loops recorded from now on combine into globals stays this rank's own;
 * loops recorded from now on stay on the host. */
void op_disable_mpi_reductions(bool disable);
void op_disable_device_execution(bool disable);

/* Named, nested wall-clock sections. OP_PROFILE_LEVEL: 0 off, 1 sections
 * (default), 2 pending loops run at each boundary so that their time falls into
 * the section that recorded them, and regions are listed, 3 also sections
 * inside _enter_kernel. op_profile_output prints the tree, and writes it as
 * JSON where OP_PROFILE_JSON_OUTPUT says. next: exit, then enter. end closes
 * all. (local, below level 2) */
void op_profile_start(const char *name);
void op_profile_enter(const char *name);
void op_profile_enter_kernel(const char *name, const char *target,
                             const char *variant);
void op_profile_next(const char *name);
void op_profile_exit(void);
void op_profile_end(void);
void op_profile_output(void);
void op_profile_output_json(const char *file_name);

/* ---- OP2's untyped forms ------------------------------------------------- */

/* The typed calls with the size of one component in bytes in place of a C type. */
op_dat op_decl_dat_char(op_set set, int dim, char const *type, int size,
                        char *data, char const *name);
op_dat op_decl_dat_temp_char(op_set set, int dim, char const *type, int size,
                             char const *name);
int op_free_dat_temp_char(op_dat dat);
void op_decl_const_char(int dim, char const *type, int size, char *data,
                        char const *name);
op_arg op_arg_gbl_char(char *data, int dim, const char *type, int size,
                       op_access acc);
op_arg op_opt_arg_gbl_char(int opt, char *data, int dim, const char *type,
                           int size, op_access acc);
op_arg op_arg_info_char(char *data, int dim, const char *type, int size,
                        int ref);
void op_fetch_data_char(op_dat dat, char *out);
void op_fetch_data_idx_char(op_dat dat, char *out, int low, int high);

/* ---- op2lazy's additions: when loops run --------------------------------- */

OP2_PLAIN
/* Run all that is pending. Copies nothing back to mirrors. */
void op2_flush(void);
OP2_PLAIN_END
/* Loops recorded and not yet run. (local) */
size_t op2_pending(void);
OP2_PLAIN
/* Run what this dat needs; its mirror dat->data is then current. */
void op2_sync(op_dat dat);
/* Host view [set->size, dim], element-major, program's order, current; valid
 * until the next call of this library. NULL on error. */
const void *op2_dat_data(op_dat dat);
/* The same, writable: loops that read or write the dat run first, later loops
 * see what was written. The next call takes all of it as written. */
void *op2_dat_data_rw(op_dat dat);
OP2_PLAIN_END
/* on != 0: raw-pointer globals that loops write are delivered at op2_flush
 * only; each loop starts from what the memory holds at its call, so a variable
 * that goes on over several loops without being set keeps the last one's part
 * alone (a handle keeps all). Returns the former setting. */
int op2_defer_globals(int on);

/* ---- targets ------------------------------------------------------------- */

/* Loops recorded from now on run on `target`: "seq", "openmp", "opencl",
 * "opencl:1" (OP2_TARGET is what counts before). Programs mix targets, data
 * follow. Returns OP2_ERR_TARGET if it is not there; then nothing is pushed. On
 * several ranks each takes a device of its own where no number is given; collective.
 * A loop whose kernel has no IR, or does I/O, is an error on a device, unless
 * OP2_OFFLOAD_FALLBACK=host. */
OP2_CHECKED int op2_target_push(const char *target);
/* Back to the target before. OP2_ERR_STATE: nothing was pushed. */
int op2_target_pop(void);

/* ---- deferred globals ---------------------------------------------------- */

/* A global that stays in the library: loops read and combine into it without
 * being waited for. */
typedef struct op2_gbl_core *op2_gbl;
OP2_PLAIN
/* init  [dim] values, copied; NULL: zeros. name is copied. */
op2_gbl op2_decl_gbl(int dim, const char *type, const void *init,
                     const char *name);
OP2_PLAIN_END
op_arg op2_arg_gbl(op2_gbl gbl, int dim, const char *type, op_access acc);
OP2_PLAIN
/* Run what it needs and copy its dim values to out. */
void op2_gbl_get(op2_gbl gbl, void *out);
/* New values, ordered like a write: loops recorded before see the old ones. */
void op2_gbl_set(op2_gbl gbl, const void *in);
OP2_PLAIN_END
/* The handle is void at once, the memory goes once pending loops ran. */
void op2_free_gbl(op2_gbl gbl);

#include "op2_algebra.h"

/* ---- kernels, errors, insight -------------------------------------------- */

/* C source that defines the function `name`; compiled at once. Serves loops of
 * this name that have no kernel, or one without IR; again: replaces it for
 * later loops. Returns an op2_status. */
OP2_CHECKED int op2_kernel_source(const char *name, const char *c_source);

/* A promise for a kernel whose code cannot be read (it calls a library, or its file was
 * not compiled by op2cc): it does nothing but what its loops' arguments declare. It
 * touches only what they point to, OP_INC is only added to, OP_WRITE not read, and
 * several threads may run it at once; besides it reads constants given to
 * op_decl_const, and memory that does not change. Its loops then wait and run on all
 * threads, each for itself. Without effect on a kernel whose code says as much, and on
 * globals that it writes (OP_WRITE, OP_RW, payloads of extremes: in order still).
 * Before the first loop with this kernel; holds until op_exit. On several ranks all
 * call it.
 *   int op2_kernel_pure(kernel)     an op2_status; OP2_ERR_STATE after such a loop
 * is a macro in C and a template in C++ (op2_c.h, op2_cpp.h) over: */
int op2_kernel_pure_of(void (*kernel)(void));

/* The last message of this thread; "" if there was none. (local) */
const char *op2_last_error(void);
/* Called once for each error, in place of printing and ending. NULL: default.
 * May be set before op_init, outlasts op_exit. (local) */
void op2_set_error_handler(
    void (*handler)(int status, const char *message, void *user), void *user);
/* A counter by name ("loops", "regions", "flushes", "compiles", ...); -1: there
 * is no such counter. Reset sets all to 0. (local) */
long long op2_counter(const char *name);
void op2_counters_reset(void);
/* The pending trace, or else the last flush before and after the passes, by the
 * ending: .irt text, .dot graph; .json the timeline since op_init. On several ranks
 * each writes a file of its own: x.irt rank 0, x.rank-1.irt the next. Sets and maps
 * that the library makes for loops that wait are in parts there once some ran.
 * op2_status. (local) */
OP2_CHECKED int op2_trace_write(const char *path);
/* Write the code of all that is pending, for `target`, and run nothing: the loops
 * stay pending. `folder` (made if it is not there) gets a file for each region,
 * index.json with what each is given, in which order, and how it is launched, and
 * trace.irt with what stands between them (doc/gpu.md). Neither the device nor its
 * driver is asked for.
 * target  as of op2_target_push, whatever the loops' own; behind a colon a format
 *         or the architecture of PTX: "cuda" (PTX for sm_80), "cuda:sm_90",
 *         "opencl" (SPIR), "opencl:spirv", "openmp" or "seq" (LLVM IR),
 *         "openmp:object"; or a format alone: "ptx:sm_90", "spirv", "object"
 * error   nothing is pending; an unknown target; a loop that the target does not
 *         take; the folder cannot be made or written. Then it has no index
 * On several ranks the first one writes. An op2_status. */
OP2_CHECKED int op2_generate(const char *target, const char *folder);
/* The last flush in words: what was fused, what not and why, what was moved, what ran
 * on which device and how; its first line says why the flush was ("flush: because
 * values of a dat are looked at: dat "q", by op_fetch_data (main.c:80)").
 * Valid until the next call of this library. */
const char *op2_explain(void);
const char *op2_version(void); /* (local) */

/* ---- entry points for the macros and templates --------------------------- */

/* Place of this thread's next call, for messages. file: a literal, KEEP. */
void op2_here(const char *file, int line);
/* elem_size  size of one component by the C type of data; 0: unknown
 * ctype      OP2's name of that C type ("double" "float" "int" "uint" "ll"
 *            "ull" "short" "char" "uchar" "bool"), "?" for a type that is known
 *            to differ from `type`; NULL: unknown, or a type of the program's
 *            own */
void op2_par_loop_at(const char *file, int line, void (*kernel)(void),
                     const char *name, op_set set, int nargs,
                     const op_arg *args);
/* Also compares the kernel's parameters: param_types[i] is ctype of what
 * parameter i points to, with "*" behind it for T **; NULL: not compared. */
void op2_par_loop_typed_at(const char *file, int line, void (*kernel)(void),
                           const char *name, op_set set, int nargs,
                           const op_arg *args, const char *const *param_types,
                           int nparams);
/* op2_par_loop_scan; param_types as above. */
void op2_par_loop_scan_at(const char *file, int line, void (*kernel)(void),
                          const char *name, op_set set, int order, int nargs,
                          const op_arg *args, const char *const *param_types,
                          int nparams);
op_dat op2_decl_dat_at(op_set set, int dim, const char *type, size_t elem_size,
                       const char *ctype, void *data, const char *name);
op_dat op2_decl_dat_temp_at(op_set set, int dim, const char *type,
                            size_t elem_size, const char *ctype, void *ignored,
                            const char *name);
op_dat op2_decl_dat_box_at(op_set set, const int *lo_hi, int dim,
                           const char *type, size_t elem_size,
                           const char *ctype, void *data, const char *name);
void op2_decl_const_at(const char *name_or_null, int dim, const char *type,
                       size_t elem_size, const char *ctype, const void *data);
op_arg op2_arg_gbl_at(int opt, void *data, int dim, const char *type,
                      size_t elem_size, const char *ctype, int acc);
op_arg op2_arg_info_at(void *data, int dim, const char *type, size_t elem_size,
                       const char *ctype, int ref);
/* All elements, or elements low to high, both included, in the program's order;
 * out holds dim values for each. */
void op2_fetch_at(op_dat dat, void *out, size_t elem_size, const char *ctype);
void op2_fetch_idx_at(op_dat dat, void *out, size_t elem_size,
                      const char *ctype, int low, int high);

/* In a file of another compiler than op2cc (which takes this away again): tells
 * the library that nobody has seen where the file reads dat->data, so that this
 * memory is kept current and loops run at their call (OP2_MIRROR). With
 * OP2_CALLS_ONLY defined the file promises to read it only behind a call that made
 * it current. */
#if defined(__GNUC__) && !defined(OP2_CALLS_ONLY)
void op2_plain_file(const char *file) __attribute__((weak));
__attribute__((constructor)) static void
op2_plain_mark(void) {
  if (op2_plain_file) op2_plain_file(__BASE_FILE__);
}
#endif

#ifdef __cplusplus
}
#include "op2_cpp.h"
#elif !defined(OP2_NO_MACROS)
#include "op2_c.h"
#endif

#endif
