/* op2cc's part between two runs of the compiler.
 *
 * Problem. op_par_loop gets a function's address and nothing else, and needs
 * the function's code in a form that can be inlined into other code.
 *
 * Idea. The front end has just made that form. Keep a reduced copy of it in the
 * object file, with a table that ties the addresses (which the linker fills in,
 * so that inlining, mangling, merging of inline functions and shared objects
 * take care of themselves) to names in the copy, and a constructor:
 *
 *     @op2.blob.bitcode = private constant [3120 x i8] c"BC\C0\DE..."
 *     @op2.blob.entries = private constant [2 x ...] [{ptr @res_calc, ...}]
 *     @op2.blob         = private constant {...}
 *     define internal void @op2.blob.add() { if (&op2_blob_register) ... }
 *
 * An address is that of this file's code, also where the linker prefers another
 * file's: a weak function is named through a local alias, which stays here.
 * What kernels call in other files has entries, too, so that at run time an
 * address tells which code is meant. Such references must not make a program
 * need what it would do without, and LLVM knows one kind of reference for each
 * name; so they are assembly:
 *
 *     .weakref op2.called.0.9f3c, eos
 *
 * The library is referred to weakly, so that a program that is linked without
 * it links and runs. Layouts mirror include/op2_blob.h.
 *
 * cost: parsing, cloning and writing the module, about 10 ms for a C file.
 * source: clang's -fembed-bitcode does nearly this, but embeds optimised code
 * without addresses.
 */
#include "lower/llvm/bitcode.h"

#include "base/digest.h"
#include "base/hash.h"
#include "lower/kernel.h"
#include "lower/llvm/ll.h"

#include <assert.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct op2_blob_entry) == 80, "entry as emitted below");
static_assert(sizeof(struct op2_blob_peek) == 16, "peek as emitted below");
static_assert(offsetof(struct op2_blob, npeeks) == 48, "blob as emitted");

struct embedder {
  LLVMContextRef ctx;
  LLVMModuleRef m;
  const struct low_embed *in;
  struct low_embedded *e;
  LLVMTypeRef ptr, i32, i64;
  LLVMMemoryBufferRef bitcode;
  char suffix[LOW_STATIC_DIGITS + 1]; /* makes names unique in the program */
  LLVMValueRef *entries;
  const char **called; /* names of the first entries, which are of that kind */
  uint32_t nentries, capentries, ncalled, capcalled;
};

static LLVMValueRef
embed_global(struct embedder *b, const char *name, LLVMValueRef init,
             unsigned align) {
  assert(align && !(align & (align - 1)));
  LLVMValueRef g = LLVMAddGlobal(b->m, LLVMTypeOf(init), name);
  LLVMSetInitializer(g, init);
  LLVMSetLinkage(g, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(g, 1);
  LLVMSetAlignment(g, align);
  return g;
}

static LLVMValueRef
embed_string(struct embedder *b, const char *s) {
  assert(s);
  return embed_global(b, "op2.blob.str",
                      LLVMConstStringInContext2(b->ctx, s, strlen(s), 0), 1);
}

static LLVMValueRef
embed_array(struct embedder *b, const char *name, LLVMTypeRef type,
            LLVMValueRef *v, uint32_t n) {
  assert(v || !n);
  if (!n) return LLVMConstNull(b->ptr);
  return embed_global(b, name, LLVMConstArray2(type, v, n), 16);
}

static LLVMTypeRef
embed_entry_type(struct embedder *b) {
  LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(b->ctx),
                                     sizeof((struct digest *)0)->bytes);
  LLVMTypeRef f[] = {b->ptr, b->ptr, b->i64, b->i32,
                     b->i32, b->ptr, bytes,  b->ptr};
  return LLVMStructTypeInContext(b->ctx, f, 8, 0);
}

/* A row of the table. */
struct embed_row {
  LLVMValueRef what;
  const char *ir_name;
  uint64_t size;
  enum op2_blob_kind kind;
  LLVMValueRef *calls;
  uint32_t ncalls, capcalls;
  struct digest digest;
  const char *types; /* "" or NULL: not known */
};

