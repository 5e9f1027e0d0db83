/* Which elements of each set this process declares, in which order, and by which numbers
 * maps name them. On one rank, or where each rank declares the whole, all of them;
 * under PLAY_PARTS each rank has a part. Written after doc/mpi.md and doc/boxes.md. */
#ifndef RANDOM_PARTS_H
#define RANDOM_PARTS_H

#include "boxes.h"

/* Elements by their global numbers: those of the parts one after another. Points of
 * other ranks that a part has around its own count in them. What is printed or looked
 * at as a range is in the order of one rank. */
struct part {
  int *start;   /* [ranks + 1]: where each part begins */
  int *all;     /* [start[ranks]]: the program's number of an element */
  bool *others; /* [start[ranks]]: it is another rank's point */
  int *number;  /* [elements]: where its owner has it */
  int *rows;    /* [elements]: as a file has them */
  int (*lo)[BOX_DIMS], (*hi)[BOX_DIMS]; /* [ranks]: of a box */
  int ranks, rank;                      /* 1, 0: there are no parts */
};

/* Of a set that is no box, after those of sets before it. All in the order of `from`,
 * NULL: as the program numbers them. GIVE */
struct part part_whole(const struct program *p, int s, const int *from);
struct part part_of(const struct program *p, int s, const struct part *before,
                    int rank, int ranks);
/* Of a box, from what all ranks have of it: TAKE lo, hi. */
struct part part_of_box(const struct program *p, int s, int rank, int ranks,
                        int (*lo)[BOX_DIMS], int (*hi)[BOX_DIMS]);
void part_clear(struct part *x);
/* Where a file has the element. */
int part_row(const struct part *x, int element);

/* What this rank has: how many, which; those that are others' points. */
int part_count(const struct part *x);
const int *part_elements(const struct part *x);
const bool *part_others(const struct part *x);

/* `bytes` of each rank, one after another. All ranks call it in the same order; the
 * values go through files, not through the library. */
void parts_gather(const void *mine, size_t bytes, void *all);
/* All ranks have come back from it: its file goes. */
void parts_forget(void);

#endif
