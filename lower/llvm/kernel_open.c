/* A kernel's code as a module of its own, and linking modules.
 *
 * Problem. A file's bitcode holds all of its kernels; facts and regions want one,
 * and what it needs. And LLVM's linker goes by names, which are the program's: a
 * helper may be called as another file's kernel, as a function of ours or of libm,
 * or as whatever we call the kernel meanwhile.
 *
 * Idea. The file is opened lazily; all that it defines becomes internal and loses
 * its name, since things without one never meet; then the kernel is linked into an
 * empty module, which brings just what it needs with it. The kernel alone has a
 * name until it is linked, because the linker drops internal functions that nobody
 * uses: one that neither module has. What is wanted afterwards is found through
 * metadata, whose operands the linker keeps pointing to what they mean:
 *
 *     !op2.refs = !{!{ptr @op2.kernel, ptr @0, null}}     kernel, constants
 *
 * Names of declarations stay: they say what is meant outside.
 *
 * cost  1 ms for a file of a thousand kernels, 0.2 for one of ten. */
#include "lower/llvm/bitcode.h"

#include "lower/kernel.h"
#include "lower/llvm/ll.h"
#include "lower/llvm/object.h"

#include <assert.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>

static const char link_refs[] = "op2.refs";

/* ---- linking ------------------------------------------------------------- */

static void
link_hide(LLVMValueRef v) {
  LLVMSetComdat(v, NULL);
  LLVMSetVisibility(v, LLVMDefaultVisibility);
  LLVMSetLinkage(v, LLVMInternalLinkage);
  LLVMSetValueName2(v, "", 0);
}

static bool
link_taken(LLVMModuleRef m, const struct str *name) {
  return LLVMGetNamedFunction(m, name->s) || LLVMGetNamedGlobal(m, name->s) ||
         LLVMGetNamedGlobalAlias(m, name->s, name->len) ||
         LLVMGetNamedGlobalIFunc(m, name->s, name->len);
}

/* Let the linker take `fn`: external, under a name that neither module has. */
static void
link_show(LLVMValueRef fn, LLVMModuleRef m, LLVMModuleRef to) {
  struct str name = STR_INIT;
  str_add(&name, "op2.kernel");
  while (link_taken(m, &name) || link_taken(to, &name)) str_add(&name, ".");
  LLVMSetValueName2(fn, name.s, name.len);
  LLVMSetLinkage(fn, LLVMExternalLinkage);
  str_clear(&name);
}

/* Have the linker tell what becomes of these; NULL stays NULL. */
static void
link_refs_note(LLVMModuleRef m, LLVMValueRef const *v, uint32_t n) {
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMMetadataRef *row = mem_alloc(n, sizeof *row);
  for (uint32_t k = 0; k < n; k++)
    if (v[k]) row[k] = LLVMValueAsMetadata(v[k]);
  LLVMAddNamedMetadataOperand(
      m, link_refs,
      LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, row, n)));
  free(row);
}

/* v becomes what was noted; NULL: nobody needed it. */
static void
link_refs_take(LLVMModuleRef m, LLVMValueRef *v, uint32_t n) {
  LLVMValueRef row;
  assert(LLVMGetNamedMetadataNumOperands(m, link_refs) == 1);
  LLVMGetNamedMetadataOperands(m, link_refs, &row);
  assert(LLVMGetMDNodeNumOperands(row) == n);
  LLVMGetMDNodeOperands(row, v);
  low_metadata_drop(m, link_refs);
}

status
low_link(LLVMModuleRef to, LLVMModuleRef m, LLVMValueRef *v, uint32_t n) {
  assert(n && !LLVMIsDeclaration(v[0]));
  link_show(v[0], m, to);
  link_refs_note(m, v, n);
  if (LLVMLinkModules2(to, m))
    FAIL(ERR_COMPILE, "cannot be linked: %s", ll_error_text());
  link_refs_take(to, v, n);
  assert(v[0] && LLVMIsAFunction(v[0]) && !LLVMIsDeclaration(v[0]));
  link_hide(v[0]);
  return OK;
}

/* ---- opening ------------------------------------------------------------- */

/* Make all definitions internal and nameless; drop constructors and lists of kept
 * names. */
static void
open_hide_all(LLVMModuleRef m) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(m), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (LLVMGetLinkage(g) == LLVMAppendingLinkage)
      LLVMDeleteGlobal(g);
    else if (!LLVMIsDeclaration(g))
      link_hide(g);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) link_hide(f);
  for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(m); i;
       i = LLVMGetNextGlobalIFunc(i))
    LLVMSetLinkage(i, LLVMInternalLinkage);
}

/* The file's module; bodies of functions are read when they are linked. It takes
 * the buffer, the bytes stay the kernel's. */
static status
open_file(const struct low_kernel *k, LLVMContextRef ctx, LLVMModuleRef *out) {
  LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRange(
      k->bitcode, k->bitcode_bytes, k->name, 0);
  if (!LLVMGetBitcodeModuleInContext2(ctx, text, out)) return OK;
  LLVMDisposeMemoryBuffer(text);
  FAIL(ERR_COMPILE, "bitcode of kernel %s is broken: %s", k->name,
       ll_error_text());
}

status
low_kernel_open(const struct low_kernel *k, LLVMContextRef ctx,
                LLVMModuleRef *out, LLVMValueRef *fn_out) {
  LLVMModuleRef m;
  TRY(open_file(k, ctx, &m));
  LLVMValueRef fn = LLVMGetNamedFunction(m, k->name);
  if (!fn || LLVMIsDeclaration(fn)) {
    LLVMDisposeModule(m);
    FAIL(ERR_COMPILE, "bitcode of kernel %s does not define it", k->name);
  }
  *out = LLVMModuleCreateWithNameInContext("kernel", ctx);
  LLVMSetTarget(*out, LLVMGetTarget(m));
  LLVMSetDataLayout(*out, LLVMGetDataLayoutStr(m));
  open_hide_all(m);
  status s = low_link(*out, m, &fn, 1);
  if (s != OK) {
    LLVMDisposeModule(*out);
    return err_prefix(s, "kernel %s: ", k->name);
  }
  LLVMStripModuleDebugInfo(*out);
  *fn_out = fn;
  return OK;
}
