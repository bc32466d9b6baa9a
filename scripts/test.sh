#!/bin/sh
# `npm test`: set-up with what tests need, then the tests, and beside them lint, types, English and unused exports, whose
# output follows the tests'. All of them run even if one fails, so that one run shows everything. Ends with the line
# `N passed, N failed`: the tests, and one failed more for each of these checks, or for a test run that failed as such.
#
# Tests in real time share the processors with others, and on a slow machine a bot then comes late or thins out its
# picture. If only a few files failed, they run once more with nothing beside them, and that counts. A run in
# which tests were retried, so or after a standstill of the machine, says how many: `retried_2: N passed, N failed`.
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
alone=.cache/test-results-alone.json
report=.cache/test-report.txt
mkdir -p .cache
rm -f "$summary" "$results" "$alone" "$report"

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
tests_failed=''
printf '\n== tests\n'
vitest run "$lanes" --reporter=default --reporter=json --outputFile.json="$results" "$@" || tests_failed=' tests'
for check in $besides; do
  name=${check%=*}
  wait "${check#*=}" || failed="$failed $name"
  printf '\n== %s\n' "$name"
  cat ".cache/check-$name.log"
done

again=''
# A developer who chose tests by arguments looks at them.
[ -z "$tests_failed" ] || [ "$#" -gt 0 ] || again=$(node scripts/test-report.ts "$results")
if [ -n "$again" ]; then
  printf '\n== tests again, alone\n'
  # Paths of tests have no spaces.
  # shellcheck disable=SC2086
  STANDIN_TEST_WORKERS=1 vitest run "$lanes" --reporter=default --reporter=json --outputFile.json="$alone" $again &&
    tests_failed=''
fi
failed="$tests_failed$failed"

[ -z "$failed" ] || printf '\nfailed:%s\n' "$failed"
printf '\n'
text=$(node scripts/test-report.ts "$results" "$report" "$failed" "$alone") || text='0 passed, 1 failed'
printf '%s\n' "$text" | sed '$d'
line=$(printf '%s\n' "$text" | tail -n 1)
[ -z "$failed" ] || finish "$line" 1
finish "$line" 0
