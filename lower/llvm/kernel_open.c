/* A kernel's code as a module of its own, and linking modules.
 *
 * Problem. A file's bitcode holds all of its kernels; facts and regions want
 * one, and what it needs. And LLVM's linker goes by names, which are the
 * program's: a helper may be called as another file's kernel, as a function of
 * ours or of libm, or as whatever we call the kernel meanwhile.
 *
 * Idea. The file is opened lazily; all that it defines becomes internal and
 * loses its name, since things without one never meet; then the kernel is
 * linked into an empty module, which brings just what it needs with it. What it
 * calls of other files (units) is linked in as well: the caller knows by
 * address which code is meant (ties), and both sides get a name for it here.
 * The kernel alone has a name until it is linked, because the linker drops
 * internal functions that nobody uses: one that neither module has. What is
 * wanted afterwards is found through metadata, whose operands the linker keeps
 * pointing to what they mean:
 *
 *     !op2.refs = !{!{ptr @op2.kernel, ptr @0, null}}     kernel, constants
 *
 * Names of declarations stay: they say what is meant outside.
 *
 * cost  1 ms for a file of a thousand kernels, 0.2 for one of ten. */
#include "lower/llvm/bitcode.h"

#include "lower/kernel.h"
#include "lower/llvm/code.h"
#include "lower/llvm/ll.h"
#include "lower/llvm/object.h"

#include <assert.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
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
  SCOPED_STR name = STR_INIT;
  str_add(&name, "op2.kernel");
  while (link_taken(m, &name) || link_taken(to, &name)) str_add(&name, ".");
  LLVMSetValueName2(fn, name.s, name.len);
  LLVMSetLinkage(fn, LLVMExternalLinkage);
}

/* Have the linker tell what becomes of these; NULL stays NULL. */
static void
link_refs_note(LLVMModuleRef m, LLVMValueRef const *v, uint32_t n) {
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  SCOPED LLVMMetadataRef *row = mem_alloc(n, sizeof *row);
  for (uint32_t k = 0; k < n; k++)
    if (v[k]) row[k] = LLVMValueAsMetadata(v[k]);
  LLVMAddNamedMetadataOperand(
      m, link_refs,
      LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, row, n)));
}

/* v becomes what was noted; NULL: nobody needed it. */
static void
link_refs_take(LLVMModuleRef m, LLVMValueRef *v, uint32_t n) {
  LLVMValueRef row;
  assert(LLVMGetNamedMetadataNumOperands(m, link_refs) == 1);
  LLVMGetNamedMetadataOperands(m, link_refs, &row);
  assert(LLVMGetMDNodeNumOperands(row) == n);
  (void)n;
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

/* Make all definitions internal and nameless; drop constructors and lists of
 * kept names. */
static void
open_hide_all(LLVMModuleRef m) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(m), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (LLVMGetLinkage(g) == LLVMAppendingLinkage)
      LLVMDeleteGlobal(g);
    else if (!LLVMIsDeclaration(g))
      link_hide(g);
  }
  LL_FUNCTIONS(f, m)
    if (!LLVMIsDeclaration(f)) link_hide(f);
  for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(m); i;
       i = LLVMGetNextGlobalIFunc(i))
    LLVMSetLinkage(i, LLVMInternalLinkage);
}

/* A kernel of the library's own is text. */
static bool
open_is_text(const struct low_unit *u) {
  return u->bitcode_bytes < 2 || memcmp(u->bitcode, "BC", 2) != 0;
}

static status
open_text(const struct low_unit *u, LLVMContextRef ctx, LLVMModuleRef *out) {
  char *why = NULL;
  LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(
      u->bitcode, u->bitcode_bytes, u->name);
  if (!LLVMParseIRInContext(ctx, text, out, &why))
    return OK; /* it takes text */
  *out = NULL;
  status s = err_set(ERR_COMPILE, "its text is broken: %s", why ? why : "");
  LLVMDisposeMessage(why);
  return s;
}

