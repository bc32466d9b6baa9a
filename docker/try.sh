#!/bin/sh
# Builds the images and runs bots in containers for real, each in the built-in mock meeting: without privileges, on a
# read-only root, stopped with `docker stop`, killed, and with too little memory. Checks the recordings afterwards.
# Needs Docker, or root on a Debian with the packages docker.io and debootstrap.
#
#   sh docker/try.sh             all cases
#   sh docker/try.sh stop oom    some of them: build doctor invalid early stop kill oom sandbox compose
#
# STANDIN_DOCKER_DIR is where engine and images are kept (default: standin-docker in the temporary folder).
set -eu

cd -- "$(dirname -- "$0")/.."
root=$(pwd -P)
. "$root/docker/engine.sh"

image=standin
# The same with the mock meetings.
demo_image=standin-demo
prefix=standin-try-$$
# How long a bot may take from start to recording; the machine may be busy.
patience=180
passed=0
failed=0

check() {
  what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    printf 'ok      %s\n' "$what"
  else
    failed=$((failed + 1))
    printf 'NOT ok  %s\n' "$what"
  fi
}

clean_up() {
  docker ps -aq --filter "name=$prefix" | xargs -r docker rm -f >/dev/null 2>&1 || :
  docker volume ls -q --filter "name=$prefix" | xargs -r docker volume rm >/dev/null 2>&1 || :
  stop_engine
}
trap clean_up EXIT

# A bot as docs/docker.md says: no root, no capabilities, and only /tmp and /recordings writable.
start_bot() {
  name=$prefix-$1
  shift
  case ${1-} in
    demo) from=$demo_image ;;
    *) from=$image ;;
  esac
  docker volume create "$name" >/dev/null
  began=$(date +%s)
  # shellcheck disable=SC2086
  docker run -d --name "$name" --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
    --pids-limit 500 --shm-size 1g -v "$name:/recordings" ${bot_options:-} "$from" "$@" >/dev/null
}

logs() { docker logs "$1" 2>&1; }
recorded_seconds() { logs "$1" | sed -n 's/.*"type":"recording_progress","seconds":\([0-9]*\).*/\1/p' | tail -n 1; }
is_running() { [ "$(docker inspect -f '{{.State.Running}}' "$1")" = true ]; }
exit_code() { docker inspect -f '{{.State.ExitCode}}' "$1"; }
oom_killed() { docker inspect -f '{{.State.OOMKilled}}' "$1"; }

# Waits until the bot has recorded this many seconds. Fails and prints its last log lines if it ends before or takes too
# long.
await_recording() {
  deadline=$(($(date +%s) + patience))
  while :; do
    seconds=$(recorded_seconds "$1")
    if [ "${seconds:-0}" -ge "$2" ]; then
      printf '        recorded %s s, %s s after its start\n' "$seconds" "$(($(date +%s) - began))"
      return 0
    fi
    if ! is_running "$1" || [ "$(date +%s)" -gt "$deadline" ]; then
      logs "$1" | tail -n 5 >&2
      return 1
    fi
    sleep 0.5
  done
}

await_end() {
  deadline=$(($(date +%s) + patience))
  while is_running "$1"; do
    if [ "$(date +%s)" -gt "$deadline" ]; then return 1; fi
    sleep 0.5
  done
}

# Runs a program of the image over the recordings of a bot.
look() {
  volume=$1
  shift
  program=$1
  shift
  docker run --rm --network none -v "$volume:/recordings" -w /recordings --entrypoint "$program" "$image" "$@"
}
find_file() { look "$1" find /recordings -name "$2" | head -n 1; }
duration_of() { look "$1" ffprobe -v error -show_entries format=duration -of csv=p=0 "$2" | cut -d. -f1; }
decodes() { [ -z "$(look "$1" ffmpeg -v error -i "$2" -f null - 2>&1)" ]; }
at_least() { [ "${1:-0}" -ge "$2" ]; }

check_recording() {
  for name in video.mp4 audio.m4a; do
    file=$(find_file "$1" "$name")
    check "$name is there" [ -n "$file" ]
    [ -n "$file" ] || continue
    check "$name lasts $2 s or longer" at_least "$(duration_of "$1" "$file")" "$2"
    check "$name decodes from end to end without an error" decodes "$1" "$file"
  done
  check 'the manifest is there and agrees with the files' manifest_agrees "$1"
}

manifest_agrees() {
  look "$1" node --input-type=module -e '
    import { createHash } from "node:crypto"
    import { readdirSync, readFileSync } from "node:fs"
    import { crc32 } from "node:zlib"
    const folder = readdirSync(".").find((name) => readdirSync(name).includes("manifest.json"))
    const { files } = JSON.parse(readFileSync(`${folder}/manifest.json`, "utf8"))
    for (const { name, bytes, sha256, crc32: crc } of files) {
      const content = readFileSync(`${folder}/${name}`)
      const isWhole = sha256 === null
        ? crc32(content).toString(16).padStart(8, "0") === crc
        : createHash("sha256").update(content).digest("hex") === sha256
      if (content.length !== bytes || !isWhole) throw new Error(name)
    }
    if (!files.some(({ name }) => name === "video.mp4")) throw new Error("no video")
  '
}

