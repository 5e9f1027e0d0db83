/* Scans, other layers in boxes, and loops over some layers: which elements these go
 * over, in what order, and what they may touch. Written after include/op2.h and
 * include/op2_boxes.h. */
#ifndef RANDOM_SCANS_H
#define RANDOM_SCANS_H

#include "areas.h"

/* The set whose elements a loop names: a scan over a subset is one over the whole. */
int loop_set(const struct program *p, const struct op *o);
/* Does a scan go along this set, or a loop over some of its layers? */
bool scan_goes(const struct program *p, int whole);
/* Those that it goes over in order, of a scan or a loop over some layers. */
void scan_elements(const struct world *w, const struct op *o, struct over *out);
/* May the loop have this layer argument? How far it leads out of a box, where all
 * layers must have it; its target for element e. */
bool layer_fits(const struct program *p, const struct op *o,
                const struct param *m, const struct parg *g);
struct area layer_reach(const struct program *p, const struct op *o,
                        const struct parg *g);
int layer_target(const struct program *p, int s, const struct area *x, int e,
                 const struct parg *g);
/* Does the kernel no more than the loop declares, which is to read? */
bool only_reads(const struct param *m);
/* The arguments of a scan, all of them, if it is one. */
bool scan_fits(const struct program *p, const struct op *o);

/* The other way round: layers before stay before. */
void scan_turn(struct op *o);
/* One argument becomes what the scan left in a layer before, where any can. */
void scan_bend(struct rnd *r, struct op *o);
/* With operation k changed to something simpler, in way number `what`; NULL: no
 * change. */
enum { SCAN_WAYS = 4 };
struct program *scan_simpler(const struct program *old, int k, int what);

#endif
