/** The commands that the documentation shows, beside those that the program has. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Io } from '@standin/wire/process/command-io.ts'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'

const root = join(import.meta.dirname, '../..')
const program = createProgram({ environment: {} } as Io, () => {})
/** Their options are in other tests, or in a separate program. */
const ELSEWHERE = ['join', 'demo', 'service', 'mcp']

/** The words after `standin` in code of all pages. */
const shown = globSync(['README.md', 'docs/**/*.md'], { cwd: root }).flatMap((page) =>
  [
    ...readFileSync(join(root, page), 'utf8').matchAll(
      /(?:^|`|&& |\$\()(?:npx |bin\/)?standin ([a-z-]+(?:[^`\n\\|&;)]|\\\n)*)/gm,
    ),
  ].map(([, words]) => ({ page, words: words!.split(/\s+/) })),
)

const named = (parent: Command, name: string | undefined) => parent.commands.find((command) => command.name() === name)

test('every command and option that a page shows exists', () => {
  expect(shown.length).toBeGreaterThan(20)
  expect(shown.filter(({ words }) => words[0] === 'bots').length).toBeGreaterThan(4)
  const unknown = shown.filter(({ words }) => {
    const command = named(program, words[0])
    if (command === undefined || ELSEWHERE.includes(words[0]!)) return words[0] !== 'help' && command === undefined
    const inner = named(command, words[1]) ?? command
    const known = [...program.options, ...command.options, ...inner.options].map(({ long }) => long)
    const isWrong = command.name() === 'bots' && inner === command && words.length > 1
    return isWrong || words.some((word) => /^--[a-z]/.test(word) && !known.includes(word))
  })
  expect(unknown).toEqual([])
})