static void
embed_add_entry(struct embedder *b, const struct embed_row *r) {
  LLVMValueRef f[] = {
      r->what,
      embed_string(b, r->ir_name),
      LLVMConstInt(b->i64, r->size, 0),
      LLVMConstInt(b->i32, r->kind, 0),
      LLVMConstInt(b->i32, r->ncalls, 0),
      embed_array(b, "op2.blob.calls", b->i32, r->calls, r->ncalls),
      LLVMConstStringInContext2(b->ctx, (const char *)r->digest.bytes,
                                sizeof r->digest.bytes, 1),
      r->types && *r->types ? embed_string(b, r->types)
                            : LLVMConstNull(b->ptr)};
  if (r->kind == OP2_BLOB_CALLED)
    VEC_PUSH(b->called, b->ncalled, b->capcalled, r->ir_name);
  VEC_PUSH(b->entries, b->nentries, b->capentries,
           LLVMConstStructInContext(b->ctx, f, 8, 0));
}

/* Internal globals of different files must not share a name. */
static void
embed_suffix(struct embedder *b) {
  assert(b->in->source && b->in->unique);
  uint64_t h = hash_text(0, b->in->source);
  h = hash_text(h, b->in->unique);
  for (int i = 0; i < LOW_STATIC_DIGITS; i++)
    b->suffix[i] = "0123456789abcdef"[h >> (60 - 4 * i) & 15];
}

static status
embed_reduce(struct embedder *b, LLVMModuleRef *out) {
  *out = LLVMCloneModule(b->m);
  status s = low_blob_reduce(*out, b->e->functions, b->e->nfunctions, b->suffix,
                             b->in->keep_debug);
  if (s != OK) LLVMDisposeModule(*out);
  return s;
}

/* The global of the program behind a declaration in the reduced module. */
static LLVMValueRef
embed_original(struct embedder *b, const char *name) {
  size_t tail = sizeof LOW_STATIC - 1 + LOW_STATIC_DIGITS, len = strlen(name);
  LLVMValueRef g = LLVMGetNamedGlobal(b->m, name);
  if (!g) g = LLVMGetNamedGlobalAlias(b->m, name, len);
  if (g) return g;
  assert(len > tail && "only reduced names are not the program's");
  char *plain = arena_printf(&b->e->arena, "%.*s", (int)(len - tail), name);
  return LLVMGetNamedGlobal(b->m, plain);
}

/* Note which functions the code reaches that this file's code does not define.
 * */
static void
embed_calls(struct embedder *b, LLVMModuleRef code, struct embed_row *r) {
  LL_FUNCTIONS(f, code) {
    if (!LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f)) continue;
    const char *name = ll_name(f);
    uint32_t k = 0;
    while (k < b->ncalled && strcmp(b->called[k], name)) k++;
    assert(k < b->ncalled && "the whole file's calls are there");
    VEC_PUSH(r->calls, r->ncalls, r->capcalls, LLVMConstInt(b->i32, k, 0));
  }
}

/* Variables of this file alone without the mark of the file: the same code
 * built in another folder, or to another name, has the same digest. */
static void
embed_unmark(struct embedder *b, LLVMModuleRef code) {
  assert(strlen(b->suffix) == LOW_STATIC_DIGITS);
  LL_GLOBALS(g, code) {
    SCOPED_STR name = STR_INIT;
    str_add(&name, ll_name(g));
    if (name.len <= LOW_STATIC_DIGITS) continue;
    size_t stem = name.len - LOW_STATIC_DIGITS;
    if (!strcmp(name.s + stem, b->suffix)) LLVMSetValueName2(g, name.s, stem);
  }
}

/* What depends on a function's code with all that it needs. Names of types are
 * unique in a context, so each function has its own. */
static status
embed_code(struct embedder *b, struct embed_row *r) {
  assert(b->bitcode);
  struct low_kernel k = {.name = (char *)(uintptr_t)r->ir_name,
                         .bitcode = LLVMGetBufferStart(b->bitcode),
                         .bitcode_bytes = LLVMGetBufferSize(b->bitcode)};
  LLVMContextRef ctx = LLVMContextCreate();
  ll_errors_catch(ctx);
  LLVMModuleRef code;
  LLVMValueRef fn;
  status s = low_kernel_open(&k, false, ctx, &code, &fn);
  if (s == OK) {
    embed_unmark(b, code);
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(code);
    digest_of(LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes), &r->digest);
    LLVMDisposeMemoryBuffer(bytes);
    embed_calls(b, code, r);
    LLVMDisposeModule(code);
  }
  LLVMContextDispose(ctx);
  return s;
}

