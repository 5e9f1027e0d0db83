#!/bin/bash
# Meshes from Gmsh's files, pictures for viewers: test/fields/run.sh BUILD
# What op2_write_vtk wrote is looked at by HDF5 alone and, where they are installed, by
# VTK's own readers; what op2-mesh wrote by a program that reads it as OP2 does.
set -u
build=$(cd "${1:?usage: run.sh BUILD}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
. tools/sanitizers.sh
. tools/skips.sh
here=$PWD/test/fields
bin=$build/test/fields
if [ ! -e "$build/libop2lazy-hdf5.so" ]; then
  echo "skipped: HDF5: built without it (libhdf5-dev)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
skipped_to=$work/skipped
export OP2_CACHE_DIR=${OP2_CACHE_DIR-$build/cache} OP2_LOG=0
passed=0 failed=0 skipped=0

# check WHAT COMMAND...: the command must succeed
check() {
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
    [ -n "${VERBOSE-}" ] && tail -n 1 "$work/log"
  else
    failed=$((failed + 1))
    echo "FAIL $what: $(tail -n 3 "$work/log" | tr '\n' ' ' | cut -c1-600)"
  fi
}
skip() {
  echo "skipped: $1"
  skipped=$((skipped + 1))
}

# ---- pictures --------------------------------------------------------------------

# pictures FOLDER PROGRAM ARGUMENT...: in that folder, made anew; it must say ok
pictures() {
  rm -rf "${work:?}/$1" && mkdir "$work/$1" && cd "$work/$1" || return
  timeout 120 "$bin/$2" "${@:3}" >out 2>&1
  local rc=$?
  cat out
  [ $rc = 0 ] && tail -n 1 out | grep -q '^ok'
}
looked_at() {
  (cd "$work/$1" && "$bin/check_pictures")
}
# like FOLDER: its files hold what those of `one` hold
like() {
  local name
  for name in quads tets; do
    cmp "$work/one/$name.xdmf" "$work/$1/$name.xdmf" || return
    ! command -v h5diff >/dev/null ||
      h5diff -v "$work/one/$name.vtkhdf" "$work/$1/$name.vtkhdf" || return
  done
}
modes() {
  echo "default|OMP_NUM_THREADS=2"
  echo "eager|OMP_NUM_THREADS=1 OP2_EAGER=1"
  echo "rcm|OMP_NUM_THREADS=2 OP2_RENUMBER=rcm"
  echo "soa|OMP_NUM_THREADS=2 OP2_LAYOUT=soa OP2_CHECK=1"
}

check "written" pictures one pictures_opaque write
check "written: layout" looked_at one
skips pictures_opaque || check "wrong, opaque" pictures wrong pictures_opaque wrong
if [ -x "$bin/pictures" ]; then
  while IFS='|' read -r mode vars; do
    # shellcheck disable=SC2086
    check "written, $mode" eval "(export $vars; pictures many pictures write)"
    check "written, $mode: layout" looked_at many
    check "written, $mode: like those of no compiler" like many
  done < <(modes)
  check "wrong" pictures wrong pictures wrong
fi

# seen READER: by VTK; OP2_VTK_PYTHON names a Python that has it
seen() {
  cd "$work/one" && "$python" "$here/pictures.py" "$1"
}
for reader in hdf xdmf xdmf3; do
  for python in ${OP2_VTK_PYTHON-} python3 /usr/bin/python3; do
    (seen $reader >"$work/log" 2>&1)
    rc=$?
    [ $rc = 77 ] || break
  done
  if [ $rc = 77 ]; then
    skip "pictures as VTK reads them from $reader: $(tail -n 1 "$work/log")"
  else
    check "pictures as VTK reads them from $reader" eval "(seen $reader)"
  fi
done

# ---- ranks -----------------------------------------------------------------------

# on RANKS FILES FOLDER ARGUMENT...: each rank must say ok
on() {
  rm -rf "${work:?}/$3" && mkdir "$work/$3" && cd "$work/$3" || return
  OP2_FILES=$2 mpirun.openmpi --oversubscribe -n "$1" "$bin/$ranked" "${@:4}" >out 2>&1
  local rc=$?
  cat out
  [ $rc = 0 ] && [ "$(grep -c '^ok' out)" = "$1" ]
}
ranked=pictures
[ -x "$bin/pictures" ] || ranked=pictures_opaque
if [ ! -e "$build/libop2lazy-openmpi.so" ] || ! command -v mpirun.openmpi >/dev/null; then
  skip "pictures of several ranks: no Open MPI"
else
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
  export OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1 OP2_WAIT=nap
  export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" # Open MPI's are many
  ways=root
  if [ -e "$build/libop2lazy-hdf5-openmpi.so" ]; then
    ways="root auto"
  else
    skip "MPI-IO: no HDF5 for Open MPI (libhdf5-openmpi-dev)"
  fi
  for way in $ways; do
    for words in "write" "write moved"; do
      # shellcheck disable=SC2086
      check "$words on 3 ($way)" eval "(on 3 $way three $words)"
      check "$words on 3 ($way): layout" looked_at three
      check "$words on 3 ($way): as on one" like three
    done
    check "wrong on 2 ($way)" eval "(on 2 $way two wrong)"
  done
fi

# ---- meshes ----------------------------------------------------------------------

# converted KIND FILE: by op2-mesh; a program finds in it what it should
converted() {
  local normals=--normals
  [ "$1" = surface ] && normals=
  rm -f mesh.h5
  # shellcheck disable=SC2086
  "$build/op2-mesh" $normals "$2" mesh.h5 && "$bin/$reads" "$1" mesh.h5
}
# As text of both versions, and as binary; the same file comes of both texts
meshes() {
  local kind=$1 version
  for version in 2 4; do
    "$bin/make_mesh" "$kind" $version "$kind.msh" && converted "$kind" "$kind.msh" &&
      mv mesh.h5 "$kind-$version.h5" || return
  done
  for version in 2.2 4.1; do
    "$bin/binary_mesh" "$kind.msh" $version binary.msh &&
      ! cmp -s "$kind.msh" binary.msh && converted "$kind" binary.msh || return
  done
  ! command -v h5diff >/dev/null || h5diff -v "$kind-2.h5" "$kind-4.h5"
}
# says WORDS FILE [OUT]: op2-mesh refuses the file, in these words, and leaves none
says() {
  rm -f wrong.h5
  "$build/op2-mesh" "${@:4}" "$2" "${3-wrong.h5}" >said 2>&1 && return 1
  cat said
  grep -qF -- "$1" said && [ ! -e wrong.h5 ]
}
made_wrong() {
  "$bin/make_mesh" "$1" 4 "$1.msh" && says "\"$1.msh\": $2" "$1.msh"
}
cut_short() {
  "$bin/make_mesh" tets "$1" whole.msh &&
    head -c $(($(wc -c <whole.msh) * $2 / 100)) whole.msh >cut.msh &&
    says 'op2-mesh: "cut.msh": ' cut.msh
}
tells() { # what is in the file
  "$build/op2-mesh" quads.msh mesh.h5 >said && cat said &&
    grep -qx '  set  cells                  30' said &&
    grep -qx '  map  cell_nodes             cells -> nodes, 4' said &&
    grep -qx '  tag  1                      "left side", 5 edges' said &&
    "$build/op2-mesh" --help | grep -q '^usage: op2-mesh' &&
    ! "$build/op2-mesh" --norm quads.msh mesh.h5
}

if [ ! -x "$build/op2-mesh" ]; then
  skip "op2-mesh: built without Gmsh's library (libgmsh-dev)"
else
  mkdir "$work/meshes" && cd "$work/meshes" || exit 2
  leaks=${ASAN_OPTIONS-}
  export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" # Gmsh's and its libraries'
  for kind in triangles turned quads hole mixed surface tets hexes pyramids wedges; do
    for reads in read_mesh read_mesh_opaque; do
      [ -x "$bin/$reads" ] && ! skips $reads || continue
      check "mesh of $kind, $reads" meshes $kind
    done
  done
  check "what op2-mesh tells" tells
  check "wrong: three cells" made_wrong thrice "a side of nodes 0 1"
  check "wrong: a node twice" made_wrong twice "a side of nodes 0 1"
  check "wrong: second order" made_wrong second '"Triangle 6": expected linear'
  check "wrong: no node" made_wrong missing 'Gmsh: '
  check "wrong: no cells" made_wrong lines 'expected cells of two or three dimensions'
  for part in 1 20 50 90; do
    check "wrong: $part % of version 2" cut_short 2 $part
    check "wrong: $part % of version 4" cut_short 4 $part
  done
  check "wrong: no file" says '"none.msh": cannot be read' none.msh
  echo 'Mesh 2;' >script.msh
  check "wrong: a script" says '"script.msh": expected a Gmsh mesh' script.msh
  check "wrong: no mesh's name" says '"mesh.h5": expected the name of a Gmsh mesh' mesh.h5
  check "wrong: no place" says '"/nowhere/a.h5.part": cannot be written' quads.msh /nowhere/a.h5
  check "wrong: normals of a surface" says \
    '--normals: expected a mesh in the plane z = 0' surface.msh wrong.h5 --normals
  export ASAN_OPTIONS=$leaks
fi

# ---- without HDF5 ----------------------------------------------------------------

# A library without the part with HDF5 says what it looked for.
mkdir "$work/bare" && cp -L "$build"/libop2lazy.so.0 "$build"/libop2lazy-llvm.so "$work/bare"
no_hdf5() {
  mkdir -p "$work/none" && cd "$work/none" || return
  LD_LIBRARY_PATH=$work/bare "$bin/pictures_opaque" write 2>&1 | tee "$work/said"
  grep -q 'op2_write_vtk "quads.vtkhdf": HDF5 is not there: looked for libop2lazy-hdf5.so' \
    "$work/said" && [ ! -e quads.xdmf ]
}
check "without HDF5" eval "(no_hdf5)"

skips_say
echo "$passed passed, $failed failed, $((skipped + $(skips_count))) skipped"
[ $failed = 0 ]
