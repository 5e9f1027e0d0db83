#include "lower/llvm/ll.h"

#include <assert.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char ll_message[512];

static void
ll_diagnose(LLVMDiagnosticInfoRef info, void *unused) {
  (void)unused;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
  LL_TEXT text = LLVMGetDiagInfoDescription(info);
  snprintf(ll_message, sizeof ll_message, "%s", text);
}

void
ll_text_drop(char *const *text) {
  LLVMDisposeMessage(*text);
}

void
ll_buffer_add(LLVMMemoryBufferRef b, struct str *out) {
  str_addn(out, LLVMGetBufferStart(b), LLVMGetBufferSize(b));
  LLVMDisposeMemoryBuffer(b);
}

void
ll_errors_catch(LLVMContextRef ctx) {
  ll_message[0] = 0;
  LLVMContextSetDiagnosticHandler(ctx, ll_diagnose, NULL);
}

const char *
ll_error_text(void) {
  return ll_message;
}

LLVMTypeRef
ll_type(LLVMContextRef ctx, struct type t) {
  if (t.kind == TYPE_F64) return LLVMDoubleTypeInContext(ctx);
  if (t.kind == TYPE_F32) return LLVMFloatTypeInContext(ctx);
  if (t.kind == TYPE_BYTES)
    return LLVMArrayType2(LLVMInt8TypeInContext(ctx), t.size);
  return LLVMIntTypeInContext(ctx, 8 * t.size);
}

LLVMValueRef
ll_i64(LLVMContextRef ctx, int64_t v) {
  return LLVMConstInt(LLVMInt64TypeInContext(ctx), (unsigned long long)v, 1);
}

LLVMValueRef
ll_identity(LLVMContextRef ctx, struct type t, enum access acc) {
  LLVMTypeRef type = ll_type(ctx, t);
  assert(acc == ACC_INC || acc == ACC_MIN || acc == ACC_MAX);
  if (acc == ACC_INC || t.kind == TYPE_BYTES) return LLVMConstNull(type);
  if (type_class(t) == 'F')
    return LLVMConstReal(type, acc == ACC_MIN ? HUGE_VAL : -HUGE_VAL);
  unsigned long long bits = 0;
  assert(t.size <= sizeof bits);
  type_identity(t, acc, &bits, 1); /* little endian: the low bytes */
  return LLVMConstInt(type, bits, 0);
}

void
ll_attr(LLVMValueRef fn, LLVMAttributeIndex index, const char *name,
        uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  assert(kind && "an attribute that this LLVM knows");
  LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
  LLVMAddAttributeAtIndex(fn, index, LLVMCreateEnumAttribute(ctx, kind, value));
}

void
ll_attr_text(LLVMValueRef fn, const char *key, const char *value) {
  LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
  LLVMAddAttributeAtIndex(
      fn, LL_OF_FUNCTION,
      LLVMCreateStringAttribute(ctx, key, (unsigned)strlen(key), value,
                                (unsigned)strlen(value)));
}

void
ll_attr_remove(LLVMValueRef fn, const char *name) {
  LLVMAttributeIndex at = LL_OF_FUNCTION;
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  if (kind)
    LLVMRemoveEnumAttributeAtIndex(fn, at, kind);
  else
    LLVMRemoveStringAttributeAtIndex(fn, at, name, (unsigned)strlen(name));
}

static LLVMValueRef
ll_function(LLVMBuilderRef b) {
  return LLVMGetBasicBlockParent(LLVMGetInsertBlock(b));
}

LLVMBasicBlockRef
ll_if(LLVMBuilderRef b, LLVMValueRef condition) {
  LLVMValueRef fn = ll_function(b);
  LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
  assert(LLVMTypeOf(condition) == LLVMInt1TypeInContext(ctx));
  LLVMBasicBlockRef yes = LLVMAppendBasicBlockInContext(ctx, fn, "if");
  LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(ctx, fn, "after");
  LLVMBuildCondBr(b, condition, yes, after);
  LLVMPositionBuilderAtEnd(b, yes);
  return after;
}

void
ll_endif(LLVMBuilderRef b, LLVMBasicBlockRef after) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
  assert(!LLVMGetBasicBlockTerminator(here));
  LLVMBuildBr(b, after);
  LLVMMoveBasicBlockAfter(after, here);
  LLVMPositionBuilderAtEnd(b, after);
}

struct ll_loop
ll_loop_begin(LLVMBuilderRef b, LLVMValueRef lo, LLVMValueRef hi,
              const char *name) {
  LLVMValueRef one = LLVMConstInt(LLVMTypeOf(lo), 1, 0);
  return ll_loop_begin_step(b, lo, hi, one, name);
}

struct ll_loop
ll_loop_begin_step(LLVMBuilderRef b, LLVMValueRef lo, LLVMValueRef hi,
                   LLVMValueRef step, const char *name) {
  LLVMValueRef fn = ll_function(b);
  LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
  struct ll_loop l = {.hi = hi, .step = step};
  l.head = LLVMAppendBasicBlockInContext(ctx, fn, name);
  l.exit = LLVMAppendBasicBlockInContext(ctx, fn, "after");
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, lo, hi, ""), l.head, l.exit);
  LLVMPositionBuilderAtEnd(b, l.head);
  l.i = LLVMBuildPhi(b, LLVMTypeOf(lo), name);
  LLVMAddIncoming(l.i, &lo, &before, 1);
  return l;
}