/* This file's own code for a function. */
static status
embed_function(struct embedder *b, const char *name, const char *types) {
  LLVMValueRef fn = LLVMGetNamedFunction(b->m, name);
  assert(fn && !LLVMIsDeclaration(fn));
  LLVMLinkage l = LLVMGetLinkage(fn);
  bool any = l == LLVMLinkOnceODRLinkage || l == LLVMWeakODRLinkage ||
             l == LLVMAvailableExternallyLinkage;
  struct embed_row r = {.what = fn,
                        .ir_name = name,
                        .kind = any ? OP2_BLOB_INLINE : OP2_BLOB_FUNCTION,
                        .types = types};
  if (low_blob_replaceable(fn)) {
    r.ir_name = arena_printf(&b->e->arena, "%s" LOW_BLOB_OWN, name);
    r.what = LLVMAddAlias2(b->m, LLVMGlobalGetValueType(fn), 0, fn, "op2.own");
    LLVMSetLinkage(r.what, LLVMInternalLinkage);
  }
  status s = embed_code(b, &r);
  if (s == OK) embed_add_entry(b, &r);
  free(r.calls);
  return s;
}

/* A reference to a function of other files that does not ask for it. */
static LLVMValueRef
embed_weak_ref(struct embedder *b, const char *name) {
  SCOPED_STR line = STR_INIT;
  const char *alias =
      arena_printf(&b->e->arena, "op2.called.%u.%s", b->nentries, b->suffix);
  if (*name == 1) name++; /* LLVM's mark of a name as it is */
  str_printf(&line, ".weakref %s, ", alias);
  str_quote(&line, name);
  str_add(&line, "\n");
  LLVMAppendModuleInlineAsm(b->m, line.s, line.len);
  LLVMValueRef g = LLVMAddGlobal(b->m, LLVMInt8TypeInContext(b->ctx), alias);
  LLVMSetVisibility(g, LLVMHiddenVisibility);
  return g;
}

/* What the kernels call and this file's code does not define. */
static void
embed_called(struct embedder *b, const char *name) {
  LLVMValueRef f = LLVMGetNamedFunction(b->m, name);
  if (!f) f = LLVMGetNamedGlobalAlias(b->m, name, strlen(name));
  assert(f && "only aliases and functions become declared functions");
  struct embed_row r = {.what =
                            LLVMIsDeclaration(f) ? embed_weak_ref(b, name) : f,
                        .ir_name = arena_str(&b->e->arena, name),
                        .kind = OP2_BLOB_CALLED};
  embed_add_entry(b, &r);
}

static void
embed_variable(struct embedder *b, const char *name) {
  LLVMValueRef original = embed_original(b, name);
  struct embed_row r = {.what = original,
                        .ir_name = name,
                        .size = low_blob_sizeof(b->m, original),
                        .kind = OP2_BLOB_GLOBAL};
  embed_add_entry(b, &r);
}

static status
embed_entries(struct embedder *b, LLVMModuleRef reduced) {
  LL_FUNCTIONS(f, reduced)
    if (LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f))
      embed_called(b, ll_name(f));
  for (uint32_t i = 0; i < b->e->nfunctions; i++)
    TRY(embed_function(b, b->e->functions[i], b->e->types[i]));
  LL_GLOBALS(g, reduced)
    if (LLVMIsDeclaration(g) && !LLVMIsThreadLocal(g))
      embed_variable(b, ll_name(g));
  return OK;
}

static LLVMValueRef
embed_peeks(struct embedder *b) {
  LLVMTypeRef f[] = {b->ptr, b->i32, b->i32};
  LLVMTypeRef type = LLVMStructTypeInContext(b->ctx, f, 3, 0);
  LLVMValueRef *v = arena_alloc(&b->e->arena, b->e->npeeks * sizeof *v);
  for (uint32_t i = 0; i < b->e->npeeks; i++) {
    LLVMValueRef p[] = {
        embed_string(b, b->e->peeks[i].file),
        LLVMConstInt(b->i32, (unsigned long long)b->e->peeks[i].line, 0),
        LLVMConstInt(b->i32, (unsigned long long)b->e->peeks[i].kind, 0)};
    v[i] = LLVMConstStructInContext(b->ctx, p, 3, 0);
  }
  return embed_array(b, "op2.blob.peeks", type, v, b->e->npeeks);
}

