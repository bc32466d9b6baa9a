#!/bin/sh
# `npm test`: set-up with what tests need, then lint, types and all tests, in this order. All of them run even when an
# earlier one fails, so that one run shows everything. Ends with the line `N passed, N failed`: the tests, and one
# failed more for each of lint, types or test run that failed as such.
#
#   npm test                         everything
#   npm test -- test/src/states      arguments go to vitest
set -u

cd -- "$(dirname -- "$0")/.." || exit 1
root=$(pwd -P)
summary=.cache/test-summary
results=.cache/test-results.json
mkdir -p .cache
rm -f "$summary" "$results"

finish() {
  printf '%s\n' "$1" | tee "$summary"
  exit "$2"
}

sh scripts/setup.sh --tests || finish '0 passed, 1 failed' 1

PATH="$root/node_modules/.bin:$PATH"
export PATH

failed=''
run() {
  name=$1
  shift
  printf '\n== %s\n' "$name"
  "$@" || failed="$failed $name"
}

run lint biome check .
run types tsc --noEmit
run tests vitest run --reporter=default --reporter=json --outputFile.json="$results" "$@"

[ -z "$failed" ] || printf '\nfailed:%s\n' "$failed"
line=$(node scripts/count-tests.ts "$results" "$failed") || line='0 passed, 1 failed'
printf '\n'
[ -z "$failed" ] || finish "$line" 1
finish "$line" 0