void
ll_loop_end(LLVMBuilderRef b, struct ll_loop *l, LLVMValueRef md) {
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
  LLVMValueRef next = LLVMBuildNSWAdd(b, l->i, l->step, "");
  LLVMValueRef more = LLVMBuildICmp(b, LLVMIntSLT, next, l->hi, "");
  LLVMValueRef br = LLVMBuildCondBr(b, more, l->head, l->exit);
  LLVMAddIncoming(l->i, &next, &latch, 1);
  if (md)
    LLVMSetMetadata(
        br,
        LLVMGetMDKindIDInContext(
            LLVMGetModuleContext(LLVMGetGlobalParent(ll_function(b))),
            "llvm.loop", 9),
        md);
  LLVMMoveBasicBlockAfter(l->exit, latch);
  LLVMPositionBuilderAtEnd(b, l->exit);
}

LLVMValueRef
ll_entry_alloca(LLVMBuilderRef b, LLVMTypeRef type, uint64_t n, unsigned align,
                const char *name) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(ll_function(b));
  LLVMValueRef first = LLVMGetFirstInstruction(entry);
  if (first)
    LLVMPositionBuilderBefore(b, first);
  else
    LLVMPositionBuilderAtEnd(b, entry);
  LLVMValueRef p = LLVMBuildAlloca(b, LLVMArrayType2(type, n), name);
  LLVMSetAlignment(p, align);
  LLVMPositionBuilderAtEnd(b, here);
  return p;
}

static void
prefetch(LLVMBuilderRef b, LLVMValueRef p, int64_t ahead, bool write) {
  LLVMModuleRef m = LLVMGetGlobalParent(ll_function(b));
  LLVMContextRef ctx = LLVMGetModuleContext(m);
  LLVMTypeRef ptr = LLVMTypeOf(p), i32 = LLVMInt32TypeInContext(ctx);
  unsigned id = LLVMLookupIntrinsicID("llvm.prefetch", strlen("llvm.prefetch"));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(m, id, &ptr, 1);
  LLVMValueRef off = ll_i64(ctx, ahead);
  LLVMValueRef use = LLVMConstInt(i32, write, 0),
               keep = LLVMConstInt(i32, 3, 0), data = LLVMConstInt(i32, 1, 0);
  LLVMValueRef args[4] = {
      LLVMBuildGEP2(b, LLVMInt8TypeInContext(ctx), p, &off, 1, "ahead"), use,
      keep, data};
  LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, args, 4, "");
}

void
ll_prefetch(LLVMBuilderRef b, LLVMValueRef p, int64_t ahead) {
  prefetch(b, p, ahead, false);
}

void
ll_prefetch_store(LLVMBuilderRef b, LLVMValueRef p) {
  prefetch(b, p, 0, true);
}

/* The C API makes uniqued metadata only; distinct nodes come from text. */
static const char ll_marks_text[] =
    "!parallel = !{!0}\n"
    "!scalar = !{!1}\n"
    "!kept = !{!7}\n"
    "!0 = distinct !{!0, !2, !3, !4, !5}\n"
    "!1 = distinct !{!1, !6, !4}\n"
    "!2 = !{!\"llvm.loop.vectorize.enable\", i1 true}\n"
    "!3 = !{!\"llvm.loop.vectorize.width\", i32 %u}\n"
    "!4 = !{!\"llvm.loop.interleave.count\", i32 1}\n"
    "!5 = !{!\"llvm.loop.unroll.disable\"}\n"
    "!6 = !{!\"llvm.loop.vectorize.width\", i32 1}\n"
    "!7 = distinct !{!7, !5, !6}\n";

status
ll_marks_make(LLVMContextRef ctx, uint32_t width, struct ll_marks *out) {
  char filled[sizeof ll_marks_text + 16];
  int n = snprintf(filled, sizeof filled, ll_marks_text, width);
  LLVMMemoryBufferRef text =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(filled, (size_t)n, "marks");
  LLVMModuleRef m;
  LL_TEXT why = NULL;
  if (LLVMParseIRInContext(ctx, text, &m, &why))
    FAIL(ERR_COMPILE, "loop metadata: %s", why);
  LLVMGetNamedMetadataOperands(m, "parallel", &out->parallel);
  LLVMGetNamedMetadataOperands(m, "scalar", &out->scalar);
  LLVMGetNamedMetadataOperands(m, "kept", &out->kept);
  LLVMDisposeModule(m);
  return OK;
}

status
ll_run_passes(LLVMModuleRef m, const char *passes, LLVMTargetMachineRef machine,
              bool slp) {
  LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetSLPVectorization(o, slp);
  LLVMErrorRef err = LLVMRunPasses(m, passes, machine, o);
  LLVMDisposePassBuilderOptions(o);
  if (!err) return OK;
  char *why = LLVMGetErrorMessage(err);
  status s = err_set(ERR_COMPILE, "optimiser: %s", why);
  LLVMDisposeErrorMessage(why);
  return s;
}
