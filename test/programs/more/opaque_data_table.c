struct table {
  int n;
  double v[];
};
extern struct table table;
struct table table = {4, {1, 2, 3, 4}};
