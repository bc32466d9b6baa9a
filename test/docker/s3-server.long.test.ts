/** The S3 server for trials, as its image starts it: with its bucket, and again in a container that was restarted in its pod. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

/** The end of the first process ends all others of its namespace, as in a container. */
const CONTAINER = `
  : >/tmp/turn
  sh "$0" >&2 &
  tries=0
  until [ /tmp/ceph/ready -nt /tmp/turn ]; do
    tries=$((tries + 1))
    [ "$tries" -le 600 ] || exit 1
    sleep 0.1
  done
  for bucket in recordings others; do
    curl -s -o /dev/null -w '%{http_code} ' --aws-sigv4 aws:amz:us-east-1:s3 --user "$ACCESS_KEY:$SECRET_KEY" \\
      -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "http://127.0.0.1:9000/$bucket"
  done`
/** Network and /tmp stay, as those of a pod do. */
const POD = `
  mount -t tmpfs none /tmp && ip link set lo up || exit 1
  for turn in 1 2; do unshare --pid --fork --mount-proc sh -c "$1" "$0" || exit 1; done`

test.skipIf(process.getuid!() !== 0)('it has its bucket after each start', async () => {
  const script = join(packageRoot, 'docker/s3-server/start.sh')
  const env = { PATH: process.env.PATH, ACCESS_KEY: 'key', SECRET_KEY: 'secret', BUCKET: 'recordings' }
  const args = ['--net', '--mount', 'sh', '-c', POD, script, CONTAINER]
  const { stdout } = await promisify(execFile)('unshare', args, { env })
  expect(stdout).toBe('200 404 200 404 ')
})
