/* What is done with areas (ir.h): to go by an entry is to add, to hold both is
 * to take the greater side. */
#ifndef IR_AREA_H
#define IR_AREA_H

#include "ir/ir.h"

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
