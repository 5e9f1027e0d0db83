/* What in a module concerns op2: kernels, loops, and reads of dat->data.
 *
 * A kernel is any function whose address is taken: handed to op_par_loop, put
 * in a table, or given back by the conversion of a captureless lambda. Taking
 * too many costs bytes in the blob, nothing else. Replaceable (weak) functions
 * are taken as well: kernels call them as they call other files' functions. And
 * so are functions that kernels of other files may call; left out are those
 * that no kernel could call and stay free of effects: they, or what they call,
 * call the library, take variable arguments (as printf does), or have assembly.
 * Not meant are the compiler's own uses: constructors' tables, virtual tables,
 * exit handlers, OpenMP bodies.
 *
 * clang's unoptimised code keeps a field access as what it was:
 *
 *     %5 = getelementptr inbounds %struct.op_dat_core, ptr %4, i32 0, i32 4
 *
 * so that `data` is recognised by struct name and byte offset. Which line it
 * stands on comes from the debug locations; inline functions of the library's
 * own headers are not the program's doing. Limits: an address of the field
 * computed by hand, or a copy of the whole struct, is not seen. What is done
 * about such reads: blob_looks.c.
 *
 * op2.h leaves a constructor in each file that includes it, by which the
 * library knows of files that nobody has scanned; it is taken out here.
 */
#include "base/arena.h"
#include "lower/llvm/bitcode.h"
#include "lower/llvm/blob_types.h"
#include "lower/llvm/ll.h"

#include "base/table.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const library_headers[] = {
    "op2.h",         "op2_boxes.h",     "op2_algebra.h", "op2_c.h",
    "op2_cpp.h",     "op_seq.h",        "op_lib_cpp.h",  "op_lib_c.h",
    "op_lib_core.h", "op_rt_support.h", "op_hdf5.h",     "op_lib_mpi.h",
    "op_mpi_core.h", "op_profile.h",    "op_util.h"};

static bool
scan_starts(const char *s, const char *prefix) {
  return !strncmp(s, prefix, strlen(prefix));
}

/* Callees that are given functions which are no kernels. */
static bool
scan_runtime_callee(LLVMValueRef call) {
  LLVMValueRef f = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(f)) return false;
  const char *name = ll_name(f);
  return scan_starts(name, "__kmpc_") || !strcmp(name, "__cxa_atexit") ||
         !strcmp(name, "__cxa_throw") || !strcmp(name, "atexit");
}

static bool
scan_is_call(LLVMValueRef v) {
  return LLVMIsACallInst(v) || LLVMIsAInvokeInst(v);
}

/* Is operand `fn` of this call more than the callee? */
static bool
scan_passed(LLVMValueRef call, LLVMValueRef fn) {
  if (scan_runtime_callee(call)) return false;
  unsigned n = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < n; i++)
    if (LLVMGetOperand(call, i) == fn) return true;
  return false;
}

/* Constants (initialisers, casts) count by who uses them in the end; they form
 * a tree of the source's nesting depth. */
static bool
scan_taken(LLVMValueRef v) {
  LL_USES(u, v) {
    LLVMValueRef w = LLVMGetUser(u);
    if (scan_is_call(w)) {
      if (scan_passed(w, v)) return true;
    } else if (LLVMIsAGlobalVariable(w)) {
      const char *name = ll_name(w);
      if (!scan_starts(name, "llvm.") && !scan_starts(name, "_ZTV"))
        return true;
    } else if (LLVMIsABlockAddress(w) || LLVMIsAFunction(w)) {
      continue;
    } else if (LLVMIsAConstant(w)) { /* an alias is one, too */
      if (scan_taken(w)) return true;
    } else {
      return true;
    }
  }
  return false;
}

/* Does the module mention the entry points of op_par_loop? */
static bool
scan_uses_op2(LLVMModuleRef m) {
  LL_FUNCTIONS(f, m) {
    const char *name = ll_name(f);
    if (strstr(name, "op_par_loop") || strstr(name, "op2_")) return true;
  }
  return false;
}

/* ---- functions for other files' kernels ---------------------------------- */

static bool
scan_is_library(const char *name) {
  return scan_starts(name, "op_") || scan_starts(name, "op2_") ||
         strstr(name, "op_par_loop");
}

/* Does a call of this have effects for sure? `bad`: functions known to. */
static bool
scan_bad_callee(LLVMValueRef callee, const struct table *bad) {
  if (!LLVMIsAFunction(callee)) return LLVMIsAInlineAsm(callee) != NULL;
  if (LLVMGetIntrinsicID(callee)) return false;
  if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee)) &&
      LLVMCountParams(callee))
    return true;
  return scan_is_library(ll_name(callee)) ||
         table_get(bad, &callee, sizeof callee, 0);
}

