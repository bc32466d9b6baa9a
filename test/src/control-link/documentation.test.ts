import { readFile } from 'node:fs/promises'
import { botCommandSchema, COMMAND_ERROR_CODES } from '@standin/wire/commands.ts'
import {
  downMessageSchema,
  MAX_DOWN_FRAME_BYTES,
  MAX_UP_FRAME_BYTES,
  upMessageSchema,
} from '@standin/wire/control-link.ts'
import { botEventSchema } from '@standin/wire/events.ts'
import { expect, test } from 'vitest'
import { MAX_REMEMBERED_IDS, MAX_WAITING_COMMANDS } from '../../../src/control-link/command-dispatcher.ts'
import { MAX_BAD_MESSAGES } from '../../../src/control-link/connection.ts'
import { DEFAULT_TIMING } from '../../../src/control-link/timing.ts'

const page = await readFile(new URL('../../../docs/control-link.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) => JSON.parse(text!))

const typesOf = (
  schema: typeof downMessageSchema | typeof upMessageSchema | typeof botEventSchema | typeof botCommandSchema,
) => schema.options.map((option) => option.shape.type.value)

test('every example of the page fits the schema of its kind', () => {
  expect(examples.length).toBeGreaterThan(20)
  for (const example of examples) {
    const schema = [downMessageSchema, upMessageSchema, botEventSchema].find((candidate) =>
      (typesOf(candidate) as string[]).includes(example.type),
    )
    expect(schema, `${example.type} is a message or an event`).toBeDefined()
    expect(schema!.safeParse(example).error?.issues, JSON.stringify(example)).toBeUndefined()
  }
})

test('every kind of message, event and command has an example', () => {
  const shown = new Set(examples.flatMap((example) => [example.type, example.command?.type]))
  const all = [downMessageSchema, upMessageSchema, botEventSchema, botCommandSchema].flatMap(typesOf)
  expect(all.filter((type) => !shown.has(type))).toEqual([])
})

test('every code of a refused command is explained', () => {
  for (const code of COMMAND_ERROR_CODES) expect(page).toMatch(new RegExp(`^\\| \`${code}\` +\\| \\w`, 'm'))
})

test('the figures of the page are those of the code', () => {
  const { heartbeatMs, welcomeMs, acceptMs, pingMs, silenceMs, settledMs } = DEFAULT_TIMING
  expect(page).toContain(`Every ${heartbeatMs / 1000} s, not numbered`)
  expect(page).toContain(`at most ${acceptMs / 1000} s after the \`welcome\``)
  expect(page).toContain(`none comes within ${welcomeMs / 1000} s`)
  expect(page).toContain(
    `one every ${pingMs / 1000} s and drops a link on which nothing was received for ${silenceMs / 1000} s`,
  )
  expect(page).toContain(`or which lasted ${settledMs / 1000} s`)
  expect(page).toContain(`of more than ${MAX_DOWN_FRAME_BYTES / 1024} KiB`)
  expect(page).toContain(`Frames from the bot stay below ${MAX_UP_FRAME_BYTES / 1024 / 1024} MiB`)
  expect(page).toContain(`so do ${MAX_BAD_MESSAGES} messages`)
  expect(page).toContain(`more than ${MAX_WAITING_COMMANDS} commands`)
  expect(page).toContain(`the last ${String(MAX_REMEMBERED_IDS).replace(/000$/, ' 000')} ids`)
})