static LLVMValueRef
embed_struct(struct embedder *b) {
  size_t bytes = b->bitcode ? LLVMGetBufferSize(b->bitcode) : 0;
  LLVMValueRef code = LLVMConstNull(b->ptr);
  if (bytes)
    code = embed_global(b, "op2.blob.bitcode",
                        LLVMConstStringInContext2(
                            b->ctx, LLVMGetBufferStart(b->bitcode), bytes, 1),
                        16);
  LLVMValueRef entries = embed_array(b, "op2.blob.entries", embed_entry_type(b),
                                     b->entries, b->nentries);
  LLVMValueRef f[] = {LLVMConstInt(b->i32, OP2_BLOB_VERSION, 0),
                      LLVMConstInt(b->i32, b->nentries, 0),
                      entries,
                      code,
                      LLVMConstInt(b->i64, bytes, 0),
                      embed_string(b, b->in->source),
                      embed_peeks(b),
                      LLVMConstInt(b->i32, b->e->npeeks, 0)};
  return embed_global(b, "op2.blob", LLVMConstStructInContext(b->ctx, f, 8, 0),
                      16);
}

/* The library's function; a weak reference unless the file knows it itself. */
static LLVMValueRef
embed_library(struct embedder *b, const char *name, LLVMTypeRef type) {
  LLVMValueRef f = LLVMGetNamedFunction(b->m, name);
  if (f) return f;
  f = LLVMAddFunction(b->m, name, type);
  LLVMSetLinkage(f, LLVMExternalWeakLinkage);
  return f;
}

/* void name() { if (callee) callee(blob); } */
static LLVMValueRef
embed_caller(struct embedder *b, const char *name, const char *callee,
             LLVMValueRef blob) {
  LLVMTypeRef nothing = LLVMVoidTypeInContext(b->ctx);
  LLVMTypeRef type = LLVMFunctionType(nothing, &b->ptr, 1, 0);
  LLVMValueRef lib = embed_library(b, callee, type);
  LLVMValueRef f =
      LLVMAddFunction(b->m, name, LLVMFunctionType(nothing, NULL, 0, 0));
  LLVMSetLinkage(f, LLVMInternalLinkage);
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(b->ctx, f, "");
  LLVMBasicBlockRef call = LLVMAppendBasicBlockInContext(b->ctx, f, "");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(b->ctx, f, "");
  LLVMBuilderRef at = LLVMCreateBuilderInContext(b->ctx);
  LLVMPositionBuilderAtEnd(at, entry);
  LLVMBuildCondBr(at, LLVMBuildIsNotNull(at, lib, ""), call, end);
  LLVMPositionBuilderAtEnd(at, call);
  LLVMBuildCall2(at, type, lib, &blob, 1, "");
  LLVMBuildBr(at, end);
  LLVMPositionBuilderAtEnd(at, end);
  LLVMBuildRetVoid(at);
  LLVMDisposeBuilder(at);
  return f;
}

/* Append {65535, fn, null} to llvm.global_ctors or llvm.global_dtors. */
static void
embed_run(struct embedder *b, const char *list, LLVMValueRef fn) {
  LLVMTypeRef f[] = {b->i32, b->ptr, b->ptr};
  LLVMTypeRef type = LLVMStructTypeInContext(b->ctx, f, 3, 0);
  LLVMValueRef old = LLVMGetNamedGlobal(b->m, list);
  unsigned n = 0;
  if (old) n = (unsigned)LLVMGetArrayLength2(LLVMGlobalGetValueType(old));
  LLVMValueRef *v = arena_alloc(&b->e->arena, (n + 1) * sizeof *v);
  for (unsigned i = 0; i < n; i++)
    v[i] = LLVMGetAggregateElement(LLVMGetInitializer(old), i);
  LLVMValueRef one[] = {LLVMConstInt(b->i32, 65535, 0), fn,
                        LLVMConstNull(b->ptr)};
  v[n] = LLVMConstStructInContext(b->ctx, one, 3, 0);
  if (old) LLVMDeleteGlobal(old);
  LLVMValueRef init = LLVMConstArray2(type, v, n + 1);
  LLVMValueRef g = LLVMAddGlobal(b->m, LLVMTypeOf(init), list);
  LLVMSetInitializer(g, init);
  LLVMSetLinkage(g, LLVMAppendingLinkage);
}

