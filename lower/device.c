/* Regions on devices: what they need beside the region, and the cache of their
 * kernels.
 *
 * Captured values of a launch travel in one block, so each gets a place there;
 * accumulators have their places in a row. Both are part of the key, with the
 * region's own key, the device, and the form of conflicting writes
 * (device_form.c).
 *
 * Behind the kernels of this process lies what was made before (made.h), code
 * by what it was made from and for: format, architecture, form, kernels'
 * bitcode, and by libdevice. Code that the driver refuses is made anew. */
#include "lower/device.h"

#include "base/counters.h"
#include "base/log.h"
#include "lower/disk.h"
#include "lower/module.h"
#include "rt/device/code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Bound: low_device_sweep drops what no program uses. */
static struct keeper low_devices; /* key -> struct rt_dev_code */

/* ---- what can run -------------------------------------------------------- */

const char *
low_device_why_not(const struct low_region *r) {
  for (uint32_t k = 0; k < r->ninstances; k++)
    if (r->instances[k].kernel->opaque) return "its kernel has no IR";
  return NULL;
}

/* ---- the cache ----------------------------------------------------------- */

/* All that code depends on, but for the device: kernels by `which`. */
static void
low_form_key(const struct low_region *r, const struct low_device_form *f,
             struct str *key) {
  assert(!f->nuses == !f->nstrips);
  assert(f->bind_at && f->sum_at);
  uint32_t head[] = {f->kind, f->form,        f->atomic, f->ordered,
                     f->row,  r->nreductions, f->nwords, f->scalar_bytes};
  str_addn(key, (const char *)head, sizeof head);
  str_addn(key, (const char *)f->bind_at, r->nbinds * sizeof *f->bind_at);
  for (uint32_t k = 0; k < r->nreductions; k++) {
    const struct rt_reduction *x = &r->reductions[k];
    uint32_t row[] = {x->type.kind,  x->type.size,         x->dim,
                      x->access,     (uint32_t)x->payload, f->sum_at[k],
                      f->claim_at[k]};
    str_addn(key, (const char *)row, sizeof row);
  }
  low_region_key(r, key);
}

/* The key of what was made before, and its tools. */
static void
low_form_made_key(const struct low_region *r, const struct low_device_form *f,
                  struct str *key, struct str *tools) {
  str_printf(key, "%s\n", f->arch);
  for (int k = 0; f->kind == RT_CODE_PTX && k < LOW_LIBDEVICE_PLACES; k++) {
    struct str path = STR_INIT;
    low_libdevice_path(k, &path);
    low_file_identity(path.s, tools);
    str_clear(&path);
  }
  low_form_key(r, f, key);
}

static void
low_dev_code_clear(struct kept *e) {
  const struct rt_dev_code *c = (struct rt_dev_code *)e;
  assert(c->device);
  struct rt_device *d = c->device;
  void *kernels[] = {c->run, c->combine};
  for (int k = 0; k < 2; k++)
    if (kernels[k]) d->driver->kernel_free(d, kernels[k]);
  if (c->code) d->driver->code_free(d, c->code);
}

static status
low_dev_kernels(const struct low_region *r, const struct low_device_form *f,
                struct rt_dev_code *c, const struct str *text) {
  assert(text->len);
  struct rt_device *d = c->device;
  const struct rt_driver *x = d->driver;
  TRY(x->code_new(d, text->s, text->len, &c->code));
  TRY(x->kernel_new(d, c->code, low_form_entry(f->form), &c->run));
  if (r->nreductions) TRY(x->kernel_new(d, c->code, LOW_COMBINE, &c->combine));
  return OK;
}

/* Kernels from this code. */
static status
low_dev_code_new(const struct low_region *r, const struct low_device_form *f,
                 struct rt_device *d, const struct str *text,
                 struct rt_dev_code **out) {
  struct rt_dev_code *c = mem_alloc(1, sizeof *c);
  c->device = d;
  status s = low_dev_kernels(r, f, c, text);
  if (s == OK) {
    *out = c;
    return OK;
  }
  low_dev_code_clear(&c->kept);
  free(c);
  return s;
}

