import { appendFile, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BotEvent, NumberedEvent } from '@standin/wire/events.ts'
import { numberedEventSchema } from '@standin/wire/events.ts'
import { expect, onTestFinished, test } from 'vitest'
import { JOURNAL_NAME, Journal, LINK_STATE_NAME } from '../../../src/control-link/journal.ts'
import { createLocalControlPlane } from '../../../src/control-link/local.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { BOT_ID, memoryLogger, notice, numbersUpTo, seqs, until } from './support.ts'

function openJournal(folder: string, botId = BOT_ID) {
  const logger = memoryLogger()
  const journal = new Journal({ folder, botId, logger })
  onTestFinished(() => journal.close())
  return { journal, logger }
}

async function eventsIn(folder: string): Promise<NumberedEvent[]> {
  const text = await readFile(join(folder, JOURNAL_NAME), 'utf8')
  expect(text === '' || text.endsWith('\n')).toBe(true)
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => numberedEventSchema.parse(JSON.parse(line)))
}

/** A journal that was closed after these notices. */
async function writtenJournal(folder: string, last: number, acknowledged = 0): Promise<Journal> {
  const { journal } = openJournal(folder)
  appendMany(journal, 1, last)
  journal.acknowledge(acknowledged)
  await journal.close()
  return journal
}

function appendMany(journal: Journal, from: number, to: number): void {
  for (let number = from; number <= to; number++) journal.append(notice(`Notice ${number}`))
}

test('an event is on disk, numbered, when append returns', async () => {
  const folder = temporaryFolder()
  const { journal } = openJournal(folder)
  expect(journal.append(notice('one'))).toMatchObject({ type: 'event', seq: 1, bot_id: BOT_ID, event: notice('one') })
  expect(await eventsIn(folder)).toMatchObject([{ seq: 1, event: notice('one') }])
  journal.append(notice('☃ two\nlines\u2028'))
  expect((await eventsIn(folder)).map(({ event }) => event)).toEqual([notice('one'), notice('☃ two\nlines\u2028')])
  // Neither the file nor the link carries a raw separator, at which some readers end a line.
  expect(await readFile(join(folder, JOURNAL_NAME), 'utf8')).not.toContain('\u2028')
  expect(journal.readAfter(0, 10_000).map(({ text }) => text.includes('\u2028'))).toEqual([false, false])
})

test('a folder that does not exist is made', async () => {
  const folder = join(temporaryFolder(), 'of', 'this-bot')
  openJournal(folder).journal.append(notice('one'))
  expect(await eventsIn(folder)).toHaveLength(1)
})

test('reading gives every event behind a number, in order, in parts of the wanted size', async () => {
  const { journal } = openJournal(temporaryFolder())
  appendMany(journal, 1, 1_000)
  for (const start of [0, 1, 62, 63, 64, 65, 128, 500, 998, 999, 1_000, 5_000]) {
    const read: number[] = []
    for (let seq = start; ; ) {
      const lines = journal.readAfter(seq, 700)
      expect(lines.length).toBeLessThan(10)
      for (const line of lines) {
        expect(JSON.parse(line.text).seq).toBe(line.seq)
        read.push(line.seq)
      }
      if (lines.length === 0) break
      seq = lines.at(-1)!.seq
    }
    expect(read).toEqual(numbersUpTo(1_000).slice(start))
  }
})

test('an event that is larger than a part, or than what is read at once, comes whole', async () => {
  const { journal } = openJournal(temporaryFolder())
  const long = 'ä'.repeat(300_000)
  for (const text of ['short', long, 'short again']) journal.append(notice(text))
  const texts = [0, 1, 2].map((seq) => JSON.parse(journal.readAfter(seq, 10)[0]!.text).event.message)
  expect(texts).toEqual(['short', long, 'short again'])
})

