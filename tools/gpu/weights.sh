# Step: weights for ir/machines.def from the times of the forms of increments
# and of reads staged beside them.
#
# A region's time beyond what its ideal bytes take at the rate of the copy is put down
# to its additions: atomic A w, staged L w + A w / m + S, per element, in units of one
# component (8 bytes) moved. Airfoil's fluxes add w = 8 components and m = 3.1 of them
# meet; shallow water's 6 and 2.4 (ir/cost.c). Reads: R r and L r + R k, of r components
# read k if each target is read once: 14 and 4.5, and 12 and 4.2.
. "$files/steps/common.sh"
copy=$(grep '"kind": "facts"' "$results" | field copy_gb_per_s)
us() { # case variant region: microseconds a launch
  grep '"kind": "region"' "$results" | grep "\"case\": \"$1\", \"variant\": \"$2\"" |
    grep "\"region\": \"$3" | head -n 1 |
    sed 's/.*"count": "\{0,1\}\([0-9]*\).*"seconds": "\{0,1\}\([0-9.e-]*\).*/\1 \2/' |
    awk '{ printf "%.2f", $2 / $1 * 1e6 }'
}
unit() { # elements: microseconds in which each moves one component
  awk "BEGIN { print $1 * 8 / (${copy:-0} * 1e3) }"
}
fit() { # case region elements w meet r k
  a=$(us "$1" atomic "$2") s=$(us "$1" staged "$2") c=$(us "$1" colour "$2")
  l=$(us "$1" reads "$2")
  [ -n "$a" ] && [ -n "$s" ] || return 0
  awk -v a="$a" -v s="$s" -v c="${c:-0}" -v u="$(unit "$3")" -v w="$4" -v m="$5" \
    -v l="${l:-0}" -v r="$6" -v k="$7" \
    -v name="$1 $2" 'BEGIN {
      if (u <= 0) exit
      printf "%s: atomic %.1f us, staged %.1f us, colours %.1f us; ", name, a, s, c
      printf "in units of a component: atomic %.1f, staged %.1f; ", a / u, s / u
      printf "staged - atomic %.2f = L %g + A %g / %g + S - A %g\n", (s - a) / u, w, w, m, w
      if (l) printf "%s: reads %.1f us; reads - staged %.2f = L %g + R %g - R %g\n", name, l, (l - s) / u, r, k, r
    }' | tee -a "$table"
}
[ -n "${copy%0.0}" ] || exit 0
grep -q '"case": "airfoil-720k"' "$results" || exit 0 # small meshes tell nothing
for n in 720 2880; do
  fit "airfoil-${n}k" res_calc $((n * 2000)) 8 3.1 14 4.5
done
fit shallow edge_flux 2880000 6 2.4 12 4.2
