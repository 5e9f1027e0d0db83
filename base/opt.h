/* Run-time options from the environment, one row each in opt.def. */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/err.h"

#include <stddef.h>

struct str;

typedef int opt_int;
typedef size_t opt_size;
typedef const char *opt_text;
typedef enum opt_word {
#define WORD(field, word) OPT_##field##_##word,
#include "base/words.def"
#undef WORD
} opt_word;

struct options {
#define OPT(field, env, type, def, ranks, line) opt_##type field;
#include "base/opt.def"
#undef OPT
};

/* Read all options. `get` is getenv or a test's double. A value that does not
 * parse is ERR_ARG with the variable, the value and what was expected; the
 * other options are still read. Texts point into the environment: KEEP. */
status opt_read(struct options *o, char *(*get)(const char *));
/* The table as text: name, type, default, one line. */
void opt_print(struct str *b);
/* The options that ranks must share, as texts "NAME=value", each with its end.
 * */
void opt_shared(const struct options *o, struct str *out);
/* A word of the option `field`. ERR_ARG: "NAME=text: expected ..." */
status opt_parse_word(const char *name, const char *field, const char *text,
                      opt_word *out);
/* As the user writes it. */
const char *opt_word_text(opt_word w);
/* Is `word` an entry of the comma-separated `list`? */
int opt_listed(const char *list, const char *word);

/* For each variable of the environment whose name begins as an option's and is
 * none: tell(name, the option nearest to it, or NULL if none is near). */
void opt_unknown(char *const *environment,
                 void (*tell)(const char *name, const char *nearest));

#endif