static status
low_dev_compile(const struct low_region *r, const struct low_device_form *f,
                struct rt_device *d, const struct low_made *m,
                struct rt_dev_code **out) {
  SCOPED_STR text = STR_INIT;
  double start = timer_wall();
  status s = low_llvm_device(r, f, &text);
  if (s == OK) s = low_dev_code_new(r, f, d, &text, out);
  if (s == OK) {
    low_made_keep(m, text.s, text.len);
    counters[CNT_compiles]++;
    LOG_DEBUG("compiling %s for %s took %.3f s", r->name, d->name,
              timer_wall() - start);
  }
  return s;
}

static bool
low_dev_find(const struct low_region *r, const struct low_device_form *f,
             struct rt_device *d, const struct low_made *m,
             struct rt_dev_code **out) {
  struct low_entry e;
  SCOPED_STR text = STR_INIT;
  if (!low_made_find(m, &e)) return false;
  bool bundled = !e.file;
  str_addn(&text, e.bytes, e.n);
  low_entry_clear(&e);
  status s = low_dev_code_new(r, f, d, &text, out);
  if (s == OK)
    counters[bundled ? CNT_bundle_loads : CNT_cache_loads]++;
  else
    LOG_WARN("cached code of %s cannot be used: %s; it is made anew", r->name,
             err_last());
  return s == OK;
}

/* As it was made before, or compiled. */
static status
low_dev_make(const struct low_region *r, const struct low_device_form *f,
             struct rt_device *d, struct rt_dev_code **out) {
  SCOPED_STR key = STR_INIT, tools = STR_INIT;
  status s = OK;
  low_form_made_key(r, f, &key, &tools);
  struct low_made m = {"device", r->name, &key, tools.s};
  bool found = low_dev_find(r, f, d, &m, out);
  if (found) return OK;
  struct low_turn turn = low_disk_turn_begin();
  found = turn.waited && low_dev_find(r, f, d, &m, out);
  if (!found) s = low_dev_compile(r, f, d, &m, out);
  low_disk_turn_end(turn);
  return s;
}

static status
low_dev_code_get(const struct low_region *r, const struct low_device_form *f,
                 struct rt_device *d, struct rt_dev_code **out) {
  SCOPED_STR key = STR_INIT;
  str_addn(&key, (const char *)&d->target, sizeof d->target);
  low_form_key(r, f, &key);
  *out = kept_find(&low_devices, key.s, key.len);
  if (*out) return OK;
  TRY(low_dev_make(r, f, d, out));
  kept_add(&low_devices, &(*out)->kept, key.s, key.len);
  return OK;
}

void
low_offload_clear(struct rt_offload *o) {
  free(o->scalars);
  free(o->uses);
  free(o->strips);
  free(o->stages);
}

status
low_offload_make(const struct low_region *r, struct rt_device *d,
                 struct rt_offload **out) {
  assert(d && d->driver);
  struct low_device_form form = {.kind = d->code_kind, .arch = d->arch};
  SCOPED_BY(arena_clear) struct arena arena = {0};
  const char *why = low_device_why_not(r);
  if (why) FAIL(ERR_COMPILE, "it cannot run on %s: %s", d->name, why);
  struct rt_offload *o = mem_alloc(1, sizeof *o);
  low_form_make(r, &arena, &form, o);
  status s = low_dev_code_get(r, &form, d, &o->code);
  if (s == OK) {
    *out = o;
    return OK;
  }
  low_offload_clear(o);
  free(o);
  return s;
}

void
low_device_sweep(void) {
  kept_sweep(&low_devices, low_dev_code_clear);
}

void
low_device_clear(void) {
  kept_clear(&low_devices, low_dev_code_clear);
}
