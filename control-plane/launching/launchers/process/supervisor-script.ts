/**
 * The parent process of each bot. It is a shell script, because it costs a megabyte beside every bot and outlives the
 * service. Arguments: folder of the bot, file with the kernel's count of out-of-memory kills (may be empty), command.
 *
 * Files that it makes in the folder: `claimed` (a folder: only one supervisor of a name starts the bot), `supervisor` and
 * `bot` (lines of `/proc/<pid>/stat`), `log` (both outputs), and at the end `oom` and `exit` (status of the shell's
 * `wait`: the exit code, or 128 and the number of the signal).
 */
export const SUPERVISOR_SCRIPT = `#!/bin/sh
folder=$1 counter=$2
shift 2
umask 077
cd "$folder" || exit 70
if ! mkdir claimed 2>/dev/null; then
  rm -f "$STANDIN_JOB_FILE"
  exit 0
fi

bot=
interrupted=
trap 'interrupted=yes; [ -z "$bot" ] || kill -TERM "$bot" 2>/dev/null' TERM
trap : HUP INT QUIT

keep() {
  printf '%s\\n' "$1" >"$2.new" && mv "$2.new" "$2"
}

read -r stat <"/proc/$$/stat"
keep "$stat" supervisor
# A separate session: the bot and all its processes can be killed together, and the supervisor stays. Its input is that of
# the supervisor, by which a bot that stands by gets its start.
exec 3<&0 </dev/null
setsid "$@" <&3 3<&- >>log 2>&1 &
bot=$!
exec 3<&-
read -r stat <"/proc/$bot/stat"
keep "$stat" bot
# The launcher writes these before it looks for the file \`bot\`: one of the two sees the other.
[ ! -e stopped ] || kill -TERM "$bot" 2>/dev/null
[ ! -e killed ] || kill -KILL "$bot" 2>/dev/null

wait "$bot"
code=$?
# A forwarded signal ends the wait early. Once the status was read, another wait says 127.
while [ -n "$interrupted" ]; do
  interrupted=
  wait "$bot"
  again=$?
  [ "$again" -eq 127 ] || code=$again
done

rm -f "$STANDIN_JOB_FILE"
[ -z "$counter" ] || cat "$counter" >oom 2>/dev/null
keep "$code" exit
`
