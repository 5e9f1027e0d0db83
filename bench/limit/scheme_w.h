/* The scheme's arithmetic over vectors of one W. Operation by operation that of
 * kernels.h, but for what `kept` changes: then a cell has p, u, v beside q and
 * adt, and a volume flow is u dy - v dx in place of a quotient a side. */

/* What a side has to know of a cell; u and v only if they are kept. */
struct V(state) {
  vd q[4], adt, p, u, v;
};

/* States of W cells, whose rows begin at n[i]. */
INLINE void
V(state_at)(struct V(state) * s, const struct limit *l, int from, const int *n,
            bool kept) {
  if (kept) {
    vd d[4];
    V(gather4)(s->q, l->q[from], 8, n);
    V(gather4)(d, l->adt[from], 8, n);
    s->adt = d[0], s->p = d[1], s->u = d[2], s->v = d[3];
    return;
  }
  V(gather4)(s->q, l->q[from], 4, n);
  s->adt = V(gather1)(l->adt[from], n);
  vd square = s->q[1] * s->q[1] + s->q[2] * s->q[2];
  s->p = gm1 * (s->q[3] - 0.5 / s->q[0] * square);
}

INLINE vd
V(volume)(const struct V(state) * s, vd dx, vd dy, bool kept) {
  return kept ? s->u * dy - s->v * dx : (s->q[1] * dy - s->q[2] * dx) / s->q[0];
}

/* res_calc: res[c] += the flux from a to b */
INLINE void
V(side)(const struct V(state) * a, const struct V(state) * b, const vd d[2],
        bool kept, vd res[4]) {
  vd dx = d[0], dy = d[1];
  vd va = V(volume)(a, dx, dy, kept), vb = V(volume)(b, dx, dy, kept);
  vd mu = 0.5 * (a->adt + b->adt) * eps;
  const vd *qa = a->q, *qb = b->q;
  res[0] += 0.5 * (va * qa[0] + vb * qb[0]) + mu * (qa[0] - qb[0]);
  res[1] += 0.5 * (va * qa[1] + a->p * dy + vb * qb[1] + b->p * dy) +
            mu * (qa[1] - qb[1]);
  res[2] += 0.5 * (va * qa[2] - a->p * dx + vb * qb[2] - b->p * dx) +
            mu * (qa[2] - qb[2]);
  res[3] +=
      0.5 * (va * (qa[3] + a->p) + vb * (qb[3] + b->p)) + mu * (qa[3] - qb[3]);
}

/* adt_calc: what a block's cells have of their four sides. */
struct V(shape) {
  vd dx[4], dy[4], length[4];
};

/* d[0] = adt of q, and with `kept` also d[1..3] = p, u, v */
INLINE void
V(derive)(vd d[4], const vd q[4], const struct V(shape) * s, bool kept) {
  vd ri = 1.0 / q[0], u = ri * q[1], v = ri * q[2], sum = {0};
  vd c = V(root)(gam * gm1 * (ri * q[3] - 0.5 * (u * u + v * v)));
  for (int k = 0; k < 4; k++)
    sum += V(magnitude)(u * s->dy[k] - v * s->dx[k]) + c * s->length[k];
  d[0] = sum / cfl;
  if (!kept) return;
  d[1] = gm1 * (q[3] - 0.5 * (u * q[1] + v * q[2]));
  d[2] = u;
  d[3] = v;
}

/* update: q holds qold and becomes the new q; returns what rms grows by. */
INLINE vd
V(advance)(vd q[4], const vd res[4], vd adt) {
  vd adti = 1.0 / adt, sum = {0};
  for (int k = 0; k < 4; k++) {
    vd del = adti * res[k];
    q[k] -= del;
    sum += del * del;
  }
  return sum;
}