test('a journal that is opened again continues the numbering and remembers the acknowledged events', async () => {
  const folder = temporaryFolder()
  const first = await writtenJournal(folder, 200, 150)
  const second = openJournal(folder).journal
  expect([second.lastSeq, second.acknowledged, second.id]).toEqual([200, 150, first.id])
  appendMany(second, 201, 210)
  expect(seqs(await eventsIn(folder))).toEqual(numbersUpTo(210))
  expect(second.readAfter(199, 1).map(({ seq }) => seq)).toEqual([200])
})

test('at whichever byte the last line is cut, the rest is whole and the numbering continues', async () => {
  const folder = temporaryFolder()
  const journal = await writtenJournal(folder, 3)
  const path = join(folder, JOURNAL_NAME)
  const whole = await readFile(path)
  const twoLines = whole.lastIndexOf('\n', whole.length - 2) + 1
  for (let size = whole.length - 1; size >= twoLines; size--) {
    await writeFile(path, whole)
    await truncate(path, size)
    const reopened = openJournal(folder)
    expect(reopened.journal.lastSeq).toBe(2)
    reopened.journal.append(notice('a new third'))
    await reopened.journal.close()
    const events = await eventsIn(folder)
    expect(events.map(({ seq, event }) => [seq, 'message' in event && event.message])).toEqual([
      [1, 'Notice 1'],
      [2, 'Notice 2'],
      [3, 'a new third'],
    ])
    expect(reopened.journal.id).toBe(journal.id)
  }
  expect(await readdir(folder)).not.toContain(`${JOURNAL_NAME}.damaged`)
})

test.each([
  ['zeros after a power failure', (_: string) => '\0'.repeat(5_000), null],
  ['a line that is no event', (_: string) => '{"type":"event"}\n', 'damaged'],
  ['a line out of order', (line: string) => `${line}\n`, 'damaged'],
  ['text', (_: string) => 'hello\nworld\n', 'damaged'],
])('%s behind the last event is cut off, and whole lines are kept aside', async (_, rubbish, kept) => {
  const folder = temporaryFolder()
  await writtenJournal(folder, 5)
  const path = join(folder, JOURNAL_NAME)
  const firstLine = (await readFile(path, 'utf8')).split('\n')[0]!
  await appendFile(path, rubbish(firstLine))
  const reopened = openJournal(folder)
  expect(reopened.journal.lastSeq).toBe(5)
  expect(reopened.logger.messages('warn')).toEqual(['The end of the journal was damaged and is cut off'])
  appendMany(reopened.journal, 6, 6)
  expect(seqs(await eventsIn(folder))).toEqual(numbersUpTo(6))
  if (kept) expect(await readFile(`${path}.damaged`, 'utf8')).toBe(rubbish(firstLine))
})

test('a journal that lost events which were acknowledged gets a new name', async () => {
  const folder = temporaryFolder()
  const journal = await writtenJournal(folder, 5, 5)
  await rm(join(folder, JOURNAL_NAME))
  const reopened = openJournal(folder).journal
  expect([reopened.lastSeq, reopened.acknowledged]).toEqual([0, 0])
  expect(reopened.id).not.toBe(journal.id)
})

test.each(['', 'rubbish', '{"journal_id":"x","acknowledged":-1}'])(
  'a state file of %j counts as none',
  async (text) => {
    const folder = temporaryFolder()
    const journal = await writtenJournal(folder, 5, 5)
    await writeFile(join(folder, LINK_STATE_NAME), text)
    const reopened = openJournal(folder).journal
    expect([reopened.lastSeq, reopened.acknowledged]).toEqual([5, 0])
    expect(reopened.id).not.toBe(journal.id)
  },
)

test("another bot's journal is not continued", async () => {
  const folder = temporaryFolder()
  await writtenJournal(folder, 5)
  const other = openJournal(folder, '11111111-2222-4333-8444-555555555555').journal
  expect(other.lastSeq).toBe(0)
  expect((await readFile(join(folder, `${JOURNAL_NAME}.damaged`), 'utf8')).trimEnd().split('\n')).toHaveLength(5)
})

