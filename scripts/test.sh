#!/bin/sh
# `npm test`: set-up with what tests need, then the lanes `unit`, `db` and `smoke`, and beside them lint, types and unused
# exports, whose output follows the tests'. All of them run even if one fails, so that one run shows everything. Ends
# with the line `N passed, N failed`: the tests, and one failed more for each of these checks, or for a test run that failed
# as such. Bots and pages run in real time, so one of their tests that fails runs once more; a run with such tests says how
# many: `retried_2: N passed, N failed`.
#
#   npm test                         before a commit
#   npm run test:drivers             one lane; also test:bots and test:long
#   npm run test:all                 all lanes but the long one
#   npm run check                    no set-up: the checks and the unit lane
#   npm test -- test/src/states      arguments choose files, as vitest does
#
# Afterwards .cache/test-report.txt has the time of each lane and the slowest files. CONTRIBUTING.md says when to run which.
set -u

cd -- "$(dirname -- "$0")/.." || exit 1
root=$(pwd -P)
summary=.cache/test-summary
counts=.cache/test-counts
mkdir -p .cache
rm -f "$summary" "$counts" .cache/test-report.txt .cache/test-problems

lanes='unit db smoke'
checks='lint types exports'
needs=--tests
case ${1-} in
  --drivers) lanes=drivers checks='' ;;
  --bots) lanes='bots measured' checks='' ;;
  --long) lanes=long checks='' needs=--long ;;
  --all) lanes='unit db smoke drivers bots measured' ;;
  --check) lanes=unit needs='' ;;
  --*)
    echo "unknown lane: $1; there are --drivers, --bots, --long, --all and --check" >&2
    exit 2
    ;;
esac
case ${1-} in --*) shift ;; esac

finish() {
  printf '%s\n' "$1" | tee "$summary"
  exit "$2"
}

if [ -n "$needs" ]; then
  sh scripts/setup.sh "$needs" --yes || finish '0 passed, 1 failed' 1
else
  sh scripts/setup.sh --tests --is-ready || finish '0 passed, 1 failed' 1
fi

PATH="$root/node_modules/.bin:$PATH"
export PATH

command_of() {
  case $1 in
    lint) echo biome check . ;;
    # A second run checks what changed since the first.
    types) echo tsc --noEmit --incremental --tsBuildInfoFile .cache/types.tsbuildinfo ;;
    exports) echo knip --no-progress ;;
  esac
}

besides=''
for check in $checks; do
  # A test waits for conditions and these for nothing, so they give way.
  # shellcheck disable=SC2046 # words of a command, all ours
  nice $(command_of "$check") >".cache/check-$check.log" 2>&1 &
  besides="$besides $check=$!"
done

failed=''
projects=''
for lane in $lanes; do projects="$projects --project=$lane"; done
printf '\n== tests:%s\n' " $lanes"
# shellcheck disable=SC2086 # a list of options, all ours
vitest run $projects --reporter=default --reporter=./scripts/test-report.ts "$@" || failed=' tests'

read -r passed failures retried 2>/dev/null <"$counts" || passed=0 failures=0 retried=0
# A run that failed without a failed test is one failed.
if [ -n "$failed" ] && [ "$failures" = 0 ]; then failures=1; fi
for check in $besides; do
  name=${check%=*}
  printf '\n== %s\n' "$name"
  wait "${check#*=}" || {
    failed="$failed $name" failures=$((failures + 1))
    { echo "failed: $name"; head -c 2000 ".cache/check-$name.log"; echo; } >>.cache/test-problems
  }
  cat ".cache/check-$name.log"
done

[ -z "$failed" ] || printf '\nfailed:%s\n' "$failed"
printf '\n'
line="$passed passed, $failures failed"
[ "$retried" = 0 ] || line="retried_$retried: $line"
[ -z "$failed" ] || finish "$line" 1
finish "$line" 0
