// Loops of kernels that stand in the way of vectors over elements.
//
// Problem. LLVM makes vectors of innermost loops. The loop over the lanes of a
// block is one once the loops of its kernels are unrolled, and by how much LLVM
// does so is a guess of what that is worth by itself: a sum over the four
// points of a cell's quadrature, a matrix of 4 x 4 at each, stays a loop, and
// the whole kernel scalar.
//
// Idea. What becomes of them is counted: instructions of each loop times its
// length, which must be constant, inner loops in outer ones. Where all of it is
// little enough, LLVM is told to unroll whatever it thinks (the hint of its
// "pragma unroll"). Where it is too much, or a length is not known, nothing is
// said: half of it unrolled is no vector, either.
//
//   for l in [0, 8)                      for l in [0, 8)
//     for p in [0, 4)   80 instructions    320 instructions, no loop
//       for a in [0, 4) ...
//
// Measured. The matrix of bench/fem (four points, 4 x 4 values at each): 1.4
// times as fast to assemble with 90 000 and with 640 000 cells, on one thread
// and on two (a Xeon with AVX-512, medians of 3 interleaved rounds). Compiled
// in 0.2 s more, once.
//
// Blocks that go over rows, or run in steps, have several loops over lanes, and
// such as add late one twice: all of them together.
//
// Limits. Compiling takes longer with the code: the caller's limit.
#include "lower/llvm/unroll.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace {

// LLVM's view of a function's loops.
struct loops {
  explicit loops(Function &f)
      : tree(f), info(tree), assumptions(f),
        libraries(Triple(f.getParent()->getTargetTriple())),
        library(libraries, &f), scev(f, library, assumptions, tree, info) {
  }
  DominatorTree tree;
  LoopInfo info;
  AssumptionCache assumptions;
  TargetLibraryInfoImpl libraries;
  TargetLibraryInfo library;
  ScalarEvolution scev;
};

// Instructions of one turn of the loop, loops within it unrolled; more than
// `most`: too many, or of unknown number.
uint64_t
turn(loops &all, const Loop *loop, uint64_t most) {
  uint64_t n = 0;
  for (const BasicBlock *b : loop->blocks())
    if (all.info.getLoopFor(b) == loop) n += b->size();
  for (const Loop *inner : loop->getSubLoops()) {
    uint64_t length = all.scev.getSmallConstantTripCount(inner);
    uint64_t each = turn(all, inner, most);
    if (!length || each > most || length > most) return most + 1;
    n += length * each;
  }
  return n > most ? most + 1 : n;
}

// The loops over lanes of the function, which do not stand in each other.
SmallVector<Loop *, 4>
marked(loops &all, const Metadata *mark) {
  SmallVector<Loop *, 4> found;
  for (Loop *loop : all.info.getLoopsInPreorder())
    if (loop->getLoopID() == mark) found.push_back(loop);
  return found;
}

} // namespace

bool
ll_unroll_within(LLVMValueRef function, LLVMValueRef mark, unsigned most) {
  loops all(*unwrap<Function>(function));
  uint64_t n = 0;
  bool any = false;
  auto lanes = marked(all, cast<MetadataAsValue>(unwrap(mark))->getMetadata());
  for (const Loop *l : lanes) n += turn(all, l, most);
  if (n > most) return false;
  for (Loop *l : lanes)
    for (Loop *inner : l->getLoopsInPreorder())
      if (inner != l) {
        addStringMetadataToLoop(inner, "llvm.loop.unroll.full");
        any = true;
      }
  return any;
}