static bool
scan_is_bad(LLVMValueRef fn, const struct table *bad) {
  LL_ALL_INSTS(i, fn)
    if (scan_is_call(i) && scan_bad_callee(LLVMGetCalledValue(i), bad))
      return true;
  return false;
}

/* Rounds go on while callers of bad functions are found. */
static void
scan_bad(LLVMModuleRef m, struct table *bad) {
  for (bool again = true; again;) {
    again = false;
    LL_FUNCTIONS(f, m) {
      if (LLVMIsDeclaration(f) || table_get(bad, &f, sizeof f, 0) ||
          !scan_is_bad(f, bad))
        continue;
      *table_slot(bad, &f, sizeof f) = 1;
      again = true;
    }
  }
}

static bool
scan_for_others(LLVMValueRef f, const struct table *bad) {
  return LLVMGetLinkage(f) == LLVMExternalLinkage &&
         strcmp(ll_name(f), "main") && !table_get(bad, &f, sizeof f, 0);
}

static void
scan_type(void *user, const char *type) {
  str_printf(user, "%s;", type);
}

static void
scan_add_function(LLVMValueRef f, struct low_embedded *e) {
  SCOPED_STR types = STR_INIT;
  low_param_types(f, scan_type, &types);
  VEC_PUSH(e->functions, e->nfunctions, e->capfunctions,
           arena_str(&e->arena, ll_name(f)));
  VEC_PUSH(e->types, e->ntypes, e->captypes,
           arena_str(&e->arena, types.len ? types.s : ""));
}

void
low_scan_functions(LLVMModuleRef m, struct low_embedded *e) {
  SCOPED_BY(table_clear) struct table bad = {0};
  bool loops = scan_uses_op2(m);
  scan_bad(m, &bad);
  LL_FUNCTIONS(f, m)
    if (!LLVMIsDeclaration(f) &&
        ((loops && scan_taken(f)) || low_blob_replaceable(f) ||
         scan_for_others(f, &bad)))
      scan_add_function(f, e);
}

static bool
scan_in_library(const char *file, size_t len) {
  size_t at = len;
  while (at > 0 && file[at - 1] != '/') at--;
  for (size_t i = 0; i < sizeof library_headers / sizeof *library_headers; i++)
    if (strlen(library_headers[i]) == len - at &&
        !strncmp(file + at, library_headers[i], len - at))
      return true;
  return false;
}

static bool
scan_is_dat(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMIsLiteralStruct(type))
    return false;
  const char *name = LLVMGetStructName(type);
  const char *dot = name ? strchr(name, '.') : NULL;
  return dot && !strcmp(dot + 1, "op_dat_core");
}

static bool
scan_is_data(LLVMTargetDataRef layout, LLVMValueRef gep, size_t data_offset) {
  assert(LLVMIsAGetElementPtrInst(gep));
  if (LLVMGetNumIndices(gep) < 2) return false;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  if (!scan_is_dat(type)) return false;
  LLVMValueRef field = LLVMGetOperand(gep, 2);
  unsigned long long i = LLVMConstIntGetZExtValue(field);
  assert(i < LLVMCountStructElementTypes(type));
  return LLVMOffsetOfElement(layout, type, (unsigned)i) == data_offset;
}

/* A program that fills in a struct of its own reads nothing. */
static bool
scan_is_read(LLVMValueRef field) {
  LL_USES(u, field) {
    LLVMValueRef w = LLVMGetUser(u);
    if (!LLVMIsAStoreInst(w) || LLVMGetOperand(w, 1) != field) return true;
  }
  return false;
}

static void
scan_add_peek(const char *file, int line, struct low_embedded *e) {
  assert(file && line >= 0);
  for (uint32_t i = 0; i < e->npeeks; i++)
    if (e->peeks[i].line == line && !strcmp(e->peeks[i].file, file)) return;
  struct op2_blob_peek p = {file, line, OP2_LOOK_READ};
  VEC_PUSH(e->peeks, e->npeeks, e->cappeeks, p);
}

/* The instruction's file; clang cuts off what its path shares with the current
 * folder's. */
