/* Opening the part that needs LLVM: libop2lazy-llvm.so, beside the library. */
#include "lower/module.h"

#include "base/log.h"
#include "base/module.h"
#include "lower/bundle.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#define MODULE_NAME "libop2lazy-llvm.so"

/* There in programs that link lower/llvm/ themselves. */
extern const struct low_llvm op2_low_llvm __attribute__((weak));

static struct {
  pthread_mutex_t lock;
  bool tried, lacks_memory;     /* then it is tried again */
  const struct low_llvm *table; /* NULL: see `why` */
  struct str why;
} module = {PTHREAD_MUTEX_INITIALIZER, false, false, NULL, STR_INIT};

void
low_file_identity(const char *path, struct str *out) {
  struct stat st;
  if (stat(path, &st)) memset(&st, 0, sizeof st);
  str_printf(out, "%s %lld bytes %lld.%09ld\n", path, (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

void
low_module_identity(struct str *out) {
  SCOPED_STR path = STR_INIT;
  module_path(MODULE_NAME, &path);
  low_file_identity(&op2_low_llvm ? "/proc/self/exe" : path.s, out);
  low_file_identity(OP2_LLVM_LIBRARY, out);
}

static void
compiler_open(void) {
  double start = timer_wall();
  module.tried = true;
  str_reset(&module.why);
  module.table = &op2_low_llvm
                     ? &op2_low_llvm
                     : module_open(MODULE_NAME, "op2_low_llvm", &module.why);
  if (module.table) {
    *module.table->log_level = log_level;
    *module.table->mem_told = mem_told;
  }
  module.lacks_memory = !module.table && errno == ENOMEM;
  LOG_DEBUG("opening the compiler took %.3f s", timer_wall() - start);
}

/* Without a compiler a program has what was made before. */
static void
module_say(status st) {
  SCOPED_STR hint = STR_INIT;
  assert(st != OK);
  if (st == ERR_COMPILE) low_bundle_tell(&hint);
  err_set(st, "cannot open the compiler: %s%s", module.why.s, hint.s);
}

static status
module_get(const struct low_llvm **out) {
  assert(out);
  pthread_mutex_lock(&module.lock);
  if (!module.tried || module.lacks_memory) compiler_open();
  *out = module.table;
  status st = *out ? OK : module.lacks_memory ? ERR_MEMORY : ERR_COMPILE;
  if (st != OK) module_say(st);
  pthread_mutex_unlock(&module.lock);
  return st;
}

/* Status of the other side, its message copied here. */
static status
module_run(struct low_llvm_job job) {
  const struct low_llvm *t;
  TRY(module_get(&t));
  status s = t->run(&job);
  return s == OK ? OK : err_set(s, "%s", t->error());
}

status
low_llvm_facts(struct low_kernel *k, struct arena *arena) {
  assert(k->bitcode && arena);
  return module_run((struct low_llvm_job){LOW_FACTS, .kernel = k,
                                          .arena = arena});
}

status
low_llvm_source(const char *name, const char *source, struct str *bitcode) {
  assert(name && source);
  return module_run((struct low_llvm_job){LOW_SOURCE, .name = name,
                                          .source = source, .out = bitcode});
}

status
low_llvm_compile(const struct low_region *r, struct low_code *out,
                 struct str *object) {
  assert(r && !out->fn);
  return module_run((struct low_llvm_job){LOW_COMPILE, .region = r, .code = out,
                                          .out = object});
}

status
low_llvm_ir(const struct low_region *r, struct str *out) {
  assert(r && !out->len);
  return module_run((struct low_llvm_job){LOW_IR, .region = r, .out = out});
}

status
low_llvm_device(const struct low_region *r, const struct low_device_form *form,
                struct str *code) {
  assert(r && form);
  return module_run((struct low_llvm_job){LOW_DEVICE, .region = r, .form = form,
                                          .out = code});
}

status
low_llvm_moves(enum rt_code_kind kind, const char *arch, struct str *code) {
  return module_run((struct low_llvm_job){LOW_MOVES, .kind = kind, .arch = arch,
                                          .out = code});
}

void
low_code_clear(struct low_code *c) {
  if (c->release) c->release(c->memory);
  *c = (struct low_code){0};
}
