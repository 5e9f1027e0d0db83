/* What kernels' IR proves, from disk or by LLVM; see facts.c. */
#ifndef LOWER_FACTS_H
#define LOWER_FACTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "lower/kernel.h"

/* As low_llvm_facts and low_llvm_source of lower/module.h. */
status low_facts_get(struct low_kernel *k, struct arena *arena);
status low_source_get(const char *name, const char *source,
                      struct str *bitcode);

#endif
