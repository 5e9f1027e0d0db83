/* Block colouring for the plain-C references: what OP2's generated OpenMP code
 * does, written independently of the library.
 *
 * Elements are cut into consecutive blocks; blocks of one colour share no
 * target of the maps through which they increment. Colours run one after
 * another, the blocks of one colour on all threads.
 */
#ifndef BENCH_COLOUR_H
#define BENCH_COLOUR_H

struct colouring {
  int n, block, nblocks, ncolours;
  int *order; /* blocks by colour */
  int *start; /* colour c: order[start[c] .. start[c+1]) */
};

/* Colour n elements whose row e writes to targets table[e*arity + (0..arity-1)]
 * out of ntarget. table NULL: no conflicts, one colour. The caller clears
 * it. */
void colouring_make(struct colouring *c, int n, int block, const int *table,
                    int arity, int ntarget);
void colouring_clear(struct colouring *c);

/* Run elements [lo, hi) on this thread; thread in [0, threads). */
typedef void loop_body(void *context, int lo, int hi, int thread);
void colouring_run(const struct colouring *c, int threads, loop_body *body,
                   void *context);

#endif