/* The file's module; bodies of functions are read when they are linked. It
 * takes the buffer, the bytes stay the kernel's. */
static status
open_file(const struct low_unit *u, LLVMContextRef ctx, LLVMModuleRef *out) {
  LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRange(
      u->bitcode, u->bitcode_bytes, u->name, 0);
  if (!LLVMGetBitcodeModuleInContext2(ctx, text, out)) return OK;
  *out = NULL;
  LLVMDisposeMemoryBuffer(text);
  FAIL(ERR_COMPILE, "its bitcode is broken: %s", ll_error_text());
}

/* A unit of a kernel while it is opened. */
struct open_unit {
  LLVMModuleRef m;
  LLVMValueRef fn;
};

static struct low_unit
open_what(const struct low_kernel *k, uint32_t u) {
  return u ? k->units[u - 1]
           : (struct low_unit){k->name, k->bitcode, k->bitcode_bytes};
}

static status
open_unit(const struct low_kernel *k, uint32_t u, LLVMContextRef ctx,
          struct open_unit *out) {
  assert(u <= k->nunits);
  struct low_unit what = open_what(k, u);
  TRY(open_is_text(&what) ? open_text(&what, ctx, &out->m)
                          : open_file(&what, ctx, &out->m));
  out->fn = LLVMGetNamedFunction(out->m, what.name);
  if (!out->fn || LLVMIsDeclaration(out->fn))
    FAIL(ERR_COMPILE, "its bitcode does not define %s", what.name);
  open_hide_all(out->m);
  return OK;
}

/* Variables of the program are other ones than those of the kernel's file that
 * have the same name, as far as names tell. */
static void
open_rename_globals(LLVMModuleRef m, uint32_t u) {
  SCOPED_STR name = STR_INIT;
  LL_GLOBALS(g, m) {
    if (!LLVMIsDeclaration(g)) continue;
    str_reset(&name);
    str_printf(&name, "%s#%u", ll_name(g), u);
    LLVMSetValueName2(g, name.s, name.len);
  }
}

/* A start of names that no unit has. */
static void
open_free_name(const struct open_unit *units, uint32_t n, struct str *base) {
  assert(n > 0 && !base->len);
  SCOPED_STR name = STR_INIT;
  bool taken = true;
  for (str_add(base, "op2.unit"); taken; str_add(base, ".")) {
    taken = false;
    for (uint32_t k = 0; k < n * n; k++) {
      str_reset(&name);
      str_printf(&name, "%s.%u", base->s, k % n);
      taken |= link_taken(units[k / n].m, &name);
    }
  }
}

/* Give unit u and what it calls of the others the names that tie them. */
static void
open_tie(const struct low_kernel *k, uint32_t u, const struct open_unit *unit,
         const struct str *base) {
  assert(u <= k->nunits);
  SCOPED_STR name = STR_INIT;
  for (uint32_t t = 0; t < k->nties; t++) {
    if (k->ties[t].unit != u) continue;
    LLVMValueRef f = LLVMGetNamedFunction(unit->m, k->ties[t].name);
    if (!f || !LLVMIsDeclaration(f)) continue;
    str_reset(&name);
    str_printf(&name, "%s.%u", base->s, k->ties[t].to);
    LLVMValueRef there = LLVMGetNamedFunction(unit->m, name.s);
    if (there)
      LLVMReplaceAllUsesWith(f, there); /* a second name for it */
    else
      LLVMSetValueName2(f, name.s, name.len);
  }
  str_reset(&name);
  str_printf(&name, "%s.%u", base->s, u);
  LLVMSetValueName2(unit->fn, name.s, name.len);
  LLVMSetLinkage(unit->fn, LLVMExternalLinkage);
}