static const char *
scan_path(LLVMValueRef i, struct arena *a) {
  char here[4096];
  unsigned len, dir_len;
  const char *file = LLVMGetDebugLocFilename(i, &len);
  const char *dir = LLVMGetDebugLocDirectory(i, &dir_len);
  if (!file || scan_in_library(file, len)) return NULL;
  bool whole = *file == '/' || !dir || !dir_len || !getcwd(here, sizeof here) ||
               (strlen(here) == dir_len && !strncmp(here, dir, dir_len));
  return whole
             ? arena_printf(a, "%.*s", (int)len, file)
             : arena_printf(a, "%.*s/%.*s", (int)dir_len, dir, (int)len, file);
}

static void
scan_add_look(LLVMValueRef field, struct low_embedded *e) {
  const char *file = scan_path(field, &e->arena);
  if (!file) return;
  struct low_look l = {
      .field = field, .file = file, .line = (int)LLVMGetDebugLocLine(field)};
  VEC_PUSH(e->looks, e->nlooks, e->caplooks, l);
  scan_add_peek(l.file, l.line, e);
}

void
low_scan_looks(LLVMModuleRef m, size_t data_offset, struct low_embedded *e) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m);
  LL_FUNCTIONS(f, m)
    LL_ALL_INSTS(i, f)
      if (LLVMIsAGetElementPtrInst(i) && scan_is_data(layout, i, data_offset) &&
          scan_is_read(i))
        scan_add_look(i, e);
}

/* ---- lines of calls ----------------------------------------------------- */

/* __LINE__ in a macro is the line of the closing parenthesis to clang; messages
 * are to name that of the call. In op2_c.h, `line` follows the file's name. */
static void
scan_first_line(LLVMValueRef call) {
  LLVMValueRef f = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(f) || LLVMGetNumArgOperands(call) < 2) return;
  const char *name = ll_name(f);
  if (strcmp(name, "op2_here") && strcmp(name, "op2_par_loop_at") &&
      strcmp(name, "op2_par_loop_scan_at") &&
      strcmp(name, "op2_par_loop_levels_at"))
    return;
  LLVMValueRef line = LLVMGetOperand(call, 1);
  unsigned first = LLVMGetDebugLocLine(call);
  if (!first || !LLVMIsAConstantInt(line) ||
      LLVMConstIntGetZExtValue(line) <= first)
    return;
  LLVMSetOperand(call, 1, LLVMConstInt(LLVMTypeOf(line), first, 0));
}

void
low_scan_lines(LLVMModuleRef m) {
  LL_FUNCTIONS(f, m)
    LL_ALL_INSTS(i, f)
      if (scan_is_call(i)) scan_first_line(i);
}

/* ---- the mark of op2.h -------------------------------------------------- */

/* A list of pointers, or of structs that hold one, without those to `fn`. */
static void
scan_list_without(LLVMModuleRef m, const char *name, LLVMValueRef fn) {
  LLVMValueRef old = LLVMGetNamedGlobal(m, name);
  if (!old) return;
  LLVMTypeRef type = LLVMGetElementType(LLVMGlobalGetValueType(old));
  unsigned n = (unsigned)LLVMGetArrayLength2(LLVMGlobalGetValueType(old));
  SCOPED LLVMValueRef *v = mem_alloc(n + 1, sizeof *v);
  unsigned kept = 0;
  for (unsigned i = 0; i < n; i++) {
    LLVMValueRef one = LLVMGetAggregateElement(LLVMGetInitializer(old), i);
    bool pair = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    if ((pair ? LLVMGetOperand(one, 1) : one) != fn) v[kept++] = one;
  }
  LLVMValueRef init = LLVMConstArray2(type, v, kept);
  if (kept < n) {
    LLVMValueRef g = LLVMAddGlobal(m, LLVMTypeOf(init), "");
    LLVMSetInitializer(g, init);
    LLVMSetLinkage(g, LLVMAppendingLinkage);
    LLVMSetSection(g, LLVMGetSection(old));
    LLVMDeleteGlobal(old);
    LLVMSetValueName2(g, name, strlen(name));
    if (!kept) LLVMDeleteGlobal(g);
  }
}

void
low_scan_unmark(LLVMModuleRef m) {
  static const char *const lists[] = {"llvm.global_ctors", "llvm.used",
                                      "llvm.compiler.used"};
  for (LLVMValueRef f = LLVMGetFirstFunction(m), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (LLVMGetLinkage(f) != LLVMInternalLinkage ||
        !strstr(ll_name(f), "op2_plain_mark"))
      continue;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
      scan_list_without(m, lists[i], f);
    if (!LLVMGetFirstUse(f)) LLVMDeleteFunction(f);
  }
  LLVMValueRef told = LLVMGetNamedFunction(m, "op2_plain_file");
  if (told && LLVMIsDeclaration(told) && !LLVMGetFirstUse(told))
    LLVMDeleteFunction(told);
}
