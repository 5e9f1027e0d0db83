/* What the two files of the parser share. */
#ifndef IR_PARSE_H
#define IR_PARSE_H

#include "ir/inner.h"
#include "ir/lex.h"

struct ir_parser {
  struct ir_lexer x;
  struct ir_trace *t;
  struct table values; /* {dat, version} -> value + 1 */
  ir_ref *results;     /* by dat: what the node at hand defines of this root */
  uint32_t nresults;
  ir_ref region;       /* the region we are in */
  uint32_t each;       /* of the node at hand, as a node's */
  struct ir_arg *args; /* of the node at hand */
  uint32_t nargs, capargs;
};

/* Step over what is named, or fail with what was expected and found. */
status ir_want_punct(struct ir_parser *p, char c);
status ir_want_word(struct ir_parser *p, const char *word);
/* A number in [lo, hi]. */
/* word=<number but 0>, perhaps. */
status ir_maybe_distance(struct ir_parser *p, const char *word, int32_t *out);
status ir_want_number(struct ir_parser *p, int64_t lo, int64_t hi,
                      int64_t *out);
/* The name of something declared before. */
status ir_want_decl(struct ir_parser *p, enum ir_decl kind, ir_ref *out);
/* Add this owner's flags to *flags as long as they come. */
status ir_some_flags(struct ir_parser *p, enum ir_flag_owner owner,
                     uint32_t *flags);
/* <own> [via <via>] */
status ir_want_reach(struct ir_parser *p, struct reach *out);
/* (<area>); *ndim_out: dimensions that it has */
status ir_want_area(struct ir_parser *p, struct ir_area *out,
                    uint32_t *ndim_out);
/* `word "target"`, if it stands here; the text lies in the trace's arena. */
status ir_maybe_target(struct ir_parser *p, const char *word, const char **out);
/* A whole declaration, if one stands here. */
status ir_maybe_decl(struct ir_parser *p, bool *found_out);

/* ---- parse_chain.c ------------------------------------------------------- */

/* Of a region, if it stands here; behind the word that begins a chain. */
status ir_maybe_chain(struct ir_parser *p, struct ir_region *r);
status ir_chain_statement(struct ir_parser *p);

#endif
