import { execFile } from 'node:child_process'
import type { BotUser } from './bot-user.ts'
import { CHILD_PATH } from './child-path.ts'

const DEADLINE_MS = 10_000

/**
 * Why Chromium cannot put its pages into its own sandbox here; null if it can. It cannot as root, nor where user
 * namespaces are forbidden, as by the default seccomp profiles of Docker and Kubernetes. It would not even start then,
 * and the container is the only sandbox. Tries what Chromium does: namespaces for users, processes and network, and a
 * separate root directory in them. `user`: who Chromium will run as; absent: the user of this process.
 */
export function sandboxObstacle(user?: Pick<BotUser, 'uid' | 'gid'> | null): Promise<string | null> {
  if ((user?.uid ?? process.getuid?.()) === 0) return Promise.resolve('the bot runs as root')
  const args = ['--user', '--map-root-user', '--pid', '--net', '--fork', 'chroot', '/', 'true']
  const as = user ? { uid: user.uid, gid: user.gid, cwd: '/' } : {}
  const env = { PATH: `${CHILD_PATH}:/usr/sbin:/sbin` }
  return new Promise((resolve) => {
    execFile('unshare', args, { ...as, env, timeout: DEADLINE_MS, killSignal: 'SIGKILL' }, (error) =>
      resolve(error === null ? null : 'user namespaces are not allowed here'),
    )
  })
}

/** What the operator can do about the obstacle. */
export const SANDBOX_CURE =
  'In a container, use docker/seccomp.json (docs/docker.md); elsewhere allow unprivileged user namespaces'
