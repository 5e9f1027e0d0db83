/* Files of data sets, before HDF5: the part that has it is opened, new files go
 * to a place beside theirs and take it when they are whole.
 *
 * Written atomically: everything goes to "path.part", which takes the place of
 * "path" when it is closed (base/file.h): whoever opens "path" finds either the
 * former file or the new one, both whole, also after a crash. What a crash
 * leaves is a ".part" that the next try overwrites. */
#include "rt/io/io.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/module.h"
#include "rt/ranks/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rt_file {
  const struct rt_hdf5 *hdf5;
  struct rt_h5 *h5; /* NULL: this rank goes through rank 0 */
  struct rt_comm *comm;
  bool through;          /* all but rank 0 go through it */
  struct str path, part; /* part: where a new file is written; empty: none */
};

/* ---- the parts with HDF5 ------------------------------------------------- */

enum { ONE_PROCESS, ALL_RANKS, NMODULES };

static struct {
  bool tried;
  const struct rt_hdf5 *table; /* NULL: see `why` */
  struct str why;
} modules[NMODULES] = {{.why = STR_INIT}, {.why = STR_INIT}};

static bool root_only;

void
rt_io_set_root(bool root) {
  root_only = root;
}

/* One of them, opened once; `mpi` "": that for one process. */
static const struct rt_hdf5 *
hdf5_find(int which, const char *mpi) {
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "libop2lazy-hdf5%s%s.so", *mpi ? "-" : "", mpi);
  if (!modules[which].tried)
    modules[which].table =
        module_open(name.s, "op2_rt_hdf5", &modules[which].why);
  modules[which].tried = true;
  return modules[which].table;
}

static status
hdf5_get(struct rt_file *f) {
  if (f->comm->size > 1 && !root_only)
    f->hdf5 = hdf5_find(ALL_RANKS, f->comm->ops->name);
  f->through = !f->hdf5 && f->comm->size > 1;
  if (!f->hdf5) f->hdf5 = hdf5_find(ONE_PROCESS, "");
  if (f->hdf5) return OK;
  FAIL(ERR_IO,
       "HDF5 is not there: looked for libop2lazy-hdf5.so beside the library, "
       "which is built where HDF5's headers are (libhdf5-dev): %s",
       modules[ONE_PROCESS].why.s);
}

/* Status of the other side, its message copied here. */
static status
other(const struct rt_file *f, status s) {
  return s == OK ? OK : err_set(s, "%s", f->hdf5->error());
}

/* ---- ranks --------------------------------------------------------------- */

enum { TEXT = 1024, PIECE = 32 << 20 };

/* data = that of rank 0. */
static status
from_root(const struct rt_file *f, void *data, size_t bytes) {
  if (f->comm->size == 1 || !bytes) return OK;
  SCOPED char *all = mem_alloc((size_t)f->comm->size, bytes);
  status st = rt_allgather(f->comm, data, bytes, all);
  if (st == OK) memcpy(data, all, bytes);
  return st;
}

/* The message of the first rank that has one, for those that have none. */
static status
failure_tell(const struct rt_file *f, status st) {
  struct words {
    int code;
    char text[TEXT];
  } mine = {.code = (int)st}, *all;
  if (st != OK) strncpy(mine.text, err_last(), TEXT - 1);
  all = mem_alloc((size_t)f->comm->size, sizeof *all);
  status told = rt_allgather(f->comm, &mine, sizeof mine, all);
  for (int r = 0; told == OK && st == OK && r < f->comm->size; r++)
    if (all[r].code) st = err_set((status)all[r].code, "%s", all[r].text);
  free(all);
  return told == OK ? st : told;
}

status
rt_io_agree(struct rt_file *f, status st) {
  int worst = (int)st;
  if (f->comm->size == 1) return st;
  TRY(rt_allreduce(f->comm, &worst, 1, (struct type){TYPE_I32, 4}, ACC_MAX));
  return worst ? failure_tell(f, st) : OK;
}

/* What rank 0, or each, has done. */
static status
done(struct rt_file *f, status st) {
  return rt_io_agree(f, f->h5 ? other(f, st) : OK);
}
#define DO(f, function, ...)                                                   \
  done(f, (f)->h5 ? (f)->hdf5->function((f)->h5, __VA_ARGS__) : OK)

/* ---- to disk ------------------------------------------------------------- */

static status
part_keep(struct rt_file *f) {
  const char *what;
  int bad = file_settle(f->part.s, f->path.s, &what);
  if (!bad) return OK;
  FAIL(ERR_IO, "\"%s\": %s: %s", f->path.s, what, strerror(bad));
}