try_build() {
  say 'building the image'
  node_image
  began=$(date +%s)
  {
    docker build -f docker/Dockerfile -t "$image" . && docker build -f docker/Dockerfile --target demo -t "$demo_image" .
  } >"$engine_folder/build.log" 2>&1 || {
    tail -n 30 "$engine_folder/build.log" >&2
    fail 'the images do not build'
  }
  printf '        %s s, %s\n' "$(($(date +%s) - began))" "$(docker images --format '{{.Size}}' "$image" | head -n 1)"
  check 'it has no mock meetings and no packages of theirs' [ -z "$(docker run --rm --entrypoint sh "$image" -c \
    'ls -d /app/dist/packages/mock /app/dist/bundles/mock /app/node_modules/werift /app/node_modules/selfsigned 2>/dev/null')" ]
  check 'its user is not root' [ "$(docker run --rm --entrypoint id "$image" -u)" = 1000 ]
}

try_doctor() {
  say 'the doctor in a container'
  bot_options='' start_bot doctor doctor
  await_end "$prefix-doctor" || :
  logs "$prefix-doctor"
  check 'finds it fit' [ "$(exit_code "$prefix-doctor")" = 0 ]
}

try_stop() {
  say 'docker stop while it records'
  bot_options='--memory 2g --memory-swap 2g' start_bot stop demo --json
  check 'it records' await_recording "$prefix-stop" 10
  seconds=$(recorded_seconds "$prefix-stop")
  began=$(date +%s)
  docker stop -t 90 "$prefix-stop" >/dev/null
  printf '        stopped within %s s\n' "$(($(date +%s) - began))"
  # 4: the bot was stopped before the recording ended by itself; the recording so far is stored.
  check "its exit code is 4 and not 137 (is $(exit_code "$prefix-stop"))" [ "$(exit_code "$prefix-stop")" = 4 ]
  check 'its report says SIGTERM' reports "$prefix-stop" SIGTERM
  check_recording "$prefix-stop" "${seconds:-10}"
}

reports() { logs "$1" | grep -q "\"type\":\"final_report\".*\"end_code\":\"$2\""; }

try_early() {
  say 'docker stop before it records'
  bot_options='' start_bot early demo --json
  deadline=$(($(date +%s) + patience))
  until logs "$prefix-early" | grep -q '"status":"in_waiting_room"' || [ "$(date +%s)" -gt "$deadline" ]; do sleep 0.1; done
  docker stop -t 90 "$prefix-early" >/dev/null
  check "its exit code is 0 (is $(exit_code "$prefix-early"))" [ "$(exit_code "$prefix-early")" = 0 ]
  check 'its report says SIGTERM' reports "$prefix-early" SIGTERM
}

try_sandbox() {
  say "Chromium's own sandbox, where user namespaces are allowed"
  bot_options='--security-opt seccomp=docker/seccomp.json' start_bot sandbox doctor
  await_end "$prefix-sandbox" || :
  check 'the browser is in its own sandbox' has_line "$prefix-sandbox" 'Chromium runs in its own sandbox'
  bot_options='--security-opt seccomp=docker/seccomp.json' start_bot sandboxed demo --json --recording-timeout 5
  await_end "$prefix-sandboxed" || :
  check "and a bot records with it (exit code $(exit_code "$prefix-sandboxed"))" [ "$(exit_code "$prefix-sandboxed")" = 0 ]
}

has_line() { logs "$1" | grep -q "$2"; }

try_kill() {
  say 'killed while it records, without a word'
  bot_options='' start_bot kill demo --json
  check 'it records' await_recording "$prefix-kill" 10
  seconds=$(recorded_seconds "$prefix-kill")
  docker kill "$prefix-kill" >/dev/null
  check "its exit code is 137 (is $(exit_code "$prefix-kill"))" [ "$(exit_code "$prefix-kill")" = 137 ]
  check 'OOMKilled is false' [ "$(oom_killed "$prefix-kill")" = false ]
  segment=$(look "$prefix-kill" find /recordings -name '*.mp4' -size +0 | sort | head -n 1)
  check 'what was recorded is on disk' [ -n "$segment" ]
  # Fragments of half a second; the encoder holds about one more.
  check 'and plays up to the last seconds' at_least "$(duration_of_packets "$prefix-kill" "$segment")" "$((${seconds:-10} - 3))"
}

# A file without its end has no length in its header; the last packet's time is the truth.
duration_of_packets() {
  look "$1" ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 "$2" 2>/dev/null |
    sed -n 's/^\([0-9]*\).*/\1/p' | sort -n | tail -n 1
}

