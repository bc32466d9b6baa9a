import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../../packages/core/process/page-scripts.ts'

const PROGRAM = `import('${join(packageRoot, 'packages/core/process/give-way.ts')}').then(({ giveWay }) => {
  giveWay()
  console.log(require('node:os').getPriority())
})`

test.each([
  [0, 5],
  [10, 10],
])('a process without rights and of the priority %i has %i', (before, after) => {
  // Only root can drop its rights.
  const rights = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups', '--inh-caps=-all'] : []
  const [command, ...args] = [...rights, 'nice', '-n', String(before), process.execPath, '-e', PROGRAM]
  expect(execFileSync(command!, args, { encoding: 'utf8' })).toBe(`${after}\n`)
})