/* ---- files --------------------------------------------------------------- */

static void
file_free(struct rt_file *f) {
  str_clear(&f->path);
  str_clear(&f->part);
  free(f);
}

/* Rank 0: what lies beside the file's place is an unfinished file of a run that
 * was killed, or something that others put there: it goes, and is never opened.
 * */
static bool
must_make(const struct rt_file *f, const char *path, enum rt_io_mode mode) {
  if (mode == RT_IO_CREATE && !f->comm->rank) unlink(path);
  return mode == RT_IO_CREATE ||
         (mode == RT_IO_UPDATE && access(path, F_OK) != 0);
}

/* The file itself, on rank 0 or on all; rank 0 says whether it is there. */
static status
h5_get(struct rt_file *f, const char *path, enum rt_io_mode mode) {
  bool make = must_make(f, path, mode);
  TRY(from_root(f, &make, sizeof make));
  if (f->through && f->comm->rank) return OK;
  bool all = f->comm->size > 1 && !f->through;
  const void *ranks = all ? f->comm->ops->handle(f->comm) : NULL;
  return other(f, f->hdf5->open(path, mode, make, ranks, &f->h5));
}

status
rt_io_open(const char *path, enum rt_io_mode mode, struct rt_comm *comm,
           struct rt_file **out) {
  struct rt_file *f = mem_alloc(1, sizeof *f);
  f->comm = comm;
  f->path = f->part = (struct str)STR_INIT;
  str_add(&f->path, path);
  if (mode == RT_IO_CREATE) str_printf(&f->part, "%s.part", path);
  status st = rt_io_agree(f, hdf5_get(f));
  if (st == OK)
    st = rt_io_agree(f, h5_get(f, f->part.len ? f->part.s : path, mode));
  if (st == OK) {
    *out = f;
    return OK;
  }
  if (f->h5) f->hdf5->close(f->h5);
  file_free(f);
  return st;
}

/* Rank 0 puts a new file in its place, or takes it away. */
static status
part_end(struct rt_file *f, bool keep) {
  status st = OK;
  if (!f->part.len || f->comm->rank) return OK;
  if (keep) st = part_keep(f);
  if (!keep || st != OK) unlink(f->part.s);
  return st;
}

status
rt_io_close(struct rt_file *f, bool keep) {
  if (!f) return OK;
  status st = rt_io_agree(f, f->h5 ? other(f, f->hdf5->close(f->h5)) : OK);
  status end = rt_io_agree(f, part_end(f, keep && st == OK));
  file_free(f);
  return st == OK ? end : st;
}

const char *
rt_io_path(const struct rt_file *f) {
  return f->path.s;
}

/* ---- rows through rank 0 ------------------------------------------------- */

/* Where rows go to or come from. */
struct way {
  struct rt_file *f;
  const char *name;
  const struct rt_rows *rows; /* of this rank */
  char *values;               /* theirs */
  char *buffer;               /* rank 0: those of another rank, a piece */
  bool writes;
};

/* Rank 0: these rows of the data set, at this place in memory. */
static status
piece_do(const struct way *w, idx_g lo, idx_g hi, void *at) {
  struct rt_rows r = *w->rows;
  r.lo = lo;
  r.hi = hi;
  return other(w->f, w->writes ? w->f->hdf5->write(w->f->h5, w->name, &r, at)
                               : w->f->hdf5->read(w->f->h5, w->name, &r, at));
}

/* Rows [lo, hi) of rank `peer`, between it and rank 0's buffer. */
static status
piece_send(const struct way *w, int peer, idx_g lo, idx_g hi) {
  struct rt_comm *c = w->f->comm;
  size_t row = (size_t)w->rows->dim * w->rows->type.size;
  struct rt_message m = {.bytes = (size_t)(hi - lo) * row};
  bool mine = c->rank == peer, sends = w->writes ? mine : !c->rank;
  m.peer = mine ? 0 : peer;
  m.data = mine ? w->values + (size_t)(lo - w->rows->lo) * row : w->buffer;
  int n = mine || !c->rank;
  return rt_comm_once(c, &m, n && sends, &m, n && !sends);
}

/* A failure of HDF5 is kept for the end: the others are on their way here. */
static status
piece(const struct way *w, int peer, idx_g lo, idx_g hi, status *kept) {
  bool root = !w->f->comm->rank;
  if (!peer) {
    if (root && *kept == OK)
      *kept = piece_do(w, lo, hi,
                       w->values + (size_t)(lo - w->rows->lo) * w->rows->dim *
                                       w->rows->type.size);
    return OK;
  }
  if (root && !w->writes && *kept == OK) *kept = piece_do(w, lo, hi, w->buffer);
  TRY(piece_send(w, peer, lo, hi));
  if (root && w->writes && *kept == OK) *kept = piece_do(w, lo, hi, w->buffer);
  return OK;
}

