/* Deferred globals: op2_gbl handles, and the switch for raw pointers. */
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/values.h"

#include <stdlib.h>
#include <string.h>

/* A slot for this shape, as slots.c has them for dats; calls know it by that.
 * */
static struct fe_gbl *
gbl_unpark(struct type type, int dim) {
  struct fe_gbl *blank = NULL;
  for (uint32_t i = 0; i < fe_all.ngbls; i++) {
    struct fe_gbl *g = fe_all.gbls[i];
    if (!g->parked) continue;
    if (type_same(g->type, type) && g->dim == (uint32_t)dim) return g;
    if (!g->called && !blank) blank = g;
  }
  return blank;
}

static status
decl_gbl(int dim, const char *type, size_t elem_size, const void *init,
         const char *name, struct fe_gbl **out) {
  struct type t;
  if (!name) name = "";
  if (dim < 1)
    FAIL(ERR_ARG, "op2_decl_gbl \"%s\": dim: expected 1 or more, found %d",
         name, dim);
  if (!type || !type_from_name(type, elem_size, &t, NULL))
    FAIL(ERR_ARG,
         "op2_decl_gbl \"%s\": type: expected a type name, found "
         "\"%s\"",
         name, type ? type : "NULL");
  TRY(fe_check_bytes("op2_decl_gbl", name, dim, t));
  size_t bytes = (size_t)dim * t.size;
  void *data = mem_try(bytes, 1);
  if (!data)
    FAIL(ERR_MEMORY, "op2_decl_gbl \"%s\": no memory for its %zu bytes", name,
         bytes);
  struct fe_gbl *g = gbl_unpark(t, dim);
  if (g) {
    fe_aged_last(fe_all.aged_gbls, fe_all.naged_gbls, g);
  } else {
    g = mem_alloc(1, sizeof *g);
    g->index = fe_all.ngbls;
    VEC_PUSH(fe_all.gbls, fe_all.ngbls, fe_all.capgbls, g);
    VEC_PUSH(fe_all.aged_gbls, fe_all.naged_gbls, fe_all.capaged_gbls, g);
  }
  g->born = fe_born_next();
  g->name = strcpy(mem_grow(g->name, strlen(name) + 1, 1), name);
  free(g->data);
  g->data = data;
  rt_cell_clear(&g->cell);
  g->cell.bytes = g->bytes = bytes;
  g->type = t;
  g->dim = (uint32_t)dim;
  g->freed = g->parked = false;
  if (init) memcpy(g->data, init, g->bytes);
  fe_handle_add(g, FE_GBL);
  fe_agree_step("op2_decl_gbl", name, (uint64_t)g->bytes << 32 | g->born);
  *out = g;
  return OK;
}

op2_gbl
op2_decl_gbl(int dim, const char *type, const void *init, const char *name) {
  struct fe_gbl *g = NULL;
  if (fe_enter("op2_decl_gbl"))
    fe_leave(decl_gbl(dim, type, 0, init, name, &g));
  return (op2_gbl)g;
}

static status
gbl_of(const char *api, op2_gbl handle, struct fe_gbl **out) {
  if (!fe_handle_is(handle, FE_GBL))
    FAIL(ERR_ARG, "%s: expected a handle of op2_decl_gbl, found %s", api,
         fe_handle_found(handle));
  *out = (struct fe_gbl *)handle;
  return OK;
}

/* The same with memory of the program for its value. */
static status
gbl_and_memory(const char *api, op2_gbl handle, const void *memory,
               struct fe_gbl **out) {
  TRY(gbl_of(api, handle, out));
  if (!memory)
    FAIL(ERR_ARG, "%s: global \"%s\": expected an address, found NULL", api,
         (*out)->name);
  return OK;
}

static status
gbl_get(op2_gbl handle, void *out) {
  struct fe_gbl *g;
  TRY(gbl_and_memory("op2_gbl_get", handle, out, &g));
  TRY(fe_look_gbl(g));
  TRY(fe_gbl_check("op2_gbl_get", g));
  memcpy(out, g->data, g->bytes);
  return OK;
}

void
op2_gbl_get(op2_gbl handle, void *out) {
  if (fe_enter("op2_gbl_get")) fe_leave(gbl_get(handle, out));
}

/* Ordered like a write where it stands: recorded if loops wait for the old
 * value. */
static status
gbl_set(op2_gbl handle, const void *in) {
  struct fe_gbl *g;
  TRY(gbl_and_memory("op2_gbl_set", handle, in, &g));
  fe_agree_step("op2_gbl_set", NULL, g->born);
  if (fe_waits(g->used_in)) {
    fe_record(FE_REC_SET_GBL, g->index, in, g->bytes);
  } else {
    memcpy(g->data, in, g->bytes);
    rt_cell_written(&g->cell, false);
  }
  fe_gbl_found(g);
  return OK;
}

void
op2_gbl_set(op2_gbl handle, const void *in) {
  if (fe_enter("op2_gbl_set")) fe_leave(gbl_set(handle, in));
}

void
op2_free_gbl(op2_gbl handle) {
  struct fe_gbl *g;
  if (!handle || !fe_enter("op2_free_gbl")) return;
  status st = gbl_of("op2_free_gbl", handle, &g);
  if (st != OK) {
    fe_error(st);
    return;
  }
  g->freed = true;
  fe_handle_free(g);
  fe_agree_step("op2_free_gbl", NULL, g->born);
  if (fe_waits(g->used_in))
    fe_record(FE_REC_FREE_GBL, g->index, NULL, 0);
  else
    g->parked = true;
  fe.file = NULL;
}

int
op2_defer_globals(int on) {
  if (!fe_enter("op2_defer_globals")) return 0;
  status st = fe_agree_turn("op2_defer_globals");
  if (st != OK) {
    fe_error(st);
    return 0;
  }
  int former = fe.defer_globals;
  fe.defer_globals = on != 0;
  fe_agree_step("op2_defer_globals", NULL, fe.defer_globals);
  fe.file = NULL;
  return former;
}
