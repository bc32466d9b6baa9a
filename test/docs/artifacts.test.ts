/** The code writes the examples of docs/artifacts.md for the worker run that they show. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { artifactSchema, numberedEventSchema } from '@standin/wire/events.ts'
import { expect, onTestFinished, test } from 'vitest'
import { BotError } from '../../packages/core/errors.ts'
import { silentLogger } from '../../packages/core/logger.ts'
import { createParticipantTracks } from '../../recorder/tracks/participant-tracks.ts'
import { saveEvidence, writeFilesAboutPeople } from '../../src/run/artifacts.ts'
import { ChatRecord } from '../../src/run/chat-record.ts'
import { Timeline } from '../../src/run/timeline.ts'

const page = await readFile(new URL('../../docs/artifacts.md', import.meta.url), 'utf8')
const examples = new Map([...page.matchAll(/^```json (\S+)\n(.*?)^```$/gms)].map(([, name, text]) => [name!, text!]))

function example(name: string) {
  return JSON.parse(examples.get(name) ?? 'null')
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'standin-artifacts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`)

test('the files about people are written as the page shows them', async () => {
  const timeline = new Timeline(() => [{ startedAt: at('09:30:00.084'), endedAt: at('09:30:10.084') }])
  const participant = { id: 'spaces/x/devices/7', name: 'Ana Kovač', isHost: true }
  const speech = { participantId: participant.id, source: 'csrc', confidence: 0.9, type: 'speaking' } as const
  timeline.onEvent({ type: 'participant_joined', participant, at: at('09:29:58.000') })
  timeline.onEvent({ ...speech, isSpeaking: true, at: at('09:30:00.584') })
  timeline.onEvent({ ...speech, isSpeaking: false, at: at('09:30:05.284') })
  const chat = new ChatRecord(timeline)
  const links = [{ text: 'the document', url: 'https://example.org/agenda' }]
  const text = 'The agenda is in the document.'
  chat.record({
    type: 'chat_message',
    message: {
      id: 'spaces/x/messages/31',
      senderId: participant.id,
      senderName: participant.name,
      text: 'The agenda is here.',
      at: at('09:30:07.084'),
      isOwn: false,
    },
  })
  chat.record({
    type: 'chat_message_changed',
    messageId: 'spaces/x/messages/31',
    content: { text, links, isEdited: true, reactions: [{ emoji: '👍', count: 1, participantIds: [participant.id] }] },
    at: at('09:30:09.084'),
  })
  const hand = { type: 'hand_raised', participantId: participant.id, name: participant.name } as const
  chat.record({ ...hand, isRaised: true, at: at('09:30:08.084') })
  timeline.close(at('09:30:10.084'))
  const folder = await temporaryFolder()
  await writeFilesAboutPeople(folder, {
    botId: 'b1',
    participants: timeline.participantsFile(),
    diarization: timeline.diarization(),
    chat: chat.messages(),
    reactions: chat.reactions(),
  })
  for (const name of ['participants.json', 'diarization.jsonl', 'chat_messages.json', 'reactions.jsonl'])
    expect(JSON.parse(await readFile(join(folder, name), 'utf8')), name).toEqual(example(name))
})

test('the index of single voices is written as the page shows it', async () => {
  const folder = await temporaryFolder()
  const voices = createParticipantTracks({ folder, offsetAt: (instant) => instant / 1000, logger: silentLogger })
  const participantId = 'spaces/x/devices/7'
  for (let packet = 0; packet < 100; packet++)
    voices.write({ participantId, at: 12_450 + packet * 20, opus: Buffer.of(0xf8, 0xff, 0xfe) })
  await voices.finish(() => ({ id: 3, name: 'Ada Lovelace', platform_id: participantId }))
  const written = await readFile(join(folder, 'audio', 'index.json'), 'utf8')
  expect(JSON.parse(written)).toEqual(example('audio/index.json'))
})

test('the evidence of a failure is written as the page shows it', async () => {
  const folder = await temporaryFolder()
  const shown = example('debug/failure.json')
  const error = new BotError('BOT_NOT_ACCEPTED', 'The host denied the request to join.', { step: 'waiting room' })
  await saveEvidence(
    folder,
    { screenshot: new Uint8Array([1]), html: '<p>', console: ['a'], url: shown.url, signs: shown.signs },
    { code: error.code, sentence: `${error.message} ${error.cure}`, step: error.step },
  )
  expect(JSON.parse(await readFile(join(folder, 'debug/failure.json'), 'utf8'))).toEqual(shown)
  for (const name of ['screenshot.png', 'page.html', 'console.log']) {
    expect((await readFile(join(folder, 'debug', name))).length).toBeGreaterThan(0)
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'))
  }
})

test('the examples of events and of stored files fit their schemas', () => {
  expect(numberedEventSchema.parse(example('events.jsonl'))).toEqual(example('events.jsonl'))
  const { files } = example('manifest.json')
  expect(files.map((file: unknown) => artifactSchema.parse(file))).toEqual(files)
})

test('every JSON file of the table has an example', () => {
  const named = [...page.matchAll(/^\| `(\S+\.jsonl?)`/gm)].map(([, name]) => name!)
  expect(named).toContain('manifest.json')
  for (const name of named) expect([...examples.keys()].join(' ')).toContain(name)
})
