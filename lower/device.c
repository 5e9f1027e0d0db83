/* Regions on devices: what they need beside the region, and the cache of their
 * kernels.
 *
 * Captured values and globals of a launch travel in one block, so each gets a
 * place there, and so does the start of each payload; accumulators have their
 * places in a row. Both are part of the key, with the region's own key, the
 * device, and the form of conflicting writes (device_form.c). */
#include "lower/device.h"

#include "base/counters.h"
#include "base/log.h"
#include "base/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct {
  struct table table; /* key -> 1 + index in codes */
  struct rt_dev_code **codes;
  uint32_t n, cap;
} low_devices;

/* ---- what can run -------------------------------------------------------- */

/* Why the region cannot run on a device; NULL: it can. */
static const char *
low_why_not(const struct low_region *r) {
  for (uint32_t k = 0; k < r->ninstances; k++)
    if (r->instances[k].kernel->opaque) return "its kernel has no IR";
  return NULL;
}

/* ---- the cache ----------------------------------------------------------- */

static void
low_form_key(const struct low_region *r, const struct low_device_form *f,
             const struct rt_device *d, struct str *key) {
  uint32_t head[] = {(uint32_t)d->target.kind,
                     (uint32_t)d->target.number,
                     f->form,
                     f->atomic,
                     f->ordered,
                     f->row,
                     r->nreductions};
  str_addn(key, (const char *)head, sizeof head);
  str_addn(key, (const char *)f->bind_at, r->nbinds * sizeof *f->bind_at);
  for (uint32_t k = 0; k < r->nreductions; k++) {
    const struct rt_reduction *x = &r->reductions[k];
    uint32_t row[] = {x->type.kind,    x->type.size,         x->dim,
                      x->access,       (uint32_t)x->payload, f->sum_at[k],
                      f->payload_at[k]};
    str_addn(key, (const char *)row, sizeof row);
  }
  low_region_key(r, LOW_KEY_PROCESS, key);
}

/* The name of the kernel that goes over the elements. */
static const char *
low_form_kernel(enum rt_form form) {
  return form == RT_FORM_COLOUR  ? LOW_COLOUR
         : form == RT_FORM_STAGE ? LOW_STAGE
                                 : LOW_ENTRY;
}

static void
low_dev_code_free(struct rt_dev_code *c) {
  struct rt_device *d = c->device;
  void *kernels[] = {c->run, c->combine};
  for (int k = 0; k < 2; k++)
    if (kernels[k]) d->driver->kernel_free(d, kernels[k]);
  if (c->code) d->driver->code_free(d, c->code);
  free(c);
}

static status
low_dev_kernels(const struct low_region *r, const struct low_device_form *f,
                struct rt_dev_code *c, const struct str *text) {
  struct rt_device *d = c->device;
  const struct rt_driver *x = d->driver;
  TRY(x->code_new(d, text->s, text->len, &c->code));
  TRY(x->kernel_new(d, c->code, low_form_kernel(f->form), &c->run));
  if (r->nreductions) TRY(x->kernel_new(d, c->code, LOW_COMBINE, &c->combine));
  return OK;
}

static status
low_dev_compile(const struct low_region *r, const struct low_device_form *f,
                struct rt_device *d, struct rt_dev_code **out) {
  struct str text = STR_INIT;
  struct rt_dev_code *c = mem_alloc(1, sizeof *c);
  double start = timer_wall();
  c->device = d;
  status s = low_llvm_device(r, f, &text);
  if (s == OK) s = low_dev_kernels(r, f, c, &text);
  str_clear(&text);
  if (s != OK) {
    low_dev_code_free(c);
    return s;
  }
  counters[CNT_compiles]++;
  LOG_DEBUG("compiling %s for %s took %.3f s", r->name, d->name,
            timer_wall() - start);
  *out = c;
  return OK;
}

static status
low_dev_code_get(const struct low_region *r, const struct low_device_form *f,
                 struct rt_device *d, const struct rt_dev_code **out) {
  struct str key = STR_INIT;
  low_form_key(r, f, d, &key);
  uintptr_t at = table_get(&low_devices.table, key.s, key.len, 0);
  status s = OK;
  if (!at) {
    struct rt_dev_code *c;
    s = low_dev_compile(r, f, d, &c);
    if (s == OK) {
      VEC_PUSH(low_devices.codes, low_devices.n, low_devices.cap, c);
      at = low_devices.n;
      *table_slot(&low_devices.table, key.s, key.len) = at;
    }
  }
  if (s == OK) *out = low_devices.codes[at - 1];
  str_clear(&key);
  return s;
}

static void
low_offload_clear(struct rt_offload *o) {
  free(o->scalars);
  free(o->uses);
  free(o->strips);
  free(o->stages);
}

status
low_offload_make(const struct low_region *r, struct rt_device *d,
                 enum low_increments increments, struct rt_offload **out) {
  struct low_device_form form = {.kind = d->code_kind, .arch = d->arch};
  struct arena arena = {0};
  const char *why = low_why_not(r);
  if (why) FAIL(ERR_COMPILE, "it cannot run on %s: %s", d->name, why);
  struct rt_offload *o = mem_alloc(1, sizeof *o);
  low_form_make(r, increments, &arena, &form, o);
  status s = low_dev_code_get(r, &form, d, &o->code);
  arena_clear(&arena);
  if (s == OK) {
    *out = o;
    return OK;
  }
  low_offload_clear(o);
  free(o);
  return s;
}

status
low_device_text(const struct low_region *r, enum rt_code_kind kind,
                const char *arch, enum low_increments increments,
                struct str *out) {
  struct low_device_form form = {.kind = kind, .arch = arch};
  struct rt_offload places = {0};
  struct arena arena = {0};
  const char *why = low_why_not(r);
  if (why) FAIL(ERR_COMPILE, "no code for a device: %s", why);
  low_form_make(r, increments, &arena, &form, &places);
  status s = low_llvm_device(r, &form, out);
  low_offload_clear(&places);
  arena_clear(&arena);
  return s;
}

void
low_device_clear(void) {
  for (uint32_t k = 0; k < low_devices.n; k++)
    low_dev_code_free(low_devices.codes[k]);
  free(low_devices.codes);
  table_clear(&low_devices.table);
  low_devices.codes = NULL;
  low_devices.n = low_devices.cap = 0;
}
