#!/bin/sh
# `npm run test:changed`: see test-changed.ts.
set -eu

cd -- "$(dirname -- "$0")/.."
sh scripts/setup.sh --tests --is-ready
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec node scripts/test-changed.ts "$@"
