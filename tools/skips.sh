# What is skipped because of its target, by name, with the reason: one table for all
# suites, which source this. Nothing else is skipped on a device.
#
#   skip_reason NAME [VARIABLES]  why NAME is not run with these variables besides the
#                                 environment's; nothing: it is
#   skips NAME [VARIABLES]        is it skipped? Then it is noted in the file $skipped_to
#   skips_say                     one line "skipped: ..." of all that were
#   skips_count                   how many; each name counts once

# suite, program or executable (a pattern; the first that fits) | reason; none: it runs
skips_table() {
  cat <<TABLE
big_dat_opaque       |
kernel_source_opaque |
read_foreign_opaque  |
wrong_files_opaque   |
*_opaque             | kernels without IR
*_clang              | kernels without IR
random-opaque        | kernels without IR
random-mixed         | kernels without IR
effects              | a kernel does I/O
large                | elements too large for private memory, arrays of variable length
rounding             | a device rounds to nearest
noargs               | a kernel writes a global of the program
int128               | a device has no integers of 128 bits
own_functions        | kernels without IR: who defines a function decides the linker
promised             | kernels call through a pointer
opaque_data          | kernels use the program's own memory and labels
gbl_overlap          | globals that overlap in memory
TABLE
}

skip_reason() {
  skip_words=" OP2_TARGET=${OP2_TARGET-} ${2-} "
  case $skip_words in *OP2_OFFLOAD_FALLBACK=host*) return ;; esac
  skip_words=${skip_words##* OP2_TARGET=}
  case $skip_words in opencl* | cuda*) ;; *) return ;; esac
  skips_table | while read -r skip_pattern skip_bar skip_why; do
    # shellcheck disable=SC2254
    case $1 in
    $skip_pattern)
      [ -z "$skip_why" ] || echo "$skip_why"
      break
      ;;
    esac
  done
}

skips() {
  skip_why=$(skip_reason "$@")
  [ -n "$skip_why" ] && echo "$1: $skip_why" >>"$skipped_to"
}

skips_say() {
  [ ! -s "$skipped_to" ] ||
    echo "skipped: on a device: $(sort -u "$skipped_to" | paste -sd ';' | sed 's/;/; /g')"
}

skips_count() {
  sort -u "$skipped_to" 2>/dev/null | wc -l
}

# The modes in which test programs run on a device, one a line: name|variables. The one
# that falls back to the host is for programs that need it.
#   device_modes cuda|opencl NAME
device_modes() {
  echo "$1|OP2_TARGET=$1|"
  echo "$1-eager|OP2_TARGET=$1 OP2_EAGER=1|"
  echo "$1-colours|OP2_TARGET=$1 OP2_THREADING=colours|"
  echo "$1-staged|OP2_TARGET=$1 OP2_INCREMENTS=staged OP2_CHECK=1|"
  echo "$1-gather|OP2_TARGET=$1 OP2_GATHER=always OP2_CHECK=1|"
  echo "$1-reads|OP2_TARGET=$1 OP2_INCREMENTS=staged OP2_READS=staged OP2_CHECK=1|"
  echo "$1-soa|OP2_TARGET=$1 OP2_LAYOUT=soa OP2_CHECK=1 OP2_IR_STRESS=1|"
  [ -z "$(skip_reason "$2" "OP2_TARGET=$1")" ] ||
    echo "$1-fallback|OP2_TARGET=$1 OP2_OFFLOAD_FALLBACK=host|"
}
