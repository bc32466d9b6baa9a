#!/bin/sh
# `npm start`: set-up, then a bot. Without arguments it goes to the built-in mock meeting; a link joins that meeting;
# anything else goes to the command line as it is, such as `doctor` or `join --help`. `--yes` as the first argument installs
# missing Debian packages without asking.
set -eu

here=$(dirname -- "$0")
yes=''
if [ "${1-}" = --yes ]; then
  yes=--yes
  shift
fi
sh "$here/setup.sh" $yes

case ${1-} in
  '') set -- demo "$@" ;;
  http://* | https://*) set -- join "$@" ;;
esac
# exec, so that stop signals reach the bot and its exit code is ours.
exec "$here/../bin/standin" "$@"
