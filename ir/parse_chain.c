/* The parser's part for chains of tiles. */
#include "ir/parse.h"

#include <stdlib.h>

/* #<number> */
static status
want_numbered(struct ir_parser *p, uint32_t *out) {
  int64_t k = 0;
  TRY(ir_want_punct(p, '#'));
  TRY(ir_want_number(p, 0, UINT32_MAX - 1, &k));
  *out = (uint32_t)k;
  return OK;
}

/* [deep <depth>] */
static status
maybe_deep(struct ir_parser *p, struct ir_region *r) {
  int64_t depth = 0;
  if (!ir_lex_is_word(&p->x, "deep")) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_number(p, 1, DEPTH_MAX, &depth));
  r->deep = (uint32_t)depth;
  return OK;
}

/* [chain #k [(<span>, ...)] [deep <depth>]]: of tiles, of fronts */
status
ir_maybe_chain(struct ir_parser *p, struct ir_region *r) {
  struct ir_area span = {{0}};
  uint32_t ndim = 0;
  if (!ir_lex_is_word(&p->x, "chain")) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(want_numbered(p, &r->chain));
  r->chain++;
  if (ir_lex_is(&p->x, '(')) TRY(ir_want_area(p, &span, &ndim));
  for (uint32_t k = 0; k < ndim; k++)
    r->span.at[k] = (struct ir_span){span.at[2 * k], span.at[2 * k + 1]};
  return maybe_deep(p, r);
}

/* along <dimension> rows <rows> */
static status
want_side(struct ir_parser *p, struct ir_chain *c) {
  int64_t along = 0, rows = 0;
  struct ir_lexer at = p->x;
  TRY(ir_want_word(p, "along"));
  TRY(ir_want_number(p, 0, IR_DIMS - 1, &along));
  TRY(ir_want_word(p, "rows"));
  TRY(ir_want_number(p, 1, INT32_MAX, &rows));
  if (c->nsides && along >= c->side[c->nsides - 1].along)
    return ir_lex_fail(&at, "expected a dimension before %u, found %d",
                       c->side[c->nsides - 1].along, (int)along);
  c->side[c->nsides++] =
      (struct ir_side){.along = (uint32_t)along, .rows = (uint32_t)rows};
  return OK;
}

/* pieces <elements> */
static status
want_pieces(struct ir_parser *p, struct ir_chain *c) {
  int64_t elements = 0;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_number(p, 1, INT32_MAX, &elements));
  c->piece = (uint32_t)elements;
  return OK;
}

/* chain #k : %box along <dimension> rows <rows> ... [private #b ...]
 * chain #k : pieces <elements> */
status
ir_chain_statement(struct ir_parser *p) {
  struct ir_chain c = {.box = IR_NONE};
  uint32_t k = 0, cap = 0;
  struct ir_lexer at = p->x;
  TRY(want_numbered(p, &k));
  if (k != p->t->nchains)
    return ir_lex_fail(&at, "expected #%u, the next chain", p->t->nchains);
  TRY(ir_want_punct(p, ':'));
  if (ir_lex_is_word(&p->x, "pieces")) {
    TRY(want_pieces(p, &c));
    ir_add_chain(p->t, c);
    return OK;
  }
  TRY(ir_want_decl(p, IR_DECL_SET, &c.box));
  do TRY(want_side(p, &c));
  while (ir_lex_is_word(&p->x, "along"));
  ir_ref *own = NULL;
  status st = OK;
  if (ir_lex_is_word(&p->x, "private")) st = ir_lex_next(&p->x);
  while (st == OK && ir_lex_is(&p->x, '#')) {
    ir_ref b = 0;
    st = want_numbered(p, &b);
    VEC_PUSH(own, c.nown, cap, b);
  }
  c.own = own;
  if (st == OK) ir_add_chain(p->t, c);
  free(own);
  return st;
}
