/* Areas of points of a box, and where entries of a row lie, in up to four
 * dimensions: all by two numbers a dimension. */
#ifndef IR_AREA_H
#define IR_AREA_H

#include <stdbool.h>
#include <stdint.h>

/* As seen from the domain: side 2 d is how far it begins below the first point
 * in dimension d, 2 d + 1 how far it ends above the last; negative: inside. Or
 * of an entry, seen from its point. Prints as (-1:2,0): in the first dimension
 * from 1 below to 2 above, in the second as the domain. Then to go by an entry
 * is to add, and to hold both is to take the greater side. */
enum { IR_DIMS = 4, IR_SIDES = 2 * IR_DIMS };
struct ir_area {
  int at[IR_SIDES]; /* 0 in dimensions that there are not */
};

/* The least that holds both. */
static inline struct ir_area
ir_area_join(struct ir_area a, struct ir_area b) {
  for (int k = 0; k < IR_SIDES; k++)
    if (b.at[k] > a.at[k]) a.at[k] = b.at[k];
  return a;
}
/* What lies in both. */
static inline struct ir_area
ir_area_meet(struct ir_area a, struct ir_area b) {
  for (int k = 0; k < IR_SIDES; k++)
    if (b.at[k] < a.at[k]) a.at[k] = b.at[k];
  return a;
}
/* All that is `entry` away from points of a. */
static inline struct ir_area
ir_area_by(struct ir_area a, struct ir_area entry) {
  for (int k = 0; k < IR_SIDES; k++) a.at[k] += entry.at[k];
  return a;
}
/* All from which points of a are `entry` away. */
static inline struct ir_area
ir_area_from(struct ir_area a, struct ir_area entry) {
  for (int k = 0; k < IR_SIDES; k++) a.at[k] += entry.at[k ^ 1];
  return a;
}
static inline bool
ir_area_same(const struct ir_area *a, const struct ir_area *b) {
  bool same = true;
  for (int k = 0; k < IR_SIDES; k++) same = same && a->at[k] == b->at[k];
  return same;
}

#endif
