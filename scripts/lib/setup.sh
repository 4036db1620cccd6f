# Set-up for scripts/demo and scripts/test: Node 24, dependencies, a container engine. Sourced by bash, with `set -eu`.
# Safe to run again at any time, beside itself, and after an interruption: what is finished is recorded last.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${HOME:=$(cd ~ && pwd)}"
export HOME
STATE=${ASSAY_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/assay}
LOGS=$STATE/logs
STAMP=$ROOT/node_modules/.assay-setup
EXIT_INFRASTRUCTURE=4
# Pid of the dockerd that this very process tree started, if it did.
ENGINE_STARTED=

say() { printf 'set-up: %s\n' "$*" >&2; }

stop_with() {
  printf 'set-up: %s\n' "$@" >&2
  exit "$EXIT_INFRASTRUCTURE"
}

# Runs a command quietly; where it fails, the end of its log is shown. quietly NAME COMMAND...
quietly() {
  local log=$LOGS/$1.log
  shift
  # Not with the lock: what a package starts would hold it for ever.
  "$@" >"$log" 2>&1 </dev/null 9>&- && return
  tail -n 25 "$log" >&2
  printf 'set-up: failed: %s (log: %s)\n' "$*" "$log" >&2
  return 1
}

is_root_with_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

apt_install() {
  # Without a flush after each of npm's 400 packages, which took two minutes; dpkg still flushes its own records.
  local install=(apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300
    -o Dpkg::Options::=--force-unsafe-io)
  export DEBIAN_FRONTEND=noninteractive
  quietly "apt-$1" "${install[@]}" "$@" 2>/dev/null && return
  # No package lists yet, or lists too old.
  quietly apt-update apt-get update -q && quietly "apt-$1" "${install[@]}" "$@"
}

# Some Node and npm, of whatever age: they fetch the Node that everything then runs on.
ensure_npm() {
  command -v node >/dev/null && command -v npm >/dev/null && return
  is_root_with_apt || stop_with 'Node.js and npm are missing. Install Node.js 18 or newer, then run this again.'
  say 'installing npm'
  apt_install npm || stop_with 'npm could not be installed. Install Node.js 18 or newer, then run this again.'
}

wanted_stamp() {
  { uname -sm && cat "$ROOT/package-lock.json" "$ROOT/images/lock.json"; } | cksum
}

dependencies_in_step() {
  [ "$(cat "$STAMP" 2>/dev/null)" = "$(wanted_stamp)" ] && "$ROOT/node_modules/.bin/node" --version >/dev/null 2>&1
}

# node_modules as the lockfile has it. `npm ci` deletes the folder first and the stamp is written last, so an
# interrupted installation has no stamp and is done again.
ensure_dependencies() {
  if dependencies_in_step; then return; fi
  say 'installing dependencies'
  rm -f "$STAMP" 2>/dev/null || true
  # No dependency needs an install script but `node`, whose script only fetches its binary: the next line does.
  quietly npm-ci npm --prefix "$ROOT" ci --ignore-scripts --no-audit --no-fund --no-update-notifier || return 1
  quietly node node "$ROOT/scripts/lib/install-node.mjs" || return 1
  wanted_stamp >"$STAMP"
}

engine_answers() { node "$ROOT/scripts/lib/ping-engine.mjs" >"$LOGS/ping.log" 2>&1; }

# Where no registry answers, the base image is made from Debian's packages. Assay itself installs nothing on a host.
ensure_base_maker() {
  is_root_with_apt || return 0
  if command -v mmdebstrap >/dev/null && [ -e /usr/share/keyrings/debian-archive-keyring.gpg ]; then return; fi
  say 'installing mmdebstrap'
  apt_install mmdebstrap debian-archive-keyring ||
    say 'mmdebstrap could not be installed: images can then only come from a registry'
}