test('more cannot be acknowledged than was written', async () => {
  const { journal } = openJournal(temporaryFolder())
  appendMany(journal, 1, 2)
  expect(() => journal.acknowledge(3)).toThrow('Event 3 was never written')
})

test('events wait in memory, readable and in order, while the folder cannot be made, and then are written', async () => {
  const folder = join(temporaryFolder(), 'recording')
  await writeFile(folder, 'a file where the folder should be')
  const { journal, logger } = openJournal(folder)
  appendMany(journal, 1, 50)
  expect(journal.readAfter(10, 1_000_000).map(({ seq }) => seq)).toEqual(numbersUpTo(50).slice(10))
  expect(journal.readAfter(50, 1_000)).toEqual([])
  // One line for each kind of trouble, not one for each event.
  expect(logger.messages('error')).toHaveLength(3)
  await rm(folder)
  appendMany(journal, 51, 51)
  expect(seqs(await eventsIn(folder))).toEqual(numbersUpTo(51))
  expect(journal.readAfter(0, 1e9).map(({ seq }) => seq)).toEqual(numbersUpTo(51))
})

test('events that waited are written when the trouble is over, also if no further event comes', async () => {
  const folder = join(temporaryFolder(), 'recording')
  await writeFile(folder, '')
  const { journal } = openJournal(folder)
  appendMany(journal, 1, 3)
  await journal.flush()
  await rm(folder)
  await until(async () => expect(await eventsIn(folder)).toHaveLength(3))
  journal.acknowledge(2)
  await until(async () => expect(await readFile(join(folder, LINK_STATE_NAME), 'utf8')).toContain('"acknowledged":2'))
})

test('when neither disk nor memory has room, what says how the bot ended still gets its number', async () => {
  const folder = join(temporaryFolder(), 'recording')
  await writeFile(folder, '')
  const { journal, logger } = openJournal(folder)
  const text = 'x'.repeat(1_000_000)
  let taken = 0
  while (journal.append(notice(text))) taken += 1
  expect(taken).toBeLessThan(16)
  const last: BotEvent = { type: 'status_change', status: 'failed', error_code: 'INTERNAL_ERROR' }
  expect(journal.append(last)).toMatchObject({ seq: taken + 1, event: last })
  expect(logger.messages('error')).toContain('Events are lost: neither disk nor memory has room for them')
  await journal.close()
  expect(logger.lines.at(-1)).toMatchObject({
    message: 'The journal is not complete',
    fields: { unwritten: taken + 1, lost: 1 },
  })
})

test('a full device stops no other part and is logged once', async () => {
  const folder = temporaryFolder()
  const logger = memoryLogger()
  await symlink('/dev/full', join(folder, JOURNAL_NAME))
  const seen: number[] = []
  const control = createLocalControlPlane({ folder, botId: BOT_ID, logger, onEvent: ({ seq }) => seen.push(seq) })
  for (const number of numbersUpTo(100)) control.report(notice(`Notice ${number}`))
  expect(seen).toEqual(numbersUpTo(100))
  const reported = logger.lines.filter(({ message }) => message.startsWith('An event cannot be written down'))
  expect(reported).toHaveLength(1)
  expect(reported[0]!.fields.error).toMatchObject({ code: 'ENOSPC' })
  await control.drain(1_000)
  await control.close()
})

test('a folder that vanishes does not stop the bot', async () => {
  const folder = join(temporaryFolder(), 'recording')
  await mkdir(folder)
  const { journal } = openJournal(folder)
  appendMany(journal, 1, 3)
  await rm(folder, { recursive: true })
  appendMany(journal, 4, 6)
  expect(journal.readAfter(0, 1e6).map(({ seq }) => seq)).toEqual(numbersUpTo(6))
  await journal.close()
})
