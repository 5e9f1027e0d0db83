/* Clean a private copy of the kernel, so that the proofs need few cases.
 *
 * Problem. clang's unoptimised code keeps every variable in memory and every
 * helper behind a call; loops over components have variable indices. Nothing
 * can be proven there directly.
 *
 * Idea. Let LLVM do the work on a copy nobody runs: inline all, put variables
 * in registers, unroll loops of constant length fully. What the code does with
 * memory is then a list of loads and stores at constant offsets:
 *
 *     for (int n = 0; n < 4; n++) res[n] += f[n];      4 x load, fadd, store
 *
 * No pass that turns loops into library calls or vectors runs. LLVM unrolls by
 * size; loops here are marked `llvm.loop.unroll.enable` instead, which raises
 * its limit to 16384 instructions. limits: recursion stays a call, loops
 * without constant length stay loops; both only cost proofs.
 */
#include "lower/llvm/facts.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* "no-verify-fixpoint": else instcombine aborts where it needs two rounds. */
static const char clean_inline[] =
    "always-inline,function(sroa,early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg)";
/* Loops get their final form: counted, tested at the end. */
static const char clean_loops[] = "function(loop(loop-rotate),loop(indvars))";
static const char clean_unroll[] =
    "function(loop(loop-unroll-full),sroa,"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>)";

static void
clean_mark_inline(struct facts *f) {
  LL_FUNCTIONS(g, f->m) {
    ll_attr_remove(g, "noinline");
    ll_attr_remove(g, "optnone");
    if (LLVMIsDeclaration(g) || g == f->fn) continue;
    LLVMSetLinkage(g, LLVMInternalLinkage);
    ll_attr(g, LL_OF_FUNCTION, "alwaysinline", 0);
  }
}

/* A loop's name is a node that mentions itself; replacing a temporary by the
 * node that holds it makes one. */
static LLVMValueRef
clean_unroll_mark(struct facts *f) {
  static const char full[] = "llvm.loop.unroll.enable";
  LLVMMetadataRef text = LLVMMDStringInContext2(f->ctx, full, sizeof full - 1);
  LLVMMetadataRef ops[2];
  ops[0] = LLVMTemporaryMDNode(f->ctx, NULL, 0);
  ops[1] = LLVMMDNodeInContext2(f->ctx, &text, 1);
  LLVMMetadataRef node = LLVMMDNodeInContext2(f->ctx, ops, 2);
  LLVMMetadataReplaceAllUsesWith(ops[0], node);
  return LLVMMetadataAsValue(f->ctx, node);
}

/* Does the loop that ends with t run too often to be spelt out? LLVM would do
 * it in part, up to its limit, and nothing more could be proven. */
static bool
clean_is_long(LLVMValueRef t) {
  enum { LONG = 4096 };
  if (!LLVMIsConditional(t)) return false;
  LLVMValueRef test = LLVMGetCondition(t);
  for (unsigned k = 0; LLVMIsAICmpInst(test) && k < 2; k++) {
    LLVMValueRef x = LLVMGetOperand(test, k);
    if (LLVMIsAConstantInt(x) && LLVMGetIntTypeWidth(LLVMTypeOf(x)) <= 64 &&
        llabs(LLVMConstIntGetSExtValue(x)) > LONG)
      return true;
  }
  return false;
}

static void
clean_mark_loops(struct facts *f) {
  unsigned kind = LLVMGetMDKindIDInContext(f->ctx, "llvm.loop", 9);
  LL_BLOCKS(b, f->fn) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
    if (LLVMGetMetadata(t, kind))
      LLVMSetMetadata(t, kind, clean_is_long(t) ? NULL : clean_unroll_mark(f));
  }
}

/* Labels in a table are addresses in the program's code. LLVM takes it that
 * nobody jumps to a label whose address it does not see, so this comes before
 * its passes. */
static void
clean_note_jumps(struct facts *f) {
  LL_FUNCTIONS(g, f->m)
    LL_BLOCKS(b, g)
      if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(b)) ==
          LLVMIndirectBr)
        fact_effect(f, "jumps to labels of a table");
}

status
fact_clean(struct facts *f) {
  clean_note_jumps(f);
  clean_mark_inline(f);
  TRY(ll_run_passes(f->m, clean_inline, NULL, false));
  TRY(ll_run_passes(f->m, clean_loops, NULL, false));
  clean_mark_loops(f);
  TRY(ll_run_passes(f->m, clean_unroll, NULL, false));
  assert(!LLVMIsDeclaration(f->fn));
  return OK;
}
