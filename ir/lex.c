#include "ir/lex.h"

#include "ir/inner.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* ---- messages ---------------------------------------------------------- */

enum { LEX_SHOW = 40 }; /* bytes of a token that a message quotes */

status
ir_lex_fail(const struct ir_lexer *x, const char *fmt, ...) {
  SCOPED_STR m = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  str_vprintf(&m, fmt, ap);
  va_end(ap);
  err_set(ERR_ARG, "%s:%d:%zu: %s", x->file, x->at_line, x->at_col, m.s);
  return ERR_ARG;
}

/* The token as it stands, in quotes, with odd bytes spelt out. */
static void
show_token(const struct ir_lexer *x, struct str *out) {
  if (x->kind == IR_TOK_END) {
    str_add(out, "end of text");
    return;
  }
  size_t n = x->len < LEX_SHOW ? x->len : LEX_SHOW;
  str_add(out, "'");
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)x->begin[i];
    if (c < 32 || c == 127)
      str_printf(out, "\\x%02x", c);
    else
      str_addn(out, x->begin + i, 1);
  }
  str_add(out, n < x->len ? "...'" : "'");
}

status
ir_lex_expected(const struct ir_lexer *x, const char *fmt, ...) {
  SCOPED_STR m = STR_INIT, found = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  str_vprintf(&m, fmt, ap);
  va_end(ap);
  show_token(x, &found);
  ir_lex_fail(x, "expected %s, found %s", m.s, found.s);
  return ERR_ARG;
}

/* ---- the kinds of tokens ----------------------------------------------- */

static void
skip_blanks(struct ir_lexer *x) {
  for (;; x->next++) {
    if (*x->next == ';') x->next += strcspn(x->next, "\n");
    if (*x->next == '\n') {
      x->line++;
      x->line_start = x->next + 1;
    } else if (*x->next != ' ' && *x->next != '\t' && *x->next != '\r') {
      return;
    }
  }
}

static int
hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/* The byte that the escape at p (behind the backslash) stands for, and its
 * length; 0: no such escape. A NUL byte is none: names are C strings. */
static size_t
lex_escape(const char *p, char *out) {
  static const char from[] = "\"\\nt", to[] = "\"\\\n\t";
  const char *e = *p ? strchr(from, *p) : NULL;
  if (e) {
    *out = to[e - from];
    return 1;
  }
  if (*p != 'x' || hex_digit(p[1]) < 0 || hex_digit(p[2]) < 0) return 0;
  *out = (char)(16 * hex_digit(p[1]) + hex_digit(p[2]));
  return *out ? 3 : 0;
}

/* "..." from x->next on, decoded into x->name. */
static status
lex_text(struct ir_lexer *x) {
  const char *p = x->next + 1;
  str_reset(&x->name);
  while (*p != '"') {
    char c = *p;
    size_t n = 1;
    if (c == '\\') {
      n = lex_escape(p + 1, &c);
      if (!n) return ir_lex_fail(x, "unknown escape in quoted text");
      n++;
    }
    if (n == 1 && (!c || c == '\n'))
      return ir_lex_fail(x, "quoted text without a closing \"");
    str_addn(&x->name, &c, 1);
    p += n;
  }
  x->next = p + 1;
  return OK;
}

static status
lex_name(struct ir_lexer *x) {
  x->punct = *x->next++;
  x->kind = IR_TOK_NAME;
  if (*x->next == '"') {
    TRY(lex_text(x));
    return x->name.len ? OK : ir_lex_fail(x, "a name must not be empty");
  }
  size_t n = 0;
  if (ir_name_start(*x->next))
    while (ir_name_char(x->next[n])) n++;
  if (!n) return ir_lex_fail(x, "expected a name after %c", x->punct);
  str_reset(&x->name);
  str_addn(&x->name, x->next, n);
  x->next += n;
  return OK;
}

static status
lex_number(struct ir_lexer *x) {
  bool minus = *x->next == '-';
  x->kind = IR_TOK_NUMBER;
  x->number = 0;
  x->next += minus;
  for (; *x->next >= '0' && *x->next <= '9'; x->next++) {
    int digit = *x->next - '0';
    if (x->number > (INT64_MAX - digit) / 10)
      return ir_lex_fail(x, "number too large");
    x->number = 10 * x->number + digit;
  }
  if (minus) x->number = -x->number;
  return OK;
}

static status
lex_punct(struct ir_lexer *x) {
  x->kind = IR_TOK_PUNCT;
  x->punct = *x->next;
  x->len = 1;
  if (x->next[0] == '-' && x->next[1] == '>') {
    x->punct = '>';
    x->next += 2;
    return OK;
  }
  if (!strchr("{}()[]:,=.#", x->punct))
    return ir_lex_expected(x, "a word, a name or a number");
  x->next++;
  return OK;
}

static status
lex_one(struct ir_lexer *x) {
  char c = *x->next;
  if (c == '%' || c == '@') return lex_name(x);
  const char *digit = x->next + (c == '-');
  if (*digit >= '0' && *digit <= '9') return lex_number(x);
  if (c == '"') {
    x->kind = IR_TOK_TEXT;
    return lex_text(x);
  }
  if (!ir_name_start(c)) return lex_punct(x);
  x->kind = IR_TOK_WORD;
  while (ir_name_char(*x->next)) x->next++;
  return OK;
}

status
ir_lex_next(struct ir_lexer *x) {
  skip_blanks(x);
  x->begin = x->next;
  x->len = 0;
  x->at_line = x->line;
  x->at_col = (size_t)(x->next - x->line_start) + 1;
  x->punct = 0;
  x->kind = IR_TOK_END;
  if (!*x->next) return OK;
  TRY(lex_one(x));
  x->len = (size_t)(x->next - x->begin);
  return OK;
}

status
ir_lex_init(struct ir_lexer *x, const char *text, const char *file) {
  assert(text && file);
  *x = (struct ir_lexer){.file = file,
                         .next = text,
                         .line_start = text,
                         .line = 1,
                         .name = STR_INIT};
  return ir_lex_next(x);
}

void
ir_lex_clear(struct ir_lexer *x) {
  str_clear(&x->name);
}

bool
ir_lex_is(const struct ir_lexer *x, char punct) {
  return x->kind == IR_TOK_PUNCT && x->punct == punct;
}

bool
ir_lex_is_word(const struct ir_lexer *x, const char *word) {
  return x->kind == IR_TOK_WORD && strlen(word) == x->len &&
         !memcmp(x->begin, word, x->len);
}
