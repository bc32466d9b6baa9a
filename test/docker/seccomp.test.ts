import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

interface Rule {
  names: string[]
  action: string
  args?: unknown[]
}

const profile = JSON.parse(readFileSync(join(packageRoot, 'docker/seccomp.json'), 'utf8')) as {
  defaultAction: string
  syscalls: Rule[]
}
const allowed = new Set(profile.syscalls.filter(({ args }) => args === undefined).flatMap(({ names }) => names))

test('a system call that the profile does not name fails', () => {
  expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO')
  expect(profile.syscalls.every(({ action }) => action === 'SCMP_ACT_ALLOW')).toBe(true)
})

test.each(['clone', 'clone3', 'unshare', 'setns', 'chroot', 'seccomp'])('%s is allowed for Chromium', (name) => {
  expect(allowed).toContain(name)
})

test.each(['mount', 'init_module', 'bpf', 'keyctl', 'io_uring_setup', 'kexec_load', 'open_by_handle_at', 'socket'])(
  '%s is not allowed without a condition',
  (name) => {
    expect(allowed).not.toContain(name)
  },
)
