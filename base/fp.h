/* How this thread computes: the direction of rounding and, where the machine
 * has such a mode, whether subnormal numbers count as zero. A word to compare;
 * what else its control register holds stays. cost: some cycles on x86-64. */
#ifndef BASE_FP_H
#define BASE_FP_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

#if defined __x86_64__

#include <xmmintrin.h>

enum { FP_ROUND = 0x6000, FP_ZEROS = 0x8040 };

static inline uint32_t
fp_mode(void) {
  return _mm_getcsr() & (FP_ROUND | FP_ZEROS);
}

/* IEEE 754's: to nearest, with subnormal numbers. */
static inline uint32_t
fp_mode_plain(void) {
  return 0;
}

static inline bool
fp_mode_nearest(uint32_t mode) {
  return !(mode & FP_ROUND);
}

/* Long doubles have a register of their own, which fesetround sets, too. */
static inline void
fp_mode_set(uint32_t mode) {
  static const int round[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD,
                              FE_TOWARDZERO};
  fesetround(round[(mode & FP_ROUND) >> 13]);
  _mm_setcsr((_mm_getcsr() & ~(unsigned)(FP_ROUND | FP_ZEROS)) | mode);
}

#else

static inline uint32_t
fp_mode(void) {
  return (uint32_t)fegetround();
}

static inline uint32_t
fp_mode_plain(void) {
  return FE_TONEAREST;
}

static inline bool
fp_mode_nearest(uint32_t mode) {
  return mode == FE_TONEAREST;
}

static inline void
fp_mode_set(uint32_t mode) {
  fesetround((int)mode);
}

#endif

/* Compute so from here on; returns what was before. */
static inline uint32_t
fp_mode_change(uint32_t mode) {
  uint32_t was = fp_mode();
  if (was != mode) fp_mode_set(mode);
  return was;
}

#endif