try_oom() {
  say 'far too little memory: 64 MB'
  bot_options='--memory 64m --memory-swap 64m' start_bot oom-64 demo --json
  await_end "$prefix-oom-64" || :
  printf '        exit code %s, OOMKilled %s\n' "$(exit_code "$prefix-oom-64")" "$(oom_killed "$prefix-oom-64")"
  check 'the engine says OOMKilled' [ "$(oom_killed "$prefix-oom-64")" = true ]
  check 'it does not report success' [ "$(exit_code "$prefix-oom-64")" != 0 ]
  for limit in 300 600; do
    say "too little memory: $limit MB"
    name=$prefix-oom-$limit
    bot_options="--memory ${limit}m --memory-swap ${limit}m" start_bot "oom-$limit" demo --json --recording-timeout 20
    await_end "$name" || docker stop -t 60 "$name" >/dev/null
    printf '        exit code %s, OOMKilled %s\n' "$(exit_code "$name")" "$(oom_killed "$name")"
    logs "$name" | sed -n 's/.*"type":"final_report","status":"\([a-z]*\)","end_code":"\([A-Z_]*\)".*/        report: \1, \2/p'
    check 'it ends by itself with an exit code of its own or of the kernel' ends_plainly "$name"
  done
}

ends_plainly() {
  case $(exit_code "$1") in
    0 | 3 | 4) logs "$1" | grep -q '"type":"final_report"' ;;
    137) [ "$(oom_killed "$1")" = true ] ;;
    *) return 1 ;;
  esac
}

try_invalid() {
  say 'a job that is not valid'
  bot_options='-e STANDIN_JOB={"meeting_url":1}' start_bot invalid
  await_end "$prefix-invalid" || :
  logs "$prefix-invalid"
  check 'its exit code is 2' [ "$(exit_code "$prefix-invalid")" = 2 ]
}

try_compose() {
  say 'the compose file: bot, control plane and S3'
  if docker compose version >/dev/null 2>&1; then
    compose='docker compose'
  elif command -v docker-compose >/dev/null 2>&1; then
    compose='docker-compose'
  else
    fail 'there is no docker compose: apt-get install docker-compose'
  fi
  node_image
  compose="$compose -p $prefix -f docker/compose.worker.yaml"
  $compose build >"$engine_folder/compose.log" 2>&1 || fail "$(tail -n 5 "$engine_folder/compose.log")"
  code=0
  # Compose also starts the services that the bot needs: storage, its bucket, the control plane.
  $compose run --rm -T bot >"$engine_folder/compose.log" 2>&1 </dev/null || code=$?
  check "the bot in its compose file ends with 0 (is $code)" [ "$code" = 0 ]
  check 'its video is in S3' grep -q '"location":"s3://recordings/demo/[^"]*/video.mp4"' "$engine_folder/compose.log"
  check 'what S3 has is what its manifest says' $compose exec -T control-plane node --input-type=module -e "$read_back"
  check 'the control plane has its last event' $compose exec -T control-plane sh -c \
    'grep -rq final_report /recordings/control-plane'
  $compose down -v >/dev/null 2>&1
}

# Runs inside the network of the compose file, in a container that has the SDK.
read_back='
  import { createHash } from "node:crypto"
  import { createRequire } from "node:module"
  import { crc32 } from "node:zlib"
  const { GetObjectCommand, ListObjectsV2Command, S3Client } = createRequire("/app/package.json")("@aws-sdk/client-s3")
  const credentials = { accessKeyId: "standin", secretAccessKey: "only-for-trying-things-out" }
  const client = new S3Client({ endpoint: "http://storage:9000", region: "us-east-1", forcePathStyle: true, credentials })
  const { Contents: objects } = await client.send(new ListObjectsV2Command({ Bucket: "recordings" }))
  const read = async (Key) => (await client.send(new GetObjectCommand({ Bucket: "recordings", Key }))).Body.transformToByteArray()
  const manifestKey = objects.map(({ Key }) => Key).find((key) => key.endsWith("/manifest.json"))
  const { files } = JSON.parse(Buffer.from(await read(manifestKey)).toString())
  for (const { name, bytes, sha256, crc32: crc } of files) {
    const content = await read(manifestKey.replace("manifest.json", name))
    const isWhole = sha256 === null
      ? crc32(content).toString(16).padStart(8, "0") === crc
      : createHash("sha256").update(content).digest("hex") === sha256
    if (content.length !== bytes || !isWhole) throw new Error(name)
  }
  if (!files.some(({ name }) => name === "video.mp4")) throw new Error("no video")
'

cases=${*:-build doctor invalid early stop kill oom sandbox compose}
start_engine
case " $cases " in
  *' build '*) ;;
  *) docker image inspect "$image" "$demo_image" >/dev/null 2>&1 || cases="build $cases" ;;
esac
for case in $cases; do
  case $case in
    build | doctor | invalid | early | stop | kill | oom | sandbox | compose) "try_$case" ;;
    *) fail "there is no case $case" ;;
  esac
done

printf '\n%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
