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
#define _GNU_SOURCE 1 /* dladdr */
#include "frontend/fe.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void
fe_consts_init(struct fe_kernel *k) {
  uint32_t n = k->low->nconsts;
  k->consts = mem_alloc(n ? n : 1, sizeof *k->consts);
  for (uint32_t i = 0; i < n; i++) {
    const struct low_const *c = &k->low->consts[i];
    k->consts[i] = (struct fe_const){c->address, c->size, mem_alloc(c->size, 1),
                                     UINT32_MAX};
    memcpy(k->consts[i].folded, c->address, c->size);
  }
}

struct fe_kernel *
fe_kernel_get(void (*function)(void), const char *name) {
  const struct low_kernel *low = low_kernel_get(function, name);
  assert(low);
  for (uint32_t i = 0; i < fe.nkernels; i++)
    if (fe.kernels[i]->low == low && !strcmp(fe.kernels[i]->name, name))
      return fe.kernels[i];
  struct fe_kernel *k = mem_alloc(1, sizeof *k);
  k->low = low;
  k->index = fe.nkernels;
  k->name = mem_alloc(strlen(name) + 1, 1);
  strcpy(k->name, name);
  fe_consts_init(k);
  VEC_PUSH(fe.kernels, fe.nkernels, fe.capkernels, k);
  return k;
}

size_t
fe_consts_bytes(const struct fe_kernel *k) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < k->low->nconsts; i++)
    bytes += (k->consts[i].size + 15) / 16 * 16;
  return bytes;
}

void
fe_kernel_free(struct fe_kernel *k) {
  for (uint32_t c = 0; c < k->low->nconsts; c++) free(k->consts[c].folded);
  free(k->consts);
  free(k->name);
  free(k);
}

uint32_t
fe_consts_capture(struct fe_kernel *k) {
  uint32_t n = k->low->nconsts;
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

const void *
fe_const_folded(const struct fe_kernel *k, uint32_t epoch, uint32_t i) {
  assert(i < k->low->nconsts);
  return k->consts[i].varies_from > epoch ? k->consts[i].folded : NULL;
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
  for (uint32_t i = 0; i < fe.nwatched; i++)
    if (fe.watched[i].address == address && fe.watched[i].size == size) return;
  struct fe_watch w = {(void *)address, mem_alloc(size, 1), size};
  memcpy(w.seen, address, size);
  VEC_PUSH(fe.watched, fe.nwatched, fe.capwatched, w);
}

bool
fe_watch_changed(void) {
  for (uint32_t i = 0; i < fe.nwatched; i++)
    if (memcmp(fe.watched[i].address, fe.watched[i].seen, fe.watched[i].size))
      return true;
  return false;
}

void
fe_watch_note(void) {
  for (uint32_t i = 0; i < fe.nwatched; i++)
    memcpy(fe.watched[i].seen, fe.watched[i].address, fe.watched[i].size);
}

/* Exchange memory and seen values where they differ (a const is never written).
 * */
void
fe_watch_swap(void) {
  for (uint32_t i = 0; i < fe.nwatched; i++) {
    unsigned char *a = fe.watched[i].address, *b = fe.watched[i].seen;
    for (size_t k = 0; k < fe.watched[i].size; k++)
      if (a[k] != b[k]) {
        unsigned char c = a[k];
        a[k] = b[k];
        b[k] = c;
      }
  }
}
