// LLVM without memory.
//
// Problem. LLVM is compiled without exceptions and takes it that memory is
// there: when it is not, `new` throws through its code to nobody, or it calls a
// handler that is expected to end the process.
//
// Idea. All these ways lead to a throw here, and each call from outside catches
// it. What LLVM had made until then is not taken apart, since nobody knows in
// which state it is; so a failed call costs the memory of its module. A throw
// out of code that promises not to throw ends the process, but not without a
// word.
#include "lower/llvm/rescue.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <llvm/Support/ErrorHandling.h>
#include <mutex>
#include <new>

extern "C" void (*mem_told)(const char *message); // base/arena.h, which is C

namespace {

struct failure {
  bool memory;
  char why[256];
};

thread_local int depth; // calls of ll_rescue in this thread
void (*told_before)(const char *);
std::terminate_handler terminate_before;

void
fatal(void *, const char *reason, bool) {
  failure f = {};
  f.memory = strstr(reason, "allocate") || strstr(reason, "memory");
  snprintf(f.why, sizeof f.why, "%s", reason);
  if (depth) throw f;
}

void
bad_alloc(void *, const char *, bool) {
  throw std::bad_alloc();
}

// The library's own small things.
void
told(const char *message) {
  if (depth) throw std::bad_alloc();
  if (told_before) told_before(message);
}

void
terminated() {
  static const char message[] = "out of memory while compiling";
  if (!depth) terminate_before();
  if (told_before) told_before(message);
  fprintf(stderr, "op2lazy: %s\n", message);
  abort();
}

void
install() {
  static std::once_flag once;
  std::call_once(once, [] {
    told_before = mem_told;
    mem_told = told;
    terminate_before = std::set_terminate(terminated);
    llvm::install_fatal_error_handler(fatal);
    llvm::install_bad_alloc_error_handler(bad_alloc);
  });
}

struct entered {
  entered() {
    depth++;
  }
  ~entered() {
    depth--;
  }
};

} // namespace

status
ll_rescue(status (*run)(void *), void *args) {
  install();
  try {
    entered now;
    return run(args);
  } catch (const std::bad_alloc &) {
    return err_set(ERR_MEMORY, "no memory to compile");
  } catch (const failure &f) {
    return err_set(f.memory ? ERR_MEMORY : ERR_COMPILE, "%s: %s",
                   f.memory ? "no memory to compile" : "the compiler gave up",
                   f.why);
  }
}
