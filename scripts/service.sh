#!/bin/sh
# `npm run service`: set-up, then the service. Arguments go to it as they are, such as `--port 9000` or `keys list`.
# `--yes` as the first argument installs missing Debian packages without asking.
set -eu

here=$(dirname -- "$0")
yes=''
if [ "${1-}" = --yes ]; then
  yes=--yes
  shift
fi
sh "$here/setup.sh" --service $yes

# exec, so that stop signals reach the service and its exit code is ours.
exec "$here/../bin/standin" service "$@"
