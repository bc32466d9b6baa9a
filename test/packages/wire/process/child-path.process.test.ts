import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../../packages/core/process/page-scripts.ts'

test('programs of the system are found with it', () => {
  expect(execFileSync('sh', ['-c', 'command -v env'], { env: { PATH: CHILD_PATH }, encoding: 'utf8' })).toMatch(
    /env\n$/,
  )
})

test('it is written in one file only', () => {
  const rooms = '{bench,control-plane,packages,platforms,recorder,src}'
  const files = globSync(`${rooms}/**/*.ts`, { cwd: packageRoot, exclude: (path) => path.endsWith('node_modules') })
  const users = files.filter((file) => /['"`:]\/usr\/bin:/.test(readFileSync(join(packageRoot, file), 'utf8')))
  expect(users).toEqual(['packages/wire/process/child-path.ts'])
})
