/* What was made once: code of regions, facts about kernels, compiled sources.
 * It is looked for in the program (bundle.h), then on disk (disk.h), and kept
 * there. */
#ifndef LOWER_MADE_H
#define LOWER_MADE_H

#include <stdbool.h>
#include <stddef.h>

struct low_entry; /* entry.h */
struct str;

/* `machine` is what code is made for. bundle: look into the program. Before
 * this call, and after low_made_close, nothing is found; disk.h opens the disk.
 * */
void low_made_open(const char *machine, bool bundle);
void low_made_close(void);

/* What is asked for. */
struct low_made {
  const char *kind; /* "region", "facts", ... */
  const char *name; /* for the log */
  /* Bytes that say what it was made from; the library, LLVM and the machine
   * need not be among them. */
  const struct str *key;
  /* Files that it was made by, besides the compiler (low_file_identity); "" */
  const char *tools;
};
bool low_made_find(const struct low_made *m, struct low_entry *out);
/* On disk alone; also from a thread beside the program's. */
bool low_made_find_kept(const struct low_made *m, struct low_entry *out);
/* Keep `bytes`, in place of what is there under this key. Trouble is logged and
 * changes nothing for the program. Likewise. */
void low_made_keep(const struct low_made *m, const char *bytes, size_t n);

/* ---- disk.c -------------------------------------------------------------- */

/* Use this folder; "" stands for $XDG_CACHE_HOME/op2lazy or ~/.cache/op2lazy.
 * Above `max_bytes` the oldest entries are removed. Before this call, and after
 * low_disk_close, nothing is found and nothing kept. */
void low_disk_open(const char *folder, size_t max_bytes);
void low_disk_close(void);

/* ---- disk_turn.c --------------------------------------------------------- */

/* Other processes that start together need the same code: one compiles at a
 * time. */
void low_disk_share(bool on);
struct low_turn {
  int fd;      /* its file; -1: nobody else is there */
  bool waited; /* others compiled meanwhile: look again */
};
/* Then compile, and keep. */
struct low_turn low_disk_turn_begin(void);
void low_disk_turn_end(struct low_turn t);

#endif
