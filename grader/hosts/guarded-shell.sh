# Starts the script in its first argument in a shell that nobody can look into: a copy that may be executed, not read.
# The copy keeps the name `sh`, which is how some shells know what to be. Not every kernel executes what it may not read.
script=$1
shift
umask 077
mkdir /tmp/sh && cat "$(command -v sh)" >/tmp/sh/sh && chmod 0111 /tmp/sh/sh && /tmp/sh/sh -c : &&
  exec /tmp/sh/sh -c "$script" assay "$@"
exec sh -c "$script" assay "$@"
