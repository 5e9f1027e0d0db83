/* What the mock CUDA driver tells a test, which finds it by dlsym. */
#ifndef TEST_MOCK_LIBCUDA_H
#define TEST_MOCK_LIBCUDA_H

struct mock_cuda {
  int devices, major; /* to be set: how many, their architecture */
  int fail_init, fail_alloc, fail_launch, fail_down;
  int fail_at;           /* this launch, counted from 1 */
  int fail_graph;        /* graphs are refused */
  const char *refuse[2]; /* code that holds these texts; NULL: none */
  int up, retained, streams, mems, pinned, modules, launches; /* now there */
  int graphs, execs, events;
  char broken[128]; /* the first rule that a call broke; "" */
  char log[8192];   /* "init retain0 stream1 alloc64 up64 ..." */
  char
      args[65536]; /* of launches and copies, in hexadecimal: "(12 abc)(...)" */
};

#endif
