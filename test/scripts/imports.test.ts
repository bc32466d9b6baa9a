import { expect, test } from 'vitest'
import { importsOf } from '../../scripts/imports.ts'

test.each([
  ["import a from './a.ts'", './a.ts', false],
  ["import { a, type B } from './a.ts'", './a.ts', false],
  ["import type { A } from './a.ts'", './a.ts', true],
  ["import * as a from './a.ts'", './a.ts', false],
  ["import a, { b } from './a.ts'", './a.ts', false],
  ["import './a.ts'", './a.ts', false],
  ["export { a } from './a.ts'", './a.ts', false],
  ["export type { A } from './a.ts'", './a.ts', true],
  ["export * from './a.ts'", './a.ts', false],
  ["const a = await import('./a.ts')", './a.ts', false],
  ["import {\n  a,\n  // from './b.ts'\n  b,\n} from './a.ts'", './a.ts', false],
])('%s', (text, name, isType) => {
  expect(importsOf(text)).toEqual([{ name, isType }])
})

test.each([
  ["// import a from './a.ts'"],
  ["const text = `import a from './a.ts'`"],
  ['const text = "import a from \'./a.ts\'"'],
  ["export const from = './a.ts'"],
  ["export function from(a = './a.ts') {}"],
  ['const root = import.meta.dirname'],
  ['await import(name)'],
])('%s imports nothing', (text) => {
  expect(importsOf(text)).toEqual([])
})
