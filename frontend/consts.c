/* Constants: mutable globals of the program that kernels mention.
 *
 * Problem. op_decl_const gives no name; a kernel just reads `gam`. Eager code
 * sees the value at the call, so a deferred loop must, too. Loading it from
 * memory in the region costs folding: with gam known, gam - 1 and its products
 * vanish.
 *
 * Idea. Each call compares the globals of its kernel with the value that they
 * had at the kernel's first call. While equal, the value is folded into the
 * code. The first call that sees another value turns that constant into a
 * parameter: from the next *epoch* of the kernel on its bytes are captured with
 * each call, and new code reads them from there. Calls recorded before keep
 * their epoch and the folded value. So code is made at most once per constant
 * and kernel, and a time step that changes in every iteration costs one
 * compile.
 *
 * Cost. One memcmp per constant and call (Airfoil: 8 doubles in 5 kernels).
 *
 * Deferred opaque kernels (OP2_DEFER_OPAQUE, op2_kernel_pure) read memory when
 * they run. For them the static constants given to op_decl_const are watched:
 * while such loops wait, their values at the last recording are put back for
 * the run, and a change seen at a recording first runs what waits.
 *
 * Limits. A large table that changes is copied with each call that uses it;
 * one that doesn't change is only compared.
 */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"

#include "lower/kernel.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A static constant that deferred opaque kernels may read. */
static struct watch {
  void *address, *seen;
  size_t size;
} *watched;
static uint32_t nwatched, capwatched;

static void
fe_consts_init(struct fe_kernel *k) {
  uint32_t n = k->nconsts;
  k->consts = mem_alloc(n ? n : 1, sizeof *k->consts);
  for (uint32_t i = 0; i < n; i++) {
    const struct low_const *c = &k->low->consts[i];
    k->consts[i] = (struct fe_const){c->address, c->size, mem_alloc(c->size, 1),
                                     UINT32_MAX};
    memcpy(k->consts[i].folded, c->address, c->size);
  }
}

struct fe_kernel *
fe_kernel_of(const struct low_kernel *low, const char *name) {
  assert(low);
  for (uint32_t i = 0; i < fe_calls.nkernels; i++)
    if (fe_calls.kernels[i]->low == low &&
        !strcmp(fe_calls.kernels[i]->name, name))
      return fe_calls.kernels[i];
  struct fe_kernel *k = mem_alloc(1, sizeof *k);
  k->low = low;
  k->opaque = low->opaque;
  k->promised = low->opaque && low->promised;
  k->nconsts = low->nconsts;
  k->index = fe_calls.nkernels;
  k->name = fe_text_copy(name);
  fe_consts_init(k);
  VEC_PUSH(fe_calls.kernels, fe_calls.nkernels, fe_calls.capkernels, k);
  return k;
}

struct fe_kernel *
fe_kernel_get(void (*function)(void), const char *name) {
  return fe_kernel_of(low_kernel_get(function, name), name);
}

size_t
fe_consts_bytes(const struct fe_kernel *k) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < k->nconsts; i++)
    bytes += (k->consts[i].size + 15) / 16 * 16;
  return bytes;
}

void
fe_kernel_free(struct fe_kernel *k) {
  for (uint32_t c = 0; c < k->nconsts; c++) free(k->consts[c].folded);
  free(k->consts);
  free(k->name);
  free(k);
}

uint32_t
fe_consts_capture(struct fe_kernel *k) {
  uint32_t n = k->nconsts;
  for (uint32_t i = 0; i < n; i++) {
    struct fe_const *c = &k->consts[i];
    if (c->varies_from == UINT32_MAX &&
        (fe.fp_away || memcmp(c->folded, c->address, c->size)))
      c->varies_from = ++k->epoch;
  }
  if (k->epoch)
    for (uint32_t i = 0; i < n; i++)
      if (k->consts[i].varies_from != UINT32_MAX)
        fe_capture(k->consts[i].address, k->consts[i].size);
  return k->epoch;
}

size_t
fe_const_offset(const struct fe_kernel *k, uint32_t epoch, uint32_t i) {
  size_t at = 0;
  for (uint32_t j = 0; j < i; j++)
    if (k->consts[j].varies_from <= epoch)
      at += (k->consts[j].size + 15) / 16 * 16;
  return at;
}

/* ---- constants of deferred opaque kernels ------------------------------- */

/* Locals are left out: their memory is another variable's later. */
void
fe_watch_add(const void *address, size_t size) {
  Dl_info where;
  if (!dladdr(address, &where)) return;
  for (uint32_t i = 0; i < nwatched; i++)
    if (watched[i].address == address && watched[i].size == size) return;
  struct watch w = {(void *)address, mem_alloc(size, 1), size};
  memcpy(w.seen, address, size);
  VEC_PUSH(watched, nwatched, capwatched, w);
}

