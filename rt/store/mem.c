/* Memory for large arrays.
 *
 * Problem. Arrays of a mesh are walked side by side, at the same index. Fresh
 * pages come from mmap at page boundaries, so that equal indices of different
 * arrays agree in their low twelve address bits: loads then wait for unrelated
 * stores (4 KiB aliasing) and compete for the same cache sets. Shuffled meshes
 * also miss the TLB on nearly every access.
 *
 * Idea. Above RT_MAP_BYTES, map pages and start the array a few cache lines
 * into the first one, each array at another of eight places. Above
 * RT_HUGE_BYTES, start at a huge-page boundary and ask for huge pages (1.4
 * times faster on a shuffled mesh). The start of the mapping is the address
 * rounded down to a page, so nothing needs to be remembered.
 *
 *   mapping  |<- page ------------------|-----...
 *   array         ^ skew = 0, 512, ... 3584 bytes
 *
 * Pages that were never touched cost nothing and read as zeros: a dat that the
 * program never fills is free.
 *
 * Under a sanitizer what lies behind an array, up to the end of its memory, is
 * out of bounds (rt_mem_guard); mapped memory has a page more for that.
 *
 * Limits: pages go to the NUMA node of the thread that touches them first,
 * which is the program's own thread for mirrors.
 */
#include "rt/store/store.h"

#include "base/arena.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

enum { LINE = 64, PAGE = 4096, SKEW = 512, HUGE_PAGE = 2 << 20 };

static struct {
  void (*forbid)(const volatile void *, size_t);
  void (*allow)(const volatile void *, size_t);
} guard;

status
rt_mem_guard(void) {
  void *forbid = dlsym(RTLD_DEFAULT, "__asan_poison_memory_region");
  void *allow = dlsym(RTLD_DEFAULT, "__asan_unpoison_memory_region");
  if (!forbid || !allow)
    FAIL(ERR_STATE, "the program has no address sanitizer");
  memcpy(&guard.forbid, &forbid, sizeof forbid);
  memcpy(&guard.allow, &allow, sizeof allow);
  return OK;
}

bool
rt_mem_guarded(void) {
  return guard.forbid != NULL;
}

/* What the machine could hold at all. The system maps more, and ends the
 * process when it is touched. */
static bool
fits_machine(size_t bytes) {
  static size_t most;
  struct sysinfo machine;
  if (!most)
    most = sysinfo(&machine) ? SIZE_MAX
                             : (machine.totalram + machine.totalswap) *
                                   (size_t)machine.mem_unit;
  return bytes <= most;
}

static char *
map_pages(size_t bytes) {
  if (!fits_machine(bytes)) return NULL;
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

/* Map more than asked for and cut off both ends around a huge-page boundary. */
static char *
map_huge(size_t bytes) {
  char *p = map_pages(bytes + HUGE_PAGE);
  if (!p) return NULL;
  size_t front = round_up((uintptr_t)p, HUGE_PAGE) - (uintptr_t)p;
  if (front) munmap(p, front);
  if (front < HUGE_PAGE) munmap(p + front + bytes, HUGE_PAGE - front);
  madvise(p + front, bytes, MADV_HUGEPAGE);
  return p + front;
}

static void *
small_new(size_t bytes) {
  size_t want = round_up(bytes ? bytes : 1, LINE);
  char *p = aligned_alloc(LINE, want);
  if (!p) return NULL;
  memset(p, 0, want);
  if (guard.forbid) guard.forbid(p + bytes, want - bytes);
  return p;
}

/* There is always something behind the array. */
static size_t
mapped_bytes(size_t bytes, size_t skew) {
  return round_up(bytes + skew + 1, PAGE);
}

void *
rt_mem_new(size_t bytes) {
  static unsigned count;
  if (bytes <= RT_MAP_BYTES) return small_new(bytes);
  if (bytes > SIZE_MAX / 2) return NULL;
  size_t skew = SKEW * (count++ % (PAGE / SKEW));
  size_t want = mapped_bytes(bytes, skew);
  char *p = bytes > RT_HUGE_BYTES ? map_huge(want) : map_pages(want);
  if (!p) return NULL;
  if (guard.forbid) guard.forbid(p + skew + bytes, want - skew - bytes);
  return p + skew;
}

void
rt_mem_free(void *p, size_t bytes) {
  if (bytes <= RT_MAP_BYTES) {
    free(p);
    return;
  }
  if (!p) return;
  size_t skew = (uintptr_t)p % PAGE;
  size_t mapped = mapped_bytes(bytes, skew);
  if (guard.allow) guard.allow((char *)p - skew, mapped);
  int rc = munmap((char *)p - skew, mapped);
  assert(rc == 0);
  (void)rc;
}

bool
rt_mem_renew(void *p, size_t bytes) {
  assert(bytes > RT_MAP_BYTES);
  size_t skew = (uintptr_t)p % PAGE;
  return !madvise((char *)p - skew, mapped_bytes(bytes, skew), MADV_DONTNEED);
}

/* Pages without access count nowhere. */
void *
rt_mem_reserve(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return NULL;
  void *p = mmap(NULL, mapped_bytes(bytes, 0), PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

void
rt_mem_unreserve(void *p, size_t bytes) {
  int rc = munmap(p, mapped_bytes(bytes, 0));
  assert(rc == 0);
  (void)rc;
}

void
rt_mem_release(void *p, size_t bytes) {
  if (bytes <= RT_MAP_BYTES) return;
  size_t front = round_up((uintptr_t)p, PAGE) - (uintptr_t)p;
  size_t whole = (bytes - front) / PAGE * PAGE;
  madvise((char *)p + front, whole, MADV_DONTNEED);
}
