# Runs one probe in a product box and tidies up after it. Arguments: the folder to work in, the runtime (node, python,
# or any), how many host files of node follow, then names and contents in turn, node's first. Standard input: the
# wrapper's own nonce on the first line, the host's job after it.
#
# The channel is the exec's standard output, kept as descriptor 3; what the product prints goes to standard error. The
# wrapper runs as the probe's own user, the only one who may end the probe's processes when all capabilities are gone.
exec 3>&1 1>&2
umask 022
root=$1 runtime=$2 node_args=$3
shift 3
IFS= read -r nonce

dirty() {
  printf '%s dirty {"what":"%s"}\n' "$nonce" "$1" >&3
  exit 0
}
# Nothing of an earlier probe may be here. `case` on the glob itself: no file name ever gets into the frame.
for place in /tmp /dev/shm /dev/mqueue; do
  for entry in "$place"/* "$place"/.[!.]* "$place"/..?*; do
    if [ -e "$entry" ] || [ -L "$entry" ]; then dirty "$place"; fi
  done
done
for list in /proc/sysvipc/shm /proc/sysvipc/msg /proc/sysvipc/sem; do
  if [ -r "$list" ]; then
    { read -r _ && read -r _; } <"$list" && dirty "$list"
  fi
done

if [ "$runtime" = any ]; then
  if command -v node >/dev/null 2>&1; then runtime=node; else runtime=python; fi
fi
if [ "$runtime" = python ]; then
  shift "$node_args"
  main=main.py program='python3 -I'
else
  main=main.cjs program=node
fi
mkdir -m 0700 "$root" && mkdir "$root/host" "$root/home" "$root/tmp" || exit 1
count=$#
[ "$runtime" = python ] || count=$node_args
while [ "$count" -gt 0 ]; do
  printf '%s' "$2" >"$root/host/$1"
  shift 2
  count=$((count - 2))
done

cd "$root/tmp" || exit 1
# Word splitting of $program is meant. The environment is the host's business: it starts from these and nothing else.
# shellcheck disable=SC2086
env -i PATH="$PATH" HOME="$root/home" TMPDIR="$root/tmp" LANG="${ASSAY_LANG:-C.UTF-8}" LC_CTYPE=C.UTF-8 \
  TZ="${ASSAY_TZ:-UTC}" $program "$root/host/$main"
code=$?

# Everything of this user but this shell, until there is nothing left to end.
tries=0
while kill -9 -1 2>/dev/null && [ "$tries" -lt 50 ]; do tries=$((tries + 1)); done
cd /
rm -rf "$root" /tmp/* /tmp/.[!.]* /tmp/..?* /dev/shm/* /dev/shm/.[!.]* /dev/shm/..?* /dev/mqueue/* 2>/dev/null ||
  {
    chmod -R u+rwx /tmp/* /tmp/.[!.]* /dev/shm/* 2>/dev/null
    rm -rf "$root" /tmp/* /tmp/.[!.]* /tmp/..?* /dev/shm/* /dev/shm/.[!.]* /dev/shm/..?* 2>/dev/null
  }
printf '%s end {"code":%d}\n' "$nonce" "$code" >&3
# 137 is what the engine is asked about: whether memory ran out.
[ "$code" -ne 137 ] || exit 137
