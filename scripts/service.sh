#!/bin/sh
# `npm run service`: set-up, then the service. Arguments go to it as they are, such as `--port 9000` or `keys list`.
# `--yes` before them installs missing Debian packages without asking, `--no-speech` leaves the model of speech out.
set -eu

here=$(dirname -- "$0")
options=''
while [ "${1-}" = --yes ] || [ "${1-}" = --no-speech ]; do
  options="$options $1"
  shift
done
# shellcheck disable=SC2086 # a list of options, all ours
sh "$here/setup.sh" --service $options

# exec, so that stop signals reach the service and its exit code is ours.
exec "$here/../bin/standin" service "$@"
