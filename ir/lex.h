/* Words of the trace text. Input is anybody's: nothing here asserts on it. */
#ifndef IR_LEX_H
#define IR_LEX_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum ir_token_kind {
  IR_TOK_END,
  IR_TOK_WORD,   /* trace, x4, f64 */
  IR_TOK_NUMBER, /* decimal, below 2^63 */
  IR_TOK_NAME,   /* %q or %"odd name": sigil in `punct`, text in `name` */
  IR_TOK_TEXT,   /* "file.c", decoded in `name` */
  IR_TOK_PUNCT   /* one of { } ( ) [ ] : , = . #, and '>' for -> */
};

struct ir_lexer {
  const char *file;
  const char *next; /* what follows the current token */
  const char *line_start;
  int line;
  /* the current token */
  enum ir_token_kind kind;
  const char *begin;
  size_t len;
  int at_line;
  size_t at_col;
  char punct;
  int64_t number;
  struct str name;
};

/* Start on NUL-terminated text and read the first token. */
status ir_lex_init(struct ir_lexer *x, const char *text, const char *file);
void ir_lex_clear(struct ir_lexer *x);
/* Read the next token; ERR_ARG if there is none. */
status ir_lex_next(struct ir_lexer *x);
/* "file:line:col: expected <what>, found <token>", always ERR_ARG. */
status ir_lex_expected(const struct ir_lexer *x, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* "file:line:col: <message>" at the current token, always ERR_ARG. */
status ir_lex_fail(const struct ir_lexer *x, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Is the current token this punctuation, this word? */
bool ir_lex_is(const struct ir_lexer *x, char punct);
bool ir_lex_is_word(const struct ir_lexer *x, const char *word);

#endif
