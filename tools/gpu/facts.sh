# Step: what machine this is.
. "$files/steps/common.sh"
if [ -z "$mock" ]; then
  "$files/bin/facts" "$device" | tee -a "$results" | tee -a "$table"
fi
json kind host processors "$(nproc)" kernel "$(uname -r)" \
  model "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)"
clocks=clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem
nvidia-smi --query-gpu=name,driver_version,$clocks --format=csv 2>/dev/null |
  tee -a "$table"
true
