import { execFile } from 'node:child_process'

const DEADLINE_MS = 10_000

/**
 * Whether Chromium can lock its pages into a sandbox of its own here. It cannot as root, nor where user namespaces are
 * forbidden, as in a container of Docker or Kubernetes; it would not even start then, and the container is the sandbox.
 * Tries what Chromium does: namespaces for users, processes and network, and a root of its own in them.
 */
export function canSandboxBrowser(): Promise<boolean> {
  if (process.getuid?.() === 0) return Promise.resolve(false)
  const args = ['--user', '--map-root-user', '--pid', '--net', '--fork', 'chroot', '/', 'true']
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' }
  return new Promise((resolve) => {
    execFile('unshare', args, { env, timeout: DEADLINE_MS, killSignal: 'SIGKILL' }, (error) => resolve(error === null))
  })
}
