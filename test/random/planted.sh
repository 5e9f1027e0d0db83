#!/bin/bash
# Does the tester find errors? Each row below is an error planted into the library:
# one file changed by a sed command, compiled, linked to the other objects of BUILD,
# and the random programs run against that until they fail:
#   test/random/planted.sh BUILD [SECONDS [name ...]]
# JOBS processes at once (default: processors). Prints for each the number of plays until it was found and the lines of the shrunk
# program. Ends with "N passed, N failed"; a plant that is not found, or a program
# that doesn't shrink to 40 lines, has failed.
set -u
build=$(cd "${1:?usage: planted.sh BUILD [SECONDS [name ...]]}" && pwd) || exit 2
limit=${2:-60}
shift $(($# > 2 ? 2 : $#))
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
[ -n "${PLANTED_WORK-}" ] && work=$PLANTED_WORK || trap 'rm -rf "$work"' EXIT

plants() {
  cat <<'TABLE'
fuse-indirect|passes/fuse.c|s/^         ir_arg_direct(b);/         (ir_arg_direct(b) || 1);/
fuse-barrier|passes/fuse.c|s/if (last.y..unit <= unit ||/if (1 ||/
storage-in-place|passes/storage.c|s/if (x->last > s->unit_of.n.) return false;//
storage-element|passes/storage.c|s/return !other || !moves;/return true;/
storage-homes|passes/storage.c|s/!x->dead || x->homes ||/!x->dead ||/
dce-partial|passes/dce.c|s/if (ir_arg_has_value(a) && a->in != IR_NONE) wanted/if (ir_arg_has_value(a) \&\& a->in != IR_NONE \&\& a->out == IR_NONE) wanted/
slice-readers|passes/slice.c|s/if (args.a..out != IR_NONE)$/if (0)/
partial-write|frontend/call.c|s/!(full && !fa->map))/0)/
not-only-added|frontend/call.c|s/if (fa->ir.access == ACC_INC && !adds) fa/if (0) fa/
constant-stays|frontend/consts.c|s/c->varies_from == UINT32_MAX && memcmp/0 \&\& memcmp/
state-key|frontend/flush.c|s/rq.want, index, fe.state_id/rq.want, index, 0/
mirror-late|frontend/record.c|s/if (st == OK) st = loop_read_mirrors(c);//
flag-forgotten|frontend/call.c|s/k->opt != a->opt ||//
map-forgotten|frontend/call.c|s/k->dat != a->dat || k->map != a->map/k->dat != a->dat/
no-colours|lower/args_dat.c|s/if (a->map != IR_NONE && x.w != IR_NONE) low_conflict_add(g, a);//
border|rt/parts.c|s/a]] == SEVERAL)/a]] == SEVERAL \&\& a == lo)/
injective|lower/args_dat.c|s/!(g->m->t->maps.map..flags & IR_MAP_INJECTIVE))/0)/
staged|lower/args_dat.c|s/if (low_is_staged(x.touch)) return low_staged_slot(g, &x);//
key-dim|lower/region_key.c|s/b->type.size, b->dim,/b->type.size, 0,/
key-entry|lower/region_key.c|s/s->map, s->entry, s->call/s->map, 0, s->call/
layout|lower/llvm/region_slots.c|s/low_mul(em, outer, dim . block)/low_mul(em, outer, block)/
copy-part|lower/llvm/facts_copy.c|s/o->full == o->extent/1/
payload-fused|passes/fuse.c|s/return !info || a->kind != IR_ARG_GBL || a->access == ACC_READ;/return true;/
pinned-renamed|passes/rename.c|s/if ((from->flags | to->flags) & IR_DAT_PINNED)/if (0)/
mirror-stays|rt/store.c|s/^  d->mirror_current = false;//
deliver-order|frontend/program.c|/^deliver_raws/,/^}/s/for (.*) {/for (uint32_t i = p->low.program->nglobals; i-- > 0;) {/
set-at-once|frontend/api_gbl.c|s/} else if (g->pending) {/} else if (0) {/
free-at-once|frontend/api_decl.c|s/  if (d->pending_readers)$/  if (0)/
effects-wait|frontend/call.c|s/c->immediate = k->effects ||/c->immediate =/
constant-place|frontend/consts.c|s/if (k->consts.j..varies_from <= epoch)/if (k->consts[j].varies_from < epoch)/
minimum|lower/llvm/region_slots.c|s/max ? LLVMIntUGT : LLVMIntULT/max ? LLVMIntSGT : LLVMIntSLT/
TABLE
}

# The library with one file changed, and the module beside it, in $work/NAME
link_planted() {
  local name=$1 file=$2 change=$3 dir=$work/$1 object objects=op2objects
  local library=libop2lazy.so out=libop2lazy.so.0
  case $file in
  lower/llvm/*) objects=op2llvm library=libop2lazy-llvm.so out=$library ;;
  esac
  rm -rf "$dir" && mkdir -p "$dir"
  ln -s "$build/libop2lazy.so.0" "$build/libop2lazy-llvm.so" "$dir"
  rm "$dir/$out"
  sed "$change" "$file" >"$dir/$(basename "$file")"
  cmp -s "$file" "$dir/$(basename "$file")" && return 1
  object=CMakeFiles/$objects.dir/$file.o
  ninja -C "$build" -t commands "$library" | grep -- "-c .*/$file\$" |
    sed "s|-o $object|-o $dir/planted.o|; s|-c .*/$file\$|-c $dir/$(basename "$file")|; s|-Wall||" \
      >"$dir/commands"
  ninja -C "$build" -t commands "$library" | grep -- '-shared' |
    sed "s|$object|$dir/planted.o|; s|-o libop2lazy[^ ]*|-o $dir/$out|" \
      >>"$dir/commands"
  (cd "$build" && sh -e "$dir/commands") >"$dir/log" 2>&1
}

plant() {
  local name=$1 dir=$work/$1 plays lines
  link_planted "$@" || { echo "FAIL $name: cannot be planted"; return; }
  (cd "$dir" && LD_LIBRARY_PATH=$dir "$build/test/random/random_programs" \
    --time "$limit" --failures 1 --shrink 60 \
    --jobs "${JOBS:-$(nproc)}") >"$dir/out" 2>&1
  plays=$(sed -n 's/.*programs, \([0-9]*\) plays.*/\1/p' "$dir/out")
  if ! grep -q '^FAIL' "$dir/out"; then
    echo "FAIL $name: not found in $plays plays"
    return
  fi
  lines=$(cat "$dir"/random_*.c 2>/dev/null | grep -vc '^$\|^#include\|^ *[/]\*\|^ \*')
  cp "$dir"/random_*.c "${PLANTED_KEEP:-$dir}/$name.c" 2>/dev/null
  echo "pass $name: found after $plays plays," \
    "$(sed -n 's/^FAIL .*\(mode [^ ]*\).*/\1/p' "$dir/out" | head -n 1)," \
    "program of $lines lines"
}

ninja -C "$build" libop2lazy.so libop2lazy-llvm.so >/dev/null || exit 2
plants | while IFS='|' read -r name file change; do
  # the change may contain bars: read gave them all to the last name
  case " $* " in *" $name "* | "  ") plant "$name" "$file" "$change" ;; esac
done | tee "$work/results"
passed=$(grep -c '^pass' "$work/results")
failed=$(grep -c '^FAIL' "$work/results")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
