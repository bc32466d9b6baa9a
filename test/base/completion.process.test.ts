import { execFileSync } from 'node:child_process'
import { COMPLETE, COMPLETION_SCRIPTS } from '@standin/base/completion.ts'
import { expect, test } from 'vitest'

/** Answers what it was asked, with a description. */
const STANDIN = `standin() { printf '%s\\tdescription\\n' "$*"; }`
const COMPLETED = `COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n_standin; printf '%s\\n' "\${COMPREPLY[@]}"`

test.each([
  [['bots', 'se'], `${COMPLETE} -- bots se`],
  [['service', 'keys', 'c'], `service ${COMPLETE} -- keys c`],
  [['serv'], `${COMPLETE} -- serv`],
])('in bash, %j is completed with the words that "standin %s" prints', (words, asked) => {
  const script = [STANDIN, COMPLETION_SCRIPTS.bash, COMPLETED].join('\n')
  const answer = execFileSync('bash', ['--norc', '-c', script, 'bash', 'standin', ...words], { encoding: 'utf8' })
  expect(answer).toBe(`${asked}\n`)
})