static status
embed_blob(struct embedder *b) {
  if (b->e->nfunctions) {
    LLVMModuleRef reduced;
    embed_suffix(b);
    TRY(embed_reduce(b, &reduced));
    b->bitcode = LLVMWriteBitcodeToMemoryBuffer(reduced);
    b->e->bitcode_bytes = LLVMGetBufferSize(b->bitcode);
    status s = embed_entries(b, reduced);
    LLVMDisposeModule(reduced);
    TRY(s);
    low_beyond_find(b->m, b->bitcode, b->e);
  }
  LLVMValueRef blob = embed_struct(b);
  embed_run(b, "llvm.global_ctors",
            embed_caller(b, "op2.blob.add", "op2_blob_register", blob));
  embed_run(b, "llvm.global_dtors",
            embed_caller(b, "op2.blob.remove", "op2_blob_unregister", blob));
  return OK;
}

/* Sanitizers make globals without names; the table needs one. */
static void
embed_name_globals(struct embedder *b) {
  static const char name[] = "op2.anon"; /* LLVM adds a number */
  LL_GLOBALS(g, b->m)
    if (!*ll_name(g)) LLVMSetValueName2(g, name, sizeof name - 1);
}

static status
embed_module(struct embedder *b) {
  embed_name_globals(b);
  low_scan_unmark(b->m);
  low_scan_lines(b->m);
  low_scan_looks(b->m, b->in->data_offset, b->e);
  TRY(low_looks_classify(b->m, b->e));
  low_owed_find(b->m, b->e);
  low_scan_functions(b->m, b->e);
  if (b->e->nfunctions || b->e->npeeks) TRY(embed_blob(b));
  if (!b->in->keep_debug) LLVMStripModuleDebugInfo(b->m);
  low_looks_insert(b->m, b->e);
  low_owed_insert(b->m, b->e);
  if (LLVMWriteBitcodeToFile(b->m, b->in->out))
    FAIL(ERR_IO, "cannot write %s", b->in->out);
  return OK;
}

static status
embed_open(struct embedder *b) {
  LLVMMemoryBufferRef buffer;
  LL_TEXT why = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(b->in->bitcode, &buffer, &why))
    FAIL(ERR_IO, "%s: %s", b->in->bitcode, why);
  bool bad = LLVMParseBitcodeInContext2(b->ctx, buffer, &b->m);
  LLVMDisposeMemoryBuffer(buffer);
  if (bad)
    FAIL(ERR_COMPILE, "%s: not bitcode that LLVM %d reads: %s", b->in->source,
         LLVM_VERSION_MAJOR, ll_error_text());
  return OK;
}

status
low_embed_file(const struct low_embed *in, struct low_embedded *out) {
  assert(in->bitcode);
  struct embedder b = {.in = in, .e = out};
  *out = (struct low_embedded){.refused = STR_INIT};
  b.ctx = LLVMContextCreate();
  ll_errors_catch(b.ctx);
  b.ptr = LLVMPointerTypeInContext(b.ctx, 0);
  b.i32 = LLVMInt32TypeInContext(b.ctx);
  b.i64 = LLVMInt64TypeInContext(b.ctx);
  status s = embed_open(&b);
  if (s == OK) s = embed_module(&b);
  if (b.bitcode) LLVMDisposeMemoryBuffer(b.bitcode);
  if (b.m) LLVMDisposeModule(b.m);
  LLVMContextDispose(b.ctx);
  free(b.entries);
  free(b.called);
  return s;
}

void
low_embedded_clear(struct low_embedded *e) {
  free(e->peeks);
  free(e->looks);
  free(e->owed);
  free(e->functions);
  free(e->types);
  arena_clear(&e->arena);
  str_clear(&e->refused);
  *e = (struct low_embedded){0};
}
