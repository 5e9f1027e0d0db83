/* A loop of 64 arguments: 62 dats, an index and a sum. */
#include "check.h"

enum { N = 33, DATS = 62 };

#define D(i) op_arg_dat(d[i], -1, OP_ID, 1, "int", (i) % 2 ? OP_RW : OP_READ)
#define SIX(i) D(i), D(i + 1), D(i + 2), D(i + 3), D(i + 4), D(i + 5)
#define P(i) int *p##i

static void
mix(P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), P(8), P(9), P(10), P(11),
    P(12), P(13), P(14), P(15), P(16), P(17), P(18), P(19), P(20), P(21), P(22),
    P(23), P(24), P(25), P(26), P(27), P(28), P(29), P(30), P(31), P(32), P(33),
    P(34), P(35), P(36), P(37), P(38), P(39), P(40), P(41), P(42), P(43), P(44),
    P(45), P(46), P(47), P(48), P(49), P(50), P(51), P(52), P(53), P(54), P(55),
    P(56), P(57), P(58), P(59), P(60), P(61), const int *e, int *sum) {
  int *p[DATS] = {p0,  p1,  p2,  p3,  p4,  p5,  p6,  p7,  p8,  p9,  p10,
                  p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21,
                  p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32,
                  p33, p34, p35, p36, p37, p38, p39, p40, p41, p42, p43,
                  p44, p45, p46, p47, p48, p49, p50, p51, p52, p53, p54,
                  p55, p56, p57, p58, p59, p60, p61};
  for (int i = 1; i < DATS; i += 2) *p[i] += *p[i - 1] + *e;
  for (int i = 0; i < DATS; i++) *sum += *p[i];
}

int
main(int argc, char **argv) {
  op_dat d[DATS];
  int v[DATS][N], out[N], sum = 0, want = 0;
  char name[16];
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  for (int i = 0; i < DATS; i++) {
    for (int e = 0; e < N; e++) v[i][e] = i * N + e;
    sprintf(name, "d%d", i);
    d[i] = op_decl_dat(s, 1, "int", v[i], name);
  }
  op_par_loop(mix, "mix", s, SIX(0), SIX(6), SIX(12), SIX(18), SIX(24), SIX(30),
              SIX(36), SIX(42), SIX(48), SIX(54), D(60), D(61),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&sum, 1, "int", OP_INC));
  for (int i = 0; i < DATS; i++)
    for (int e = 0; e < N; e++) {
      if (i % 2) v[i][e] += v[i - 1][e] + e;
      want += v[i][e];
    }
  CHECK_INT(sum, want);
  for (int i = 0; i < DATS; i++) {
    op_fetch_data(d[i], out);
    CHECK_INTS(out, v[i], N);
  }
  return check_end();
}
