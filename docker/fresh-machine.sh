#!/bin/sh
# A fresh machine, for real: a bare Debian with nothing but Debian's own npm and git, in which a clone of this checkout
# runs `npm start` and `npm test`. Proves that the two commands need no preparation.
#
#   sh docker/fresh-machine.sh            npm start, then npm test
#   sh docker/fresh-machine.sh start      one of them
#   sh docker/fresh-machine.sh shell      a shell in it
#
# STANDIN_DOCKER_DIR is where engine and images are kept (default: standin-docker in the temporary folder);
# STANDIN_FRESH_TREE=worktree takes the files as they are instead of the last commit.
set -eu

cd -- "$(dirname -- "$0")/.."
root=$(pwd -P)
. "$root/docker/engine.sh"

what=${1:-all}
case $what in
  start | test | all | shell) ;;
  *) fail "unknown: $what; say start, test or shell" ;;
esac

trap stop_engine EXIT
start_engine
debian_image

say "Debian's npm and git on a bare Debian"
docker build -q -t standin-fresh-machine - >/dev/null <<'DOCKERFILE'
FROM debian:bookworm-slim
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends npm git \
 && rm -rf /var/lib/apt/lists/*
DOCKERFILE

# A bundle is a clone's source in one file, so that the container has no access to this checkout.
source=$engine_folder/source
rm -rf "$source"
mkdir -p "$source"
if [ "${STANDIN_FRESH_TREE:-commit}" = worktree ]; then
  git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf "$source/tree.tar"
  mkdir "$source/copy"
  tar -xf "$source/tree.tar" -C "$source/copy"
  rm "$source/tree.tar"
  git -C "$source/copy" init -q
  git -C "$source/copy" add -A
  git -C "$source/copy" -c user.name=standin -c user.email=standin@localhost commit -q -m 'the files as they are'
  git -C "$source/copy" bundle create -q "$source/standin.bundle" HEAD
  rm -rf "$source/copy"
else
  git bundle create -q "$source/standin.bundle" HEAD
fi

name=standin-fresh-machine-$$
trap 'docker rm -f "$name" >/dev/null 2>&1 || :; stop_engine' EXIT
# --init reaps orphans, because tests look for zombie processes.
docker run -d --init --name "$name" --shm-size 1g -v "$source:/source:ro" standin-fresh-machine sleep infinity >/dev/null

run_in() { docker exec -i "$name" sh -c "$1"; }
run_in 'node --version; npm --version; git clone -q /source/standin.bundle standin 2>/dev/null && cd standin && git log --oneline -1'

timed() {
  say "$1"
  began=$(date +%s)
  code=0
  run_in "cd /standin && $1" || code=$?
  printf '%s: exit code %s after %s s\n' "$1" "$code" "$(($(date +%s) - began))"
  [ "$code" -eq 0 ]
}

failed=0
case $what in
  shell) docker exec -it -w /standin "$name" bash ;;
  start) timed 'npm start -- --yes' || failed=1 ;;
  test) timed 'npm test' || failed=1 ;;
  all)
    timed 'npm start -- --yes' || failed=1
    timed 'npm start -- doctor' || failed=1
    timed 'npm test' || failed=1
    ;;
esac
exit "$failed"
