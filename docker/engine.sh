# Sourced by the scripts beside it: a Docker engine and the base images, on any machine that has or can start them. All
# files stay in one folder, so that the next run is quick. Remove the folder to start from the beginning.

engine_folder=${STANDIN_DOCKER_DIR:-${TMPDIR:-/tmp}/standin-docker}
engine_pid=''

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}

# Uses the engine that answers, else one of an earlier run. Else starts Debian's engine, with separate data and socket.
start_engine() {
  command -v docker >/dev/null 2>&1 || fail 'there is no docker command: apt-get install docker.io'
  if docker info >/dev/null 2>&1; then return; fi
  DOCKER_HOST="unix://$engine_folder/docker.sock"
  export DOCKER_HOST
  if docker info >/dev/null 2>&1; then return; fi
  if ! command -v dockerd >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
    fail 'no Docker engine answers, and starting one takes root and the package docker.io'
  fi
  say "starting a Docker engine in $engine_folder"
  mkdir -p "$engine_folder"
  dockerd --data-root "$engine_folder/data" --exec-root "$engine_folder/exec" -p "$engine_folder/docker.pid" \
    -H "$DOCKER_HOST" >"$engine_folder/dockerd.log" 2>&1 &
  engine_pid=$!
  tries=0
  until docker info >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -le 300 ] || fail "the engine did not start: $(tail -n 3 "$engine_folder/dockerd.log")"
    sleep 0.2
  done
}

# Stops only what start_engine started.
stop_engine() {
  [ -n "$engine_pid" ] || return 0
  kill "$engine_pid" 2>/dev/null || :
  wait "$engine_pid" 2>/dev/null || :
  engine_pid=''
}

# The image under its public name: there already, or pulled, or made here from Debian's own packages.
have_image() { docker image inspect "$1" >/dev/null 2>&1 || timeout 120 docker pull -q "$1" >/dev/null 2>&1; }

# Debian's settings of this machine that a container needs to reach its packages: mirrors, proxies, trusted certificates.
machine_settings() {
  for file in sources.list sources.list.d/debian.sources; do
    if [ -s "/etc/apt/$file" ]; then cp "/etc/apt/$file" "$1/etc/apt/$file"; fi
  done
  if [ -s "$1/etc/apt/sources.list.d/debian.sources" ]; then : >"$1/etc/apt/sources.list"; fi
  apt-config dump Acquire >"$1/etc/apt/apt.conf.d/99machine"
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    mkdir -p "$1/usr/local/share/machine"
    cp "$NODE_EXTRA_CA_CERTS" "$1/usr/local/share/machine/ca.crt"
  fi
}

debian_image() {
  if have_image debian:bookworm-slim; then return; fi
  command -v debootstrap >/dev/null 2>&1 || fail 'debian:bookworm-slim cannot be pulled; to make it: apt-get install debootstrap'
  say 'making debian:bookworm-slim with debootstrap'
  rootfs=$engine_folder/rootfs
  if [ ! -f "$engine_folder/rootfs.done" ]; then
    rm -rf "$rootfs"
    mkdir -p "$rootfs"
    debootstrap --variant=minbase bookworm "$rootfs" >"$engine_folder/debootstrap.log" 2>&1 ||
      fail "debootstrap: $(tail -n 3 "$engine_folder/debootstrap.log")"
    machine_settings "$rootfs"
    : >"$engine_folder/rootfs.done"
  fi
  set -- --change 'CMD ["bash"]'
  if [ -f "$rootfs/usr/local/share/machine/ca.crt" ]; then
    set -- "$@" --change 'ENV NODE_EXTRA_CA_CERTS=/usr/local/share/machine/ca.crt' \
      --change 'ENV npm_config_cafile=/usr/local/share/machine/ca.crt'
  fi
  tar -C "$rootfs" -c . | docker import "$@" - debian:bookworm-slim >/dev/null
}

# The official image's contract, as far as our Dockerfile uses it: Node 24, npm, and the user node with id 1000.
node_image() {
  if have_image node:24-bookworm-slim; then return; fi
  debian_image
  say 'making node:24-bookworm-slim from the npm packages node-linux and npm'
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) fail "no Node package for $(uname -m)" ;;
  esac
  context=$engine_folder/node-image
  rm -rf "$context"
  mkdir -p "$context"
  (cd "$context" && npm pack --silent "node-linux-$arch@24" npm@11 >/dev/null)
  mv "$context"/node-linux-*.tgz "$context/node.tgz"
  mv "$context"/npm-*.tgz "$context/npm.tgz"
  cat >"$context/Dockerfile" <<'DOCKERFILE'
FROM debian:bookworm-slim AS unpacked
COPY node.tgz npm.tgz /
RUN mkdir -p /tree/bin /tree/lib/node_modules/npm \
 && tar -xzf /node.tgz -C /tree/bin --strip-components=2 package/bin/node \
 && tar -xzf /npm.tgz -C /tree/lib/node_modules/npm --strip-components=1 \
 && ln -s ../lib/node_modules/npm/bin/npm-cli.js /tree/bin/npm \
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /tree/bin/npx \
 && chmod +x /tree/bin/node /tree/lib/node_modules/npm/bin/*.js
FROM debian:bookworm-slim
COPY --from=unpacked /tree /usr/local
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node
CMD ["node"]
DOCKERFILE
  docker build -q -t node:24-bookworm-slim "$context" >/dev/null
}
