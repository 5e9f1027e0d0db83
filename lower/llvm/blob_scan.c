/* What in a module concerns op2: kernels, loops, and reads of dat->data.
 *
 * A kernel is any function whose address is taken: handed to op_par_loop, put
 * in a table, or given back by the conversion of a captureless lambda. Taking
 * too many costs bytes in the blob, nothing else. Replaceable (weak) functions are
 * taken as well: kernels call them as they call other files' functions. And so are
 * functions that kernels of other files may call; left out are those that no kernel
 * could call and stay free of effects: they, or what they call, call the library,
 * take variable arguments (as printf does), or have assembly. Not meant are the compiler's
 * own uses: constructors' tables, virtual tables, exit handlers, OpenMP bodies.
 *
 * clang's unoptimised code keeps a field access as what it was:
 *
 *     %5 = getelementptr inbounds %struct.op_dat_core, ptr %4, i32 0, i32 4
 *
 * so that `data` is recognised by struct name and byte offset. Which line it
 * stands on comes from the debug locations; inline functions of the library's
 * own headers are not the program's doing. Limits: an address of the field
 * computed by hand, or a copy of the whole struct, is not seen.
 */
#include "lower/llvm/bitcode.h"

#include "base/table.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <string.h>

static const char *const library_headers[] = {
    "op2.h",        "op2_c.h",      "op2_cpp.h",     "op_seq.h",
    "op_lib_cpp.h", "op_lib_c.h",   "op_lib_core.h", "op_rt_support.h",
    "op_hdf5.h",    "op_lib_mpi.h", "op_mpi_core.h", "op_profile.h",
    "op_util.h"};

static const char *
scan_name(LLVMValueRef v) {
  size_t len;
  return LLVMGetValueName2(v, &len);
}

static bool
scan_starts(const char *s, const char *prefix) {
  return !strncmp(s, prefix, strlen(prefix));
}

/* Callees that are given functions which are no kernels. */
static bool
scan_runtime_callee(LLVMValueRef call) {
  LLVMValueRef f = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(f)) return false;
  const char *name = scan_name(f);
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
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef w = LLVMGetUser(u);
    if (scan_is_call(w)) {
      if (scan_passed(w, v)) return true;
    } else if (LLVMIsAGlobalVariable(w)) {
      const char *name = scan_name(w);
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
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f;
       f = LLVMGetNextFunction(f)) {
    const char *name = scan_name(f);
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
  return scan_is_library(scan_name(callee)) ||
         table_get(bad, &callee, sizeof callee, 0);
}

static bool
scan_is_bad(LLVMValueRef fn, const struct table *bad) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
       b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
         i = LLVMGetNextInstruction(i))
      if (scan_is_call(i) && scan_bad_callee(LLVMGetCalledValue(i), bad))
        return true;
  return false;
}

/* Rounds go on while callers of bad functions are found. */
static void
scan_bad(LLVMModuleRef m, struct table *bad) {
  for (bool again = true; again;) {
    again = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f;
         f = LLVMGetNextFunction(f)) {
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
         strcmp(scan_name(f), "main") && !table_get(bad, &f, sizeof f, 0);
}

void
low_scan_functions(LLVMModuleRef m, struct low_embedded *e) {
  struct table bad = {0};
  bool loops = scan_uses_op2(m);
  scan_bad(m, &bad);
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) &&
        ((loops && scan_taken(f)) || low_blob_replaceable(f) ||
         scan_for_others(f, &bad)))
      VEC_PUSH(e->functions, e->nfunctions, e->capfunctions,
               arena_str(&e->arena, scan_name(f)));
  table_clear(&bad);
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
  for (LLVMUseRef u = LLVMGetFirstUse(field); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef w = LLVMGetUser(u);
    if (!LLVMIsAStoreInst(w) || LLVMGetOperand(w, 1) != field) return true;
  }
  return false;
}

static void
scan_add_peek(LLVMValueRef inst, struct low_embedded *e) {
  unsigned len;
  const char *file = LLVMGetDebugLocFilename(inst, &len);
  int line = (int)LLVMGetDebugLocLine(inst);
  if (!file || scan_in_library(file, len)) return;
  for (uint32_t i = 0; i < e->npeeks; i++)
    if (e->peeks[i].line == line && strlen(e->peeks[i].file) == len &&
        !strncmp(e->peeks[i].file, file, len))
      return;
  struct op2_blob_peek p = {arena_printf(&e->arena, "%.*s", (int)len, file),
                            line};
  VEC_PUSH(e->peeks, e->npeeks, e->cappeeks, p);
}

void
low_scan_peeks(LLVMModuleRef m, size_t data_offset, struct low_embedded *e) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m);
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
           i = LLVMGetNextInstruction(i))
        if (LLVMIsAGetElementPtrInst(i) &&
            scan_is_data(layout, i, data_offset) && scan_is_read(i))
          scan_add_peek(i, e);
}
