/** Selectors name classes and ids that the mock meeting draws; both follow the same field notes, each in its own words. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SELECTORS } from '../../../platforms/zoom/selectors.ts'
import { packageRoot } from '../../../src/page-scripts.ts'

const mock = globSync('mock/zoom/**/*.ts', { cwd: packageRoot })
  .map((file) => readFileSync(join(packageRoot, file), 'utf8'))
  .join('\n')

/** The mock makes these of a class and an ending. */
const ENDINGS = /--(?:active|self)$/

test.each(Object.entries(SELECTORS))('%s: %s', (_name, selector) => {
  const alternatives = selector.split(',').map((part) => [...part.matchAll(/[.#]([A-Za-z][\w-]+)|\*="([^"]+)"/g)])
  const isDrawn = (token: string) => mock.includes(token.replace(ENDINGS, ''))
  const drawn = alternatives.filter((tokens) => tokens.every(([, named, part]) => isDrawn(named ?? part ?? '')))
  expect(drawn.length).toBeGreaterThan(0)
})
