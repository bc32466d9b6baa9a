#!/bin/sh
# `npm run service`: set-up, then the service. Arguments go to it as they are, such as `--port 9000` or `keys list`.
set -eu

here=$(dirname -- "$0")
sh "$here/setup.sh" --service

# exec, so that stop signals reach the service and its exit code is ours.
exec "$here/../bin/standin" service "$@"