bool
fe_watch_changed(void) {
  for (uint32_t i = 0; i < nwatched; i++)
    if (memcmp(watched[i].address, watched[i].seen, watched[i].size))
      return true;
  return false;
}

void
fe_watch_note(void) {
  for (uint32_t i = 0; i < nwatched; i++)
    memcpy(watched[i].seen, watched[i].address, watched[i].size);
}

/* Exchange memory and seen values where they differ (a const is never written).
 * */
void
fe_watch_swap(void) {
  for (uint32_t i = 0; i < nwatched; i++) {
    unsigned char *a = watched[i].address, *b = watched[i].seen;
    for (size_t k = 0; k < watched[i].size; k++)
      if (a[k] != b[k]) {
        unsigned char c = a[k];
        a[k] = b[k];
        b[k] = c;
      }
  }
}

/* ---- kernels of the program ---------------------------------------------- */

int
op2_kernel_pure_of(void (*kernel)(void)) {
  if (!fe_enter("op2_kernel_pure")) return ERR_STATE;
  status st = OK;
  if (!kernel)
    st = err_set(ERR_ARG, "op2_kernel_pure: expected a function, found NULL");
  if (st == OK) fe_agree_step("op2_kernel_pure", "", 0);
  if (st == OK) st = low_kernel_promise(kernel);
  return fe_leave_returned(st);
}

int
op2_kernel_source(const char *name, const char *source) {
  if (!fe_enter("op2_kernel_source")) return ERR_STATE;
  status st = OK;
  if (!name || !source)
    st = err_set(ERR_ARG, "op2_kernel_source: expected a name and a C source, "
                          "found NULL");
  if (st == OK) fe_agree_step("op2_kernel_source", name, 0);
  if (st == OK) st = low_kernel_source(name, source);
  if (st == OK) fe.source_version++;
  return fe_leave_returned(st);
}

/* ---- kernels and programs ------------------------------------------------ */

static bool
low_is_used(const struct low_kernel *low) {
  for (uint32_t i = 0; i < fe_calls.nkernels; i++)
    if (fe_calls.kernels[i]->low == low) return true;
  return false;
}

void
fe_kernels_sweep(void) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < fe_calls.nkernels; i++)
    if (fe_calls.kernels[i]->kept && fe_calls.kernels[i]->base)
      fe_calls.kernels[i]->base->kept = true;
  for (uint32_t i = 0; i < fe_calls.nkernels; i++) {
    struct fe_kernel *k = fe_calls.kernels[i];
    if (!k->kept) {
      fe_kernel_free(k);
      continue;
    }
    k->kept = false;
    k->index = n;
    fe_calls.kernels[n++] = k;
  }
  fe_calls.nkernels = n;
  low_kernels_sweep(low_is_used);
}

void (*fe_kernel_address(uint32_t index))(void) {
  return fe_calls.kernels[index]->low->address;
}

bool
fe_kernels_any(void) {
  return low_blob_any();
}

const struct low_kernel *
fe_env_kernel(void *user, uint32_t tag) {
  (void)user;
  return fe_calls.kernels[tag]->low;
}

const void *
fe_env_constant(void *user, uint32_t tag, uint32_t epoch, uint32_t i) {
  (void)user;
  const struct fe_kernel *k = fe_calls.kernels[tag];
  assert(i < k->nconsts);
  return k->consts[i].varies_from > epoch ? k->consts[i].folded : NULL;
}

uint32_t
fe_kernel_work(const struct fe_call *c) {
  enum { TIMES = 8 };
  const struct low_kernel *k = c->kernel->low;
  int dim = TIMES;
  if (c->kernel->opaque || !k) return 0;
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].dat && c->args[a].dat->pub.dim > dim)
      dim = c->args[a].dat->pub.dim;
  double work = low_kernel_operations(k);
  if (k->loops) work *= dim;
  return 1 + (uint32_t)(work < INT32_MAX ? work : INT32_MAX);
}

size_t
fe_kernel_copies(const struct fe_call *c, int *from_out, int *to_out) {
  const struct low_kernel *k = c->kernel->low;
  *from_out = k->copy_from;
  *to_out = k->copy_to;
  return *from_out < 0 || *to_out < 0 || c->nargs != 2 ? 0 : k->copy_bytes;
}

void
fe_kernels_clear(void) {
  for (uint32_t i = 0; i < nwatched; i++) free(watched[i].seen);
  free(watched);
  watched = NULL;
  nwatched = capwatched = 0;
  low_kernels_clear();
}