/* Link all units into m, which takes their modules. */
static status
open_link(const struct low_kernel *k, struct open_unit *units, LLVMModuleRef m,
          LLVMValueRef *fn_out) {
  uint32_t n = k->nunits + 1;
  SCOPED_STR base = STR_INIT;
  status s = OK;
  open_free_name(units, n, &base);
  for (uint32_t u = 0; u < n; u++) {
    if (u) open_rename_globals(units[u].m, u);
    open_tie(k, u, &units[u], &base);
  }
  link_refs_note(units[0].m, &units[0].fn, 1);
  for (uint32_t u = 0; s == OK && u < n; u++) {
    LLVMModuleRef unit = units[u].m;
    units[u].m = NULL;
    if (LLVMLinkModules2(m, unit))
      s = err_set(ERR_COMPILE, "its files cannot be linked: %s",
                  ll_error_text());
  }
  TRY(s);
  link_refs_take(m, fn_out, 1);
  open_hide_all(m);
  return OK;
}

/* One machine for all units: text names none. */
static void
open_lay_out(const struct low_kernel *k, const struct open_unit *units,
             LLVMModuleRef m) {
  const struct open_unit *u = units;
  while (u < units + k->nunits && !*LLVMGetDataLayoutStr(u->m)) u++;
  LLVMSetTarget(m, LLVMGetTarget(u->m));
  LLVMSetDataLayout(m, LLVMGetDataLayoutStr(u->m));
  if (u == units) return;
  LLVMSetTarget(units[0].m, LLVMGetTarget(u->m));
  LLVMSetDataLayout(units[0].m, LLVMGetDataLayoutStr(u->m));
}

static status
open_all(const struct low_kernel *k, struct open_unit *units,
         LLVMContextRef ctx, LLVMModuleRef *out, LLVMValueRef *fn_out) {
  for (uint32_t u = 0; u < k->nunits + 1; u++)
    TRY(open_unit(k, u, ctx, &units[u]));
  *out = LLVMModuleCreateWithNameInContext("kernel", ctx);
  open_lay_out(k, units, *out);
  return open_link(k, units, *out, fn_out);
}

LLVMValueRef
low_const_replace(LLVMModuleRef m, LLVMValueRef g, const struct low_const *c,
                  const void *bytes) {
  assert(c->size > 0);
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(ctx), c->size);
  LLVMValueRef v = LLVMAddGlobal(m, type, "");
  LLVMSetInitializer(v, bytes
                            ? LLVMConstStringInContext2(ctx, bytes, c->size, 1)
                            : LLVMConstNull(type));
  LLVMSetGlobalConstant(v, bytes != NULL);
  LLVMSetLinkage(v, LLVMInternalLinkage);
  LLVMSetAlignment(v, LOW_ALIGN);
  LLVMReplaceAllUsesWith(g, v);
  LLVMDeleteGlobal(g);
  return v;
}

void
low_kernel_give(const struct low_kernel *k, LLVMModuleRef m) {
  for (uint32_t i = 0; i < k->ngiven; i++) {
    LLVMValueRef g = LLVMGetNamedGlobal(m, k->given[i].what.name);
    if (g) low_const_replace(m, g, &k->given[i].what, k->given[i].bytes);
  }
}

status
low_kernel_open(const struct low_kernel *k, bool lines, LLVMContextRef ctx,
                LLVMModuleRef *out, LLVMValueRef *fn_out) {
  assert(k->bitcode && k->name);
  SCOPED struct open_unit *units = mem_alloc(k->nunits + 1, sizeof *units);
  *out = NULL;
  status s = open_all(k, units, ctx, out, fn_out);
  for (uint32_t u = 0; u < k->nunits + 1; u++)
    if (units[u].m) LLVMDisposeModule(units[u].m);
  if (s == OK) {
    if (!lines) LLVMStripModuleDebugInfo(*out);
    return OK;
  }
  if (*out) LLVMDisposeModule(*out);
  *out = NULL;
  return err_prefix(s, "kernel %s: ", k->name);
}
