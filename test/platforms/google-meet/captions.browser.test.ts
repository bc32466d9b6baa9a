/**
 * The driver turns on captions and reports their text from the channel, or from the page where the channel is silent.
 */
import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import { WORDS } from '../../../packages/mock/shared/caption-writer.ts'
import { CaptionAssembler } from '../../../src/transcription/captions.ts'
import { meetHarness } from './harness.ts'

const meet = meetHarness()

type Caption = Extract<MeetingEvent, { type: 'caption' }>
const isCaption = (event: MeetingEvent): event is Caption => event.type === 'caption'

test('captions-and-translation: they are found behind a menu, and rows name their speaker', async () => {
  const attempt = await meet.attempt('captions-and-translation', { driver: { captions: true } })
  await attempt.enter()
  await attempt.event('captions', ({ areOn }) => areOn)
  attempt.meeting.startSpeaking('bob')
  const bob = await attempt.event('participant_joined', ({ participant }) => participant.name.startsWith('Bob'))
  // Others speak in this meeting too.
  const isBobs = (event: Caption) => event.name === bob.participant.name && event.text.includes(' ')
  const { participantId, text } = await attempt.event('caption', isBobs)
  expect(participantId).toBe(bob.participant.id)
  expect(WORDS.join(' ').repeat(2)).toContain(text.split(' ')[0])
})

test('captions-by-page: a region that is redrawn in the middle of a sentence loses no word and doubles none', async () => {
  const attempt = await meet.attempt('captions-by-page', { driver: { captions: true } })
  await attempt.enter()
  await attempt.event('captions', ({ areOn }) => areOn)
  attempt.meeting.startSpeaking('bob')
  await attempt.event('caption', ({ text }) => text.split(' ').length >= 5)
  attempt.meeting.show('replace-captions')
  const { length } = attempt.events
  await attempt.event(
    'caption',
    (event) => attempt.events.indexOf(event) > length && event.text.split(' ').length >= 12,
  )
  const said: string[] = []
  const dispatcher = new CaptionAssembler(({ isFinal, words }) => {
    if (isFinal) said.push(...words.map(({ word }) => word))
  })
  const rows = attempt.events.filter(isCaption)
  for (const { participantId, ...row } of rows) dispatcher.onUpdate({ ...row, speaker: participantId ?? '' })
  dispatcher.finish()
  // The redrawn row is known again.
  expect(new Set(rows.map(({ key }) => key)).size).toBe(1)
  expect(said.length).toBeGreaterThanOrEqual(12)
  const begins = WORDS.flatMap((word, index) => (word === said[0] ? [index] : []))
  const texts = begins.map((begin) => said.map((_, index) => WORDS[(begin + index) % WORDS.length]).join(' '))
  expect(texts).toContain(said.join(' '))
})
