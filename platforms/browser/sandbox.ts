import { execFile } from 'node:child_process'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'

const DEADLINE_MS = 10_000

/**
 * Why Chromium cannot put its pages into its own sandbox here; null if it can. It cannot as root, nor where user
 * namespaces are forbidden, as by the default seccomp profiles of Docker and Kubernetes. It would not even start then,
 * and the container is the only sandbox. Tries what Chromium does: namespaces for users, processes and network, and a
 * separate root directory in them.
 */
export function sandboxObstacle(userId = process.getuid?.()): Promise<string | null> {
  if (userId === 0) return Promise.resolve('the bot runs as root')
  const args = ['--user', '--map-root-user', '--pid', '--net', '--fork', 'chroot', '/', 'true']
  const env = { PATH: `${CHILD_PATH}:/usr/sbin:/sbin` }
  return new Promise((resolve) => {
    execFile('unshare', args, { env, timeout: DEADLINE_MS, killSignal: 'SIGKILL' }, (error) =>
      resolve(error === null ? null : 'user namespaces are not allowed here'),
    )
  })
}
