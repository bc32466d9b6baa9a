/** Completion of the real command line, by its function and by the script for bash. */
import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMPLETE, COMPLETION_SCRIPTS, completionsOf } from '@standin/base/completion.ts'
import { expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../core/process/page-scripts.ts'
import type { Io } from '../../src/cli/io.ts'
import { createProgram } from '../../src/cli/program.ts'
import { PROGRAM_ENVIRONMENT } from '../servers/program-environment.ts'

const program = createProgram({ environment: {} } as Io)
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

test('in bash, the script completes commands of the bot and of the service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'standin-completion-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const run = (program: string) => `exec '${process.execPath}' '${join(packageRoot, program)}' "$@"`
  const shim = `#!/bin/sh\nif [ "$1" = service ]; then shift; ${run('control-plane/cli/index.ts')}; fi\n${run('src/cli/index.ts')}\n`
  await writeFile(join(folder, 'standin'), shim)
  await chmod(join(folder, 'standin'), 0o755)
  const complete = (...words: string[]) =>
    execFileSync(
      'bash',
      [
        '--norc',
        '-c',
        `${COMPLETION_SCRIPTS.bash}\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n_standin; echo "\${COMPREPLY[@]}"`,
        'bash',
        ...words,
      ],
      { encoding: 'utf8', cwd: folder, env: { ...PROGRAM_ENVIRONMENT, PATH: `${folder}:${PROGRAM_ENVIRONMENT.PATH}` } },
    ).trim()
  expect(complete('standin', 'bots', 'se')).toBe('send')
  expect(complete('standin', 'service', 'keys', 'c')).toBe('create')
  expect(complete('standin', 'serv')).toBe('serve service')
})