# Where no engine answers: starts one, installing it first where there is none.
ensure_engine() {
  if engine_answers; then
    ensure_base_maker
    return
  fi
  local reason
  reason=$(tail -n 1 "$LOGS/ping.log")
  [ -z "${DOCKER_HOST:-}" ] || stop_with "no container engine answers at DOCKER_HOST=$DOCKER_HOST: $reason"
  is_root_with_apt || stop_with "no container engine answers: $reason" \
    'Install and start Docker Engine (20.10 or newer) or Docker Desktop, or set DOCKER_HOST to the socket of' \
    'another engine, such as Podman; see that your user may use it. Then run this again.'
  if ! command -v dockerd >/dev/null || ! command -v iptables >/dev/null || ! command -v mmdebstrap >/dev/null; then
    say 'installing the container engine'
    apt_install docker.io iptables mmdebstrap debian-archive-keyring ||
      stop_with 'the container engine could not be installed: apt-get install docker.io iptables failed'
  fi
  start_engine
}

start_engine() {
  say 'starting the container engine'
  if [ -d /run/systemd/system ]; then
    systemctl start docker >>"$LOGS/dockerd.log" 2>&1 || true
    if wait_for_engine 20; then return; fi
  elif is_running dockerd && wait_for_engine 30; then
    # It was on its way up: the package's own start script, or another set-up.
    return
  fi
  forget_dead_engine
  setsid dockerd >>"$LOGS/dockerd.log" 2>&1 </dev/null 9>&- &
  ENGINE_STARTED=$!
  if wait_for_engine 60; then return; fi
  tail -n 25 "$LOGS/dockerd.log" >&2
  stop_with "the container engine does not start (log: $LOGS/dockerd.log)"
}

# wait_for_engine SECONDS
wait_for_engine() {
  local deadline=$((SECONDS + $1))
  while ! engine_answers; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.2
  done
}

# Whether a program of that name runs, without procps.
is_running() { grep -qsx "$1" /proc/[0-9]*/comm; }

# Pid files of an engine that was killed: its pid may belong to another program by now, and dockerd would believe it.
forget_dead_engine() {
  local file program pid
  for file in /var/run/docker.pid:dockerd /var/run/docker/containerd/containerd.pid:containerd; do
    program=${file#*:}
    file=${file%%:*}
    [ -f "$file" ] || continue
    pid=$(cat "$file" 2>/dev/null || true)
    [ "$(cat "/proc/${pid:-none}/comm" 2>/dev/null)" = "$program" ] || rm -f "$file"
  done
  is_running dockerd || rm -f /var/run/docker.sock
}

# Ends the engine, if this very run started it.
stop_started_engine() {
  [ -n "$ENGINE_STARTED" ] || return 0
  kill "$ENGINE_STARTED" 2>/dev/null || return 0
  local tries=150
  while kill -0 "$ENGINE_STARTED" 2>/dev/null && [ "$tries" -gt 0 ]; do
    tries=$((tries - 1))
    sleep 0.1
  done
  ENGINE_STARTED=
}

# Dependencies and engine at the same time; both take most of their time waiting. The engine is set up in the
# background, where Ctrl-C does not break off apt in the middle of a package; the lock makes the next call wait for it.
setup() {
  mkdir -p "$LOGS"
  if command -v flock >/dev/null; then
    exec 9>"$STATE/setup.lock"
    flock 9
  fi
  ensure_npm
  local started=$STATE/engine-started.$$
  { ensure_engine && printf '%s' "$ENGINE_STARTED" >"$started"; } &
  local engine=$!
  local failed=
  ensure_dependencies || failed=yes
  wait "$engine" || exit "$EXIT_INFRASTRUCTURE"
  ENGINE_STARTED=$(cat "$started")
  rm -f "$started"
  [ -z "$failed" ] || stop_with 'the dependencies could not be installed'
  if command -v flock >/dev/null; then exec 9>&-; fi
  export PATH="$ROOT/node_modules/.bin:$PATH"
}
