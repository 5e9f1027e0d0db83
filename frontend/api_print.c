/* Words on stdout, and dats as text and bytes. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include "base/file.h"
#include "base/numbers.h"

#include "op_lib_core.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines --------------------------------------------------------------- */

void
op_printf(const char *format, ...) {
  if (!op_is_root()) return;
  va_list ap;
  va_start(ap, format);
  vprintf(format, ap);
  va_end(ap);
}

void
op_print(const char *line) {
  if (op_is_root()) printf("%s\n", line ? line : "");
}

/* ---- values as text ------------------------------------------------------ */

/* Write the value at p; an OP2 reader must find what OP2 would have written, so
 * floating zeros lose their sign. */
typedef int print_value(FILE *f, const char *p);

#define PRINTER(name, ctype, fmt, value)                                       \
  static int print_##name(FILE *f, const char *p) {                            \
    ctype v;                                                                   \
    memcpy(&v, p, sizeof v);                                                   \
    return fprintf(f, fmt, value);                                             \
  }
PRINTER(F64, double, " %+2.15E", v == 0 ? 0.0 : v)
PRINTER(F32, float, " %+f", v == 0 ? 0.0 : (double)v)
PRINTER(I32, int32_t, " %+d", (int)v)
PRINTER(U32, uint32_t, " %u", (unsigned)v)
PRINTER(I64, int64_t, " %+lld", (long long)v)
PRINTER(U64, uint64_t, " %llu", (unsigned long long)v)
PRINTER(I16, int16_t, " %+d", (int)v)
PRINTER(U16, uint16_t, " %u", (unsigned)v)
PRINTER(I8, int8_t, " %+d", (int)v)
PRINTER(U8, uint8_t, " %u", (unsigned)v)
PRINTER(BOOL, bool, " %d", (int)v)

/* NULL: user types, which are bytes to the library. */
static print_value *const printers[TYPE_COUNT] = {
#define TYPE(name, text, bytes, ctype, kind) [TYPE_##name] = print_##name,
#include "base/types.def"
#undef TYPE
};

static status
printer_of(const char *api, const struct fe_dat *d, print_value **out) {
  *out = printers[d->type.kind];
  if (!*out)
    FAIL(ERR_ARG, "%s: dat \"%s\": type \"%s\" has no text form", api,
         d->pub.name, d->pub.type);
  return OK;
}

/* ---- files --------------------------------------------------------------- */

/* What is written to a file, and with what it may fail. */
struct sheet {
  const char *api, *path;
  const struct fe_dat *dat;
  struct file_new out;
};

static status
sheet_fail(const struct sheet *s, const char *what) {
  FAIL(ERR_IO, "%s: dat \"%s\": %s \"%s\": %s", s->api, s->dat->pub.name, what,
       s->path, strerror(errno ? errno : EIO));
}

static status
sheet_open(struct sheet *s) {
  if (!s->path)
    FAIL(ERR_ARG, "%s: dat \"%s\": expected a file name, found NULL", s->api,
         s->dat->pub.name);
  errno = file_begin(&s->out, s->path);
  return errno ? sheet_fail(s, "cannot open") : OK;
}

/* Close; `ok` says whether all was written. */
static status
sheet_close(struct sheet *s, bool ok) {
  int err = errno, bad = file_end(&s->out, ok);
  if (ok && !bad) return OK;
  errno = ok ? bad : err;
  return sheet_fail(s, "cannot write to");
}

/* Elements of all ranks. */
static idx_g
total_of(const struct fe_dat *d) {
  return fe_rows_total((struct fe_set *)d->pub.set);
}

static bool
write_lines(FILE *f, const struct fe_dat *d, const char *p,
            print_value *print) {
  for (idx_g e = 0; e < total_of(d); e++) {
    for (int c = 0; c < d->pub.dim; c++, p += d->type.size)
      if (print(f, p) < 0) return false;
    if (fputc('\n', f) == EOF) return false;
  }
  return true;
}

