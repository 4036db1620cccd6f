# Runs probes in a product box, one after the other, each in a fresh process, and tidies up after each.
# Arguments: the folder to work in, the program that opens terminals, a further folder like /tmp or nothing, then host
# files as name and content in turn (`node/main.cjs` …). Standard input: a nonce, then for each probe a line `nonce bytes runtime zone locale ahead version`,
# followed by that many bytes of job for its host. `ahead` shifts the clock of the product, in seconds; `version` is `own`
# or the name of another Node.js. Standard output is the channel, descriptor 3; what the product prints goes nowhere.
#
# It runs as the same user as the product: with all capabilities gone, nobody else may end the product's processes. So
# it was started from a copy of the shell that its user may execute but not read. The kernel lets nobody attach to such
# a process or look into its memory, environment and descriptors; where that did not work, it says so (`guarded`) and takes
# one job only. The product can still end or stop it, which shows from outside. Descriptor 0 holds no job but the present one: the next is
# sent when this one is over.
exec 3>&1 1>&2
umask 022
root=$1 terminal=$2 places="/tmp /dev/shm /dev/mqueue $3"
shift 3
IFS=' ' read -r session
rm -rf /tmp/sh
guarded=true
# Where the kernel shows this process to its user all the same (gVisor does), another process tries what would do harm: to
# open its memory, and to write to its input. A line that gets through is taken out again.
if [ -O "/proc/$$/environ" ]; then
  if sh -c ': <"$0"' "/proc/$$/mem" 2>/dev/null; then guarded=false; fi
  if sh -c 'echo >"$0"' "/proc/$$/fd/0" 2>/dev/null; then guarded=false && read -r _; fi
fi

# What a product could leave behind in this shell for later probes: limits, priority, processors.
traits() {
  ulimit -Sa
  ulimit -Ha
  IFS= read -r stat <"/proc/$$/stat"
  set -f
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  echo "${16} ${17} ${38} ${39}"
  while read -r key value; do
    case $key in Cpus_allowed: | Mems_allowed: | NoNewPrivs: | Seccomp:) echo "$key $value" ;; esac
  done <"/proc/$$/status"
}
# Only names of ours get into a frame: `$1` is the place, never what was found there.
holds() {
  for entry in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    if [ -e "$entry" ] || [ -L "$entry" ]; then return 0; fi
  done
  return 1
}
# The first place that holds something. Splitting $places is meant here and below.
held() {
  # shellcheck disable=SC2086
  for place in $places; do
    if holds "$place"; then echo "$place" && return; fi
  done
  return 1
}
left() {
  held && return
  for list in /proc/sysvipc/shm /proc/sysvipc/msg /proc/sysvipc/sem; do
    if [ -r "$list" ] && { read -r _ && read -r _; } <"$list"; then echo "$list" && return; fi
  done
  [ "$before" = "$(traits)" ] || echo limits
}
# Whether a process of this user is there besides this shell. The dead that wait for their parent do not count.
others() {
  for process in /proc/[0-9]*; do
    if [ "$process" != "/proc/$$" ] && [ -O "$process" ] && read -r stat <"$process/stat"; then
      stat=${stat##*) }
      [ "${stat%% *}" = Z ] || return 0
    fi
  done 2>/dev/null
  return 1
}
# What the image has for surroundings that are not plain.
library=/usr/local/lib/libclock.so
shifts=false preload=
if [ -r "$library" ]; then
  shifts=true
  # Of an image that does not have it in every program. Then it is in all products, shifted or not.
  grep -qxF "$library" /etc/ld.so.preload 2>/dev/null || preload="LD_PRELOAD=$library"
fi
versions=
for at in /usr/local/lib/node-[0-9][0-9]; do
  [ ! -x "$at/bin/node" ] || versions="$versions ${at##*/}"
done
terminals=false
if perl -e "$terminal" try </dev/null 3>&-; then terminals=true; fi
before=$(traits)
printf '%s ready {"guarded":%s,"left":"%s","clock":%s,"runtimes":"%s","terminals":%s}\n' \
  "$session" "$guarded" "$(left)" "$shifts" "${versions# }" "$terminals" >&3

while IFS=' ' read -r nonce bytes runtime zone locale ahead version; do
  if [ "$runtime" = any ]; then
    if command -v node >/dev/null 2>&1; then runtime=node; else runtime=python; fi
  fi
  if [ "$runtime" = python ]; then program='python3 -I' main=main.py; else program=node main=main.cjs; fi
  mkdir -m 0700 "$root" && mkdir "$root/host" "$root/home" "$root/tmp" || exit 1
  name=
  for part in "$@"; do
    if [ -z "$name" ]; then
      name=$part
    else
      case $name in "$runtime"/*) printf '%s' "$part" >"$root/host/${name#*/}" ;; esac
      name=
    fi
  done
  printf '%s' "$terminal" >"$root/terminal.pl"
  cd "$root/tmp" || exit 1
  path=$PATH clock=$preload
  [ "$version" = own ] || path=/usr/local/lib/$version/bin:$PATH
  # Splitting $clock and $program is meant. The environment starts from these and nothing else (D8).
  # shellcheck disable=SC2086
  (
    # How far it is ahead is in a limit that nothing uses, and only where there is none (gVisor) in a variable.
    [ "$ahead" = 0 ] || ulimit -S -w "$ahead" 2>/dev/null || clock="$clock CLOCK_AHEAD_S=$ahead"
    exec env -i PATH="$path" HOME="$root/home" TMPDIR="$root/tmp" LANG="$locale" LC_CTYPE=C.UTF-8 TZ="$zone" \
      $clock $program "$root/host/$main" "$bytes"
  )
  code=$?

  # Everything of this user but this shell (D12), until there is nothing left to end: one may be born between two looks.
  tries=0 alive=
  kill -9 -1 2>/dev/null
  while others; do
    kill -9 -1 2>/dev/null
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || sleep 0.01
    if [ "$tries" -ge 400 ]; then alive=process && break; fi
  done
  cd /
  rm -rf "$root"
  if held >/dev/null; then
    # shellcheck disable=SC2086
    for place in $places; do
      # A folder may be closed even to its owner: open it and try again.
      for entry in "$place"/* "$place"/.[!.]* "$place"/..?*; do
        rm -rf "$entry" 2>/dev/null || { chmod -R u+rwx "$entry" && rm -rf "$entry"; } 2>/dev/null
      done
    done
  fi
  printf '%s end {"code":%d,"left":"%s"}\n' "$nonce" "$code" "${alive:-$(left)}" >&3
  # What a product may have written to the input is not read.
  "$guarded" || exit 0
done
