/** Completion of the real command lines. */
import type { Io } from '@standin/base/command-io.ts'
import { COMPLETE, completionsOf } from '@standin/base/completion.ts'
import { run as runService } from '@standin/control-plane/cli/run.ts'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { run } from '../../src/cli/run.ts'
import { inProcess } from '../fakes/in-process.ts'

const program = createProgram({ environment: {} } as Io, () => {})
const wordsFor = (...words: string[]) => completionsOf(program, words).map((line) => line.split('\t')[0])

test('commands, options and their words are completed', () => {
  expect(wordsFor('jo')).toEqual(['join', 'join-parts'])
  expect(wordsFor('bots', 'wa')).toEqual(['watch'])
  expect(wordsFor('bots', 'send', '--mod')).toEqual(['--mode'])
  expect(wordsFor('bots', 'send', '--mode', 'g')).toEqual(['gallery_view'])
  expect(wordsFor('mock', 'zoom')).toEqual(['zoom-oauth', 'zoom'])
  expect(wordsFor('bots', 'list', '--key')).toEqual(['--key-file'])
  expect(completionsOf(program, ['doc'])).toEqual(['doctor\tsay what is missing on this machine and how to get it'])
})

test('files are left to the shell, and hidden commands are not shown', () => {
  expect(wordsFor('serve', '')).toEqual([])
  expect(wordsFor('join', '--out', '')).toEqual([])
  expect(wordsFor('')).not.toContain('demo-meeting')
  expect(wordsFor('')).not.toContain(COMPLETE)
})

test('the hidden command of both programs answers what the scripts of the shells ask', async () => {
  const answer = async (of: typeof run, ...words: string[]) => (await inProcess(of, [COMPLETE, '--', ...words])).out
  expect(await answer(run, 'bots', 'se')).toMatch(/^send\t/)
  expect(await answer(runService, 'keys', 'c')).toMatch(/^create\t/)
})