static bool
write_text(const struct sheet *s, const char *values) {
  print_value *print = printers[s->dat->type.kind];
  return fprintf(s->out.f, "%lld %d\n", (long long)total_of(s->dat),
                 s->dat->pub.dim) > 0 &&
         write_lines(s->out.f, s->dat, values, print);
}

static bool
write_bytes(const struct sheet *s, const char *values) {
  int head[2] = {(int)total_of(s->dat), s->dat->pub.dim};
  size_t n = (size_t)total_of(s->dat), size = (size_t)s->dat->pub.size;
  return fwrite(head, sizeof head, 1, s->out.f) == 1 &&
         (!n || fwrite(values, size, n, s->out.f) == n);
}

/* One file in the order of rows, from rank 0; if that fails, all ranks know. */
static status
sheet_write(struct sheet *s,
            bool (*write)(const struct sheet *s, const char *values)) {
  SCOPED char *values = NULL;
  status st = OK;
  TRY(fe_rows_gather(s->dat, &values));
  if (values) {
    st = sheet_open(s);
    SCOPED_NUMBERS;
    if (st == OK) st = sheet_close(s, write(s, values));
  }
  return fe_agree(s->api, 1, st);
}

static status
print_file(const char *api, op_dat dat, const char *path, bool text) {
  struct sheet s = {.api = api, .path = path};
  struct fe_dat *d;
  print_value *print;
  TRY(fe_access_begin(api, dat, false, &d));
  s.dat = d;
  if (text) TRY(printer_of(api, d, &print));
  return sheet_write(&s, text ? write_text : write_bytes);
}

void
op_print_dat_to_txtfile(op_dat dat, const char *file_name) {
  const char *api = "op_print_dat_to_txtfile";
  if (fe_enter(api)) fe_leave(print_file(api, dat, file_name, true));
}

void
op_print_dat_to_binfile(op_dat dat, const char *file_name) {
  const char *api = "op_print_dat_to_binfile";
  if (fe_enter(api)) fe_leave(print_file(api, dat, file_name, false));
}

/* ---- on stdout ----------------------------------------------------------- */

static status
dump(op_dat dat) {
  struct fe_dat *d;
  print_value *print;
  TRY(fe_access_begin("op_dump_dat", dat, false, &d));
  TRY(printer_of("op_dump_dat", d, &print));
  SCOPED char *values = NULL;
  TRY(fe_rows_gather(d, &values));
  size_t n = (size_t)total_of(d) * (size_t)d->pub.dim;
  SCOPED_NUMBERS;
  for (size_t i = 0; values && i < n; i++) {
    print(stdout, values + i * d->type.size);
    putchar('\n');
  }
  fflush(stdout);
  return OK;
}

void
op_dump_dat(op_dat dat) {
  if (fe_enter("op_dump_dat")) fe_leave(dump(dat));
}

static void
list_dats(void) {
  op_dat_entry *e;
  printf("\n       dat        dim        set\n"
         "  ------------------------------\n");
  TAILQ_FOREACH(e, &OP_dat_list, entries)
  printf("%10s %10d %10s\n", e->dat->name, e->dat->dim, e->dat->set->name);
}

void
op_diagnostic_output(void) {
  if (!fe_enter("op_diagnostic_output")) return;
  fe.file = NULL;
  if (OP_diags <= 1 || !op_is_root()) return;
  printf("\n  OP diagnostic output\n  --------------------\n"
         "\n       set       size\n  -------------------\n");
  for (int i = 0; i < OP_set_index; i++)
    printf("%10s %10d\n", OP_set_list[i]->name, OP_set_list[i]->size);
  printf("\n       map        dim       from         to\n"
         "  -----------------------------------------\n");
  for (int i = 0; i < OP_map_index; i++) {
    const op_map_core *m = OP_map_list[i];
    printf("%10s %10d %10s %10s\n", m->name, m->dim, m->from->name,
           m->to->name);
  }
  list_dats();
  printf("\n");
}
