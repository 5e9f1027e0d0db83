/* libFuzzer on the trace IR: parser, printer, verifier, passes.
 *
 *   fuzz_ir [libFuzzer's options] corpus/      see test/fuzz/run.sh
 *
 * Properties, of any text:
 *   1. ir_parse gives a trace or a message, never a crash
 *   2. what parses prints, and that text parses and prints as itself; verifier,
 *      graph and key take it
 *   3. what verifies goes through the passes, which leave it legal, and prints and
 *      parses again after each of them
 *
 * Bytes changed at random seldom give a legal trace. So half of the mutations
 * work on lines and words: a statement goes, comes twice or moves, a word becomes
 * another word of the text.
 */
#include "passes/pass.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- properties ---------------------------------------------------------- */

static void
fail(const char *what, const char *text) {
  fprintf(stderr, "fuzz_ir: %s\n%s\n", what, text);
  abort();
}

static void
check_round_trip(const struct ir_trace *t) {
  struct str once = STR_INIT, twice = STR_INIT;
  struct ir_trace *again = NULL;
  ir_print(t, &once);
  if (ir_parse(once.s, "printed", &again) != OK) fail(err_last(), once.s);
  ir_print(again, &twice);
  if (strcmp(once.s, twice.s)) fail("prints differently when read", twice.s);
  ir_trace_free(again);
  str_clear(&once);
  str_clear(&twice);
}

static void
check_passes(const struct ir_trace *t, const char *pipeline, const char *text) {
  struct ir_trace *copy = ir_trace_clone(t);
  struct pass_options o = {
      .pipeline = pipeline, .verify = true, .stress = true};
  if (pass_run(&copy, &o) != OK) fail(err_last(), text);
  ir_trace_free(copy);
}

static void
check_legal(const struct ir_trace *t, const char *text) {
  static const char *const pipelines[] = {
      NULL,
      "slice",
      "rename,storage",
      "dce,fuse",
      "fuse{max=2},storage{reuse=0}",
      "rename,fuse{args=3},dce,storage",
      "dce,slice,fuse{look=1}",
      "place",
      "fuse,storage,place,dce",
  };
  for (ir_ref d = 0; d < t->ndats; d++) /* regions cannot be made anew */
    if (t->dats[d].kind == IR_INLINE) return;
  for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++)
    check_passes(t, pipelines[i], text);
}

static void
check_trace(const struct ir_trace *t, const char *text) {
  struct str out = STR_INIT;
  check_round_trip(t);
  int failures = ir_verify(t, &out);
  if (!failures) {
    ir_dot(t, &out);
    check_legal(t, text);
  }
  str_clear(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ir_trace *t = NULL;
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = 0;
  if (ir_parse(text, "fuzz", &t) == OK) {
    check_trace(t, text);
    ir_trace_free(t);
  }
  free(text);
  return 0;
}

/* ---- mutations ----------------------------------------------------------- */

/* A stretch of the text. */
struct part {
  size_t at, len;
};

static unsigned random_state;
static size_t
random_below(size_t n) {
  random_state = random_state * 1664525u + 1013904223u;
  return n ? (random_state >> 8) % n : 0;
}

static struct part
some_line(const uint8_t *data, size_t size) {
  size_t at = random_below(size), end = at;
  while (at && data[at - 1] != '\n') at--;
  while (end < size && data[end] != '\n') end++;
  return (struct part){at, end + (end < size) - at};
}

static bool
in_word(uint8_t c) {
  return isalnum(c) || strchr("%@$_.'", c);
}

static struct part
some_word(const uint8_t *data, size_t size) {
  size_t at = random_below(size);
  while (at < size && !in_word(data[at])) at++;
  while (at && in_word(data[at - 1])) at--;
  size_t end = at;
  while (end < size && in_word(data[end])) end++;
  return (struct part){at, end - at};
}

/* Put a copy of `from` where `to` stands; the new size, or the old one if there
 * is no room. */
static size_t
replace(uint8_t *data, size_t size, size_t max, struct part to,
        struct part from) {
  if (size - to.len + from.len > max) return size;
  uint8_t *copy = malloc(from.len + 1);
  memcpy(copy, data + from.at, from.len);
  memmove(data + to.at + from.len, data + to.at + to.len,
          size - to.at - to.len);
  memcpy(data + to.at, copy, from.len);
  free(copy);
  return size - to.len + from.len;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
  random_state = seed;
  if (!size || random_below(2)) return LLVMFuzzerMutate(data, size, max);
  struct part line = some_line(data, size), here = some_line(data, size);
  switch (random_below(5)) {
  case 0: return replace(data, size, max, line, (struct part){0, 0});
  case 1: return replace(data, size, max, (struct part){here.at, 0}, line);
  case 2: return replace(data, size, max, here, line);
  default:
    return replace(data, size, max, some_word(data, size),
                   some_word(data, size));
  }
}
