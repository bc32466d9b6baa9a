/** `standin account`: the commands ask the real API with a real database. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../src/cli/run.ts'
import { openWorld } from '../../control-plane/world.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { inProcess } from '../../fakes/in-process.ts'

const folder = temporaryFolder()
const world = await openWorld({ api: {} })
const url = await world.app.listen({ host: '127.0.0.1', port: 0 })
const environment = { STANDIN_URL: url, STANDIN_API_KEY: (await world.team()).key }

const standin = (...words: string[]) => inProcess(run, ['account', ...words], environment)

async function fileWith(content: unknown): Promise<string> {
  const file = join(folder, 'state.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
const cookie = (domain: string) => ({ name: 'SID', value: 'secret-of-the-session', domain })
const ADD = ['add', '--platform', 'meet', '--label', 'Notes']

test('an imported session becomes an account, which is listed, disabled, enabled, checked and deleted', async () => {
  const file = await fileWith({ cookies: [cookie('.google.com'), cookie('.bank.example')] })
  const added = await standin('-q', ...ADD, '--address', 'n@example.com', '--max-meetings', '3', '--import', file)
  expect(added.exitCode).toBe(0)
  const id = added.out.trim()
  const listed = await standin('list')
  for (const word of [id, 'meet', 'unknown', '0 of 3', 'default', 'n@example.com', 'Notes'])
    expect(listed.out).toContain(word)
  await standin('disable', id)
  expect((await standin('list')).out).toContain('disabled')
  for (const deed of ['enable', 'check']) expect((await standin(deed, id)).exitCode).toBe(0)
  expect(await standin('-q', ...ADD, '--replace', id, '--import', file)).toMatchObject({ exitCode: 0, out: added.out })
  expect((await standin('list')).out).not.toContain('disabled')
  expect((await standin('delete', id)).exitCode).toBe(0)
  expect((await standin('list')).out).toContain('There are no accounts.')
  expect(await standin('check', id)).toMatchObject({ exitCode: 1, errors: expect.stringContaining('not found') })
  for (const { out, errors } of [added, listed]) expect(`${out}${errors}`).not.toContain('secret-of-the-session')
})

test.each([
  ['is no JSON', 'secret-of-the-session', 'the session is not JSON'],
  ['has no cookie of the platform', { cookies: [cookie('.zoom.us')] }, 'holds no cookie of google.com'],
])('a file that %s is a mistake, and is not repeated', async (_what, content, words) => {
  const failed = await standin(...ADD, '--import', await fileWith(content))
  expect(failed).toEqual({ exitCode: 2, out: '', errors: expect.stringContaining(words) })
  expect(failed.errors).not.toContain('secret-of-the-session')
})

test('without a display the command says so', async () => {
  const sentence = 'no display (DISPLAY): sign in on another one and use --import'
  expect(await standin(...ADD)).toMatchObject({ exitCode: 2, errors: expect.stringContaining(sentence) })
})