/* The rows of all ranks, one rank after another; rank 0 makes at least one
 * call, which finds what is wrong, or makes the data set. */
static status
rows_pass(struct way *w) {
  struct rt_comm *c = w->f->comm;
  size_t row = (size_t)w->rows->dim * w->rows->type.size;
  idx_g mine[2] = {w->rows->lo, w->rows->hi}, (*all)[2];
  idx_g step = (idx_g)(PIECE / row) + 1;
  status kept = OK, st;
  all = mem_alloc((size_t)c->size, sizeof *all);
  st = rt_allgather(c, mine, sizeof mine, all);
  if (!c->rank) w->buffer = mem_alloc((size_t)step, row);
  for (int r = 0; st == OK && r < c->size; r++) {
    idx_g at = all[r][0], end = all[r][1];
    for (bool first = !r; st == OK && (first || at < end); first = false) {
      idx_g to = end - at < step ? end : at + step;
      st = piece(w, r, at, to, &kept);
      at = to;
    }
  }
  free(w->buffer);
  free(all);
  return st == OK ? rt_io_agree(w->f, kept) : st;
}

/* ---- data sets ----------------------------------------------------------- */

status
rt_io_find(struct rt_file *f, const char *name, struct rt_data *out) {
  TRY(DO(f, find, name, out));
  return f->through ? from_root(f, out, sizeof *out) : OK;
}

status
rt_io_read(struct rt_file *f, const char *name, const struct rt_rows *r,
           void *out) {
  struct way w = {.f = f, .name = name, .rows = r, .values = out};
  return f->through ? rows_pass(&w) : DO(f, read, name, r, out);
}

status
rt_io_write(struct rt_file *f, const char *name, const struct rt_rows *r,
            const void *values) {
  struct way w = {.f = f,
                  .name = name,
                  .rows = r,
                  .values = (char *)values,
                  .writes = true};
  return f->through ? rows_pass(&w) : DO(f, write, name, r, values);
}

status
rt_io_show(struct rt_file *f, const char *name, const struct rt_part_of *of) {
  return DO(f, show, name, of);
}

status
rt_io_put_int(struct rt_file *f, const char *name, const char *attr,
              long long value) {
  return DO(f, put_int, name, attr, value);
}

status
rt_io_put_ints(struct rt_file *f, const char *name, const char *attr,
               const int *values, size_t n) {
  return DO(f, put_ints, name, attr, values, n);
}

status
rt_io_put_text(struct rt_file *f, const char *name, const char *attr,
               const char *text, size_t room) {
  return DO(f, put_text, name, attr, text, room);
}

status
rt_io_get_int(struct rt_file *f, const char *name, const char *attr,
              long long *out, bool *found_out) {
  TRY(DO(f, get_int, name, attr, out, found_out));
  if (!f->through) return OK;
  TRY(from_root(f, out, sizeof *out));
  return from_root(f, found_out, sizeof *found_out);
}

/* The text of rank 0. */
static status
text_from_root(const struct rt_file *f, struct str *text) {
  size_t len = text->len;
  TRY(from_root(f, &len, sizeof len));
  SCOPED char *copy = mem_alloc(len + 1, 1);
  if (!f->comm->rank) memcpy(copy, text->s, len);
  status st = from_root(f, copy, len);
  str_reset(text);
  if (st == OK) str_addn(text, copy, len);
  return st;
}

status
rt_io_get_text(struct rt_file *f, const char *name, const char *attr,
               struct str *out, bool *found_out) {
  TRY(DO(f, get_text, name, attr, out, found_out));
  if (!f->through) return OK;
  TRY(from_root(f, found_out, sizeof *found_out));
  return text_from_root(f, out);
}

static void
name_note(void *user, const char *name) {
  struct str *names = user;
  str_addn(names, name, strlen(name) + 1); /* its end, too */
}

status
rt_io_list(struct rt_file *f, const char *group,
           void (*each)(void *user, const char *name), void *user) {
  SCOPED_STR names = STR_INIT;
  status st = DO(f, list, group, name_note, &names);
  if (st == OK && f->through) st = text_from_root(f, &names);
  for (size_t at = 0; st == OK && at < names.len;
       at += strlen(names.s + at) + 1)
    each(user, names.s + at);
  return st;
}
