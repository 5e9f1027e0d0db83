/* Kernels that move listed elements between dats and messages, for one device:
 * made before (made.h), or compiled now. lower/llvm/device_moves.c has them.
 * */
#include "lower/device.h"

#include "base/log.h"
#include "lower/disk.h"
#include "lower/lower.h"
#include "lower/module.h"

#include <assert.h>
#include <stdio.h>

/* From this code; what was made stays in `m` also where a part fails. */
static status
low_moves_new(struct rt_device *d, const struct str *text) {
  assert(text->len);
  struct rt_dev_moves *m = &d->moves;
  TRY(d->driver->code_new(d, text->s, text->len, &m->code));
  for (int k = 0; k < RT_MOVE_WORDS; k++) {
    char name[32];
    snprintf(name, sizeof name, LOW_PACK "%d", 1 << k);
    TRY(d->driver->kernel_new(d, m->code, name, &m->pack[k]));
    snprintf(name, sizeof name, LOW_UNPACK "%d", 1 << k);
    TRY(d->driver->kernel_new(d, m->code, name, &m->unpack[k]));
  }
  return OK;
}

static status
low_moves_compile(struct rt_device *d, const struct low_made *made) {
  SCOPED_STR text = STR_INIT;
  status s = low_llvm_moves(d->code_kind, d->arch, &text);
  if (s == OK) s = low_moves_new(d, &text);
  if (s == OK) low_made_keep(made, text.s, text.len);
  return s;
}

static bool
low_moves_find(struct rt_device *d, const struct low_made *made) {
  struct low_entry e;
  SCOPED_STR text = STR_INIT;
  if (!low_made_find(made, &e)) return false;
  str_addn(&text, e.bytes, e.n);
  low_entry_clear(&e);
  status s = low_moves_new(d, &text);
  if (s == OK) return true;
  LOG_WARN("cached code of moves cannot be used: %s; it is made anew",
           err_last());
  rt_device_moves_free(d);
  return false;
}

status
low_device_moves(struct rt_device *d) {
  SCOPED_STR key = STR_INIT;
  status s = OK;
  if (d->moves.code) return OK;
  str_printf(&key, "%d %s\n", d->code_kind, d->arch);
  struct low_made made = {"moves", "moves", &key, ""};
  if (low_moves_find(d, &made)) return OK;
  struct low_turn turn = low_disk_turn_begin();
  bool found = turn.waited && low_moves_find(d, &made);
  if (!found) s = low_moves_compile(d, &made);
  low_disk_turn_end(turn);
  if (s != OK) rt_device_moves_free(d);
  return s;
}
