#!/bin/sh
# `npm start`: set-up, then a bot. Without arguments it goes to the built-in mock meeting; a link joins that meeting;
# anything else goes to the command line as it is, such as `doctor` or `join --help`. `--yes` before them installs
# missing Debian packages without asking, `--no-speech` leaves the model of speech out.
set -eu

here=$(dirname -- "$0")
options=''
while [ "${1-}" = --yes ] || [ "${1-}" = --no-speech ]; do
  options="$options $1"
  shift
done
# shellcheck disable=SC2086 # a list of options, all ours
sh "$here/setup.sh" $options

case ${1-} in
  '') set -- demo "$@" ;;
  http://* | https://*) set -- join "$@" ;;
esac
# exec, so that stop signals reach the bot and its exit code is ours.
exec "$here/../bin/standin" "$@"
