/* The table of blobs: which function address has which bitcode.
 *
 * Files compiled by op2cc register themselves in constructors, that is before
 * main, in any order, and from shared objects whenever they are loaded. So
 * nothing here needs to have been set up, and an entry costs one insertion.
 *
 * An inline function of a header comes with the blob of every file that takes
 * its address, and the linker has merged the address: the first one stays. Any
 * other function counts only if it lies in the object (program or shared
 * object) that the blob lies in: under the same name another object may have
 * other code, and the dynamic linker takes one of them for all.
 */
#define _GNU_SOURCE 1 /* dl_iterate_phdr */
#include "lower/blob.h"

#include "base/log.h"
#include "base/table.h"
#include "lower/kernel.h"

#include <assert.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

struct blob_function {
  const struct op2_blob *blob;
  const struct op2_blob_entry *entry;
};

static struct {
  struct table functions; /* address -> struct blob_function */
  const struct op2_blob **blobs;
  size_t nblobs, capblobs;
  char *plain; /* a file that op2cc did not compile; NULL: there is none */
  void (*told)(void);
} registry;

/* A file whose reads of dat->data nobody has seen. */
static void
blob_add_plain(const char *file) {
  if (!registry.plain) {
    registry.plain = mem_alloc(strlen(file) + 1, 1);
    strcpy(registry.plain, file);
  }
  if (registry.told) registry.told();
}

static void
blob_add_function(const struct op2_blob *blob,
                  const struct op2_blob_entry *entry) {
  uintptr_t *slot =
      table_slot(&registry.functions, &entry->address, sizeof entry->address);
  if (*slot) return;
  struct blob_function *f = mem_alloc(1, sizeof *f);
  *f = (struct blob_function){blob, entry};
  *slot = (uintptr_t)f;
}

/* Where the object lies that holds `inside`. */
struct blob_object {
  uintptr_t inside, lo, hi;
};

static int
blob_object_is(struct dl_phdr_info *info, size_t size, void *user) {
  struct blob_object *o = user;
  uintptr_t lo = UINTPTR_MAX, hi = 0;
  (void)size;
  for (int k = 0; k < info->dlpi_phnum; k++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[k];
    uintptr_t at = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD) continue;
    if (at < lo) lo = at;
    if (at + p->p_memsz > hi) hi = at + p->p_memsz;
  }
  if (o->inside < lo || o->inside >= hi) return 0;
  o->lo = lo;
  o->hi = hi;
  return 1;
}

/* All memory, if no object holds it (a blob made by hand). */
static struct blob_object
blob_object(const void *inside) {
  struct blob_object o = {(uintptr_t)inside, 0, UINTPTR_MAX};
  dl_iterate_phdr(blob_object_is, &o);
  return o;
}

static bool
blob_is_function(const struct op2_blob_entry *e) {
  return e->kind == OP2_BLOB_FUNCTION || e->kind == OP2_BLOB_INLINE;
}

static void
blob_add(const struct op2_blob *blob) {
  assert(blob);
  if (blob->version != OP2_BLOB_VERSION) {
    LOG_WARN("%s: compiled by another version of op2cc (%u, this is %d); its "
             "kernels are called as they are",
             blob->source, blob->version, OP2_BLOB_VERSION);
    blob_add_plain(blob->source);
    return;
  }
  VEC_PUSH(registry.blobs, registry.nblobs, registry.capblobs, blob);
  struct blob_object o = blob_object(blob);
  for (unsigned i = 0; i < blob->nentries; i++) {
    const struct op2_blob_entry *e = &blob->entries[i];
    if (!blob_is_function(e) || !e->address) continue;
    uintptr_t at = (uintptr_t)e->address;
    if (e->kind == OP2_BLOB_INLINE || (at >= o.lo && at < o.hi))
      blob_add_function(blob, e);
  }
  if (blob->npeeks && registry.told) registry.told();
}

static void
blob_remove_function(const struct op2_blob *blob, const void *address) {
  uintptr_t v = table_get(&registry.functions, &address, sizeof address, 0);
  struct blob_function *f = (struct blob_function *)v;
  if (!f || f->blob != blob) return;
  table_remove(&registry.functions, &address, sizeof address);
  free(f);
}

static void
blob_remove(const struct op2_blob *blob) {
  size_t i = 0;
  while (i < registry.nblobs && registry.blobs[i] != blob) i++;
  if (i == registry.nblobs) return; /* of another version: never added */
  memmove(registry.blobs + i, registry.blobs + i + 1,
          (registry.nblobs - i - 1) * sizeof *registry.blobs);
  registry.nblobs--;
  low_kernels_forget(blob);
  for (unsigned k = 0; k < blob->nentries; k++)
    if (blob_is_function(&blob->entries[k]))
      blob_remove_function(blob, blob->entries[k].address);
  if (registry.nblobs) return;
  free(registry.blobs);
  registry.blobs = NULL;
  registry.capblobs = 0;
}

const struct op2_blob_entry *
low_blob_find(void (*address)(void), const struct op2_blob **blob_out) {
  uintptr_t v = table_get(&registry.functions, &address, sizeof address, 0);
  const struct blob_function *f = (const struct blob_function *)v;
  *blob_out = f ? f->blob : NULL;
  return f ? f->entry : NULL;
}

const struct op2_blob_entry *
low_blob_entry(const struct op2_blob *blob, enum op2_blob_kind kind,
               const char *name) {
  assert(blob && name);
  for (unsigned i = 0; i < blob->nentries; i++)
    if (blob->entries[i].kind == (int)kind &&
        !strcmp(blob->entries[i].ir_name, name))
      return &blob->entries[i];
  return NULL;
}

const struct op2_blob_peek *
low_blob_peeking(int kind) {
  for (size_t i = 0; i < registry.nblobs; i++)
    for (unsigned k = 0; k < registry.blobs[i]->npeeks; k++)
      if (registry.blobs[i]->peeks[k].kind >= kind)
        return &registry.blobs[i]->peeks[k];
  return NULL;
}

bool
low_blob_any(void) {
  return registry.nblobs > 0;
}

const char *
low_blob_plain(void) {
  return registry.plain;
}

void
low_blob_tell(void (*told)(void)) {
  registry.told = told;
}

void
op2_blob_register(const struct op2_blob *blob) {
  blob_add(blob);
}

void
op2_blob_unregister(const struct op2_blob *blob) {
  blob_remove(blob);
}

void
op2_plain_file(const char *file) {
  blob_add_plain(file);
}
