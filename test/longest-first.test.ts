import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../packages/core/process/page-scripts.ts'
import { SLOW_FILES } from './longest-first.ts'

test('every file that begins early exists', () => {
  expect(SLOW_FILES.filter((file) => !existsSync(join(packageRoot, file)))).toEqual([])
})
