#!/bin/sh
# `npm test`: set-up with what tests need, then the tests, and beside them lint, types, English and unused exports, whose
# output follows the tests'. All of them run even if one fails, so that one run shows everything. Ends with the line
# `N passed, N failed`: the tests, and one failed more for each of these checks, or for a test run that failed as such. A
# run in which tests were retried after a standstill of the machine says how many: `retried_2: N passed, N failed`.
#
#   npm test                         everything that a change is likely to break
#   npm run check                    no set-up, and the fast lane only
#   npm run test:long                the long lane: what takes minutes, or repeats a proof with another real server
#   npm test -- test/src/states      arguments go to vitest
#
# Afterwards .cache/test-report.txt has the time of each lane and the slowest files.
set -u

cd -- "$(dirname -- "$0")/.." || exit 1
root=$(pwd -P)
summary=.cache/test-summary
results=.cache/test-results.json
report=.cache/test-report.txt
mkdir -p .cache
rm -f "$summary" "$results" "$report"

lanes='--project=!long'
needs=--tests
if [ "${1-}" = --long ]; then
  lanes='--project=long'
  needs=--long
  shift
elif [ "${1-}" = --check ]; then
  lanes='--project=fast'
  needs=''
  shift
fi

finish() {
  printf '%s\n' "$1" | tee "$summary"
  exit "$2"
}

[ -z "$needs" ] || sh scripts/setup.sh "$needs" --yes || finish '0 passed, 1 failed' 1

PATH="$root/node_modules/.bin:$PATH"
# A bot or a service that a test starts is compiled once.
NODE_COMPILE_CACHE="$root/.cache/compiled"
export PATH NODE_COMPILE_CACHE

failed=''
besides=''
beside() {
  name=$1
  shift
  "$@" >".cache/check-$name.log" 2>&1 &
  besides="$besides $name=$!"
}

beside lint biome check .
# A second run checks what changed since the first.
beside types tsc --noEmit --incremental --tsBuildInfoFile .cache/types.tsbuildinfo
beside english node scripts/check-english.ts
beside exports knip --no-progress
printf '\n== tests\n'
vitest run "$lanes" --reporter=default --reporter=json --outputFile.json="$results" "$@" || failed=' tests'
for check in $besides; do
  name=${check%=*}
  wait "${check#*=}" || failed="$failed $name"
  printf '\n== %s\n' "$name"
  cat ".cache/check-$name.log"
done

[ -z "$failed" ] || printf '\nfailed:%s\n' "$failed"
printf '\n'
text=$(node scripts/test-report.ts "$results" "$report" "$failed") || text='0 passed, 1 failed'
printf '%s\n' "$text" | sed '$d'
line=$(printf '%s\n' "$text" | tail -n 1)
[ -z "$failed" ] || finish "$line" 1
finish "$line" 0
