import { expect, test } from 'vitest'
import { plainData, readAnswer, readReport } from '../../../../platforms/shared/page-access/page-answers.ts'

const at = Date.now()
const TEXTS = { url: 'https://meeting.test/', lang: 'en', lines: ['Hello'], headings: [], dialogs: [] }
const SIGNS = { ...TEXTS, at, microphone: 'off', camera: 'off', others: 2 }
const ann = { id: 'a', name: 'Ann', isHost: false }
const message = { id: 'm', senderId: 'a', senderName: 'Ann', text: 'Hi', at, isOwn: false }
const read = (events: unknown[], snapshot: unknown = SIGNS) =>
  readReport({
    snapshot,
    events: events.map((event, index) => ({ number: index + 1, event })),
    document: 1,
    hasBegun: true,
  })

test('what a script tells comes through as it is', () => {
  const events = [
    { type: 'participant_joined', participant: ann, at },
    { type: 'speaking', participantId: 'a', isSpeaking: true, source: 'csrc', confidence: 0.9, at },
    { type: 'chat_message', message: { ...message, links: [{ text: 'x', url: 'https://x.test/' }] } },
    { type: 'chat_message_changed', messageId: 'm', content: { text: '', isDeleted: true }, at },
    { type: 'reaction', participantId: null, name: 'Ann', emoji: '👍', at },
    { type: 'hand_raised', participantId: 'a', name: 'Ann', isRaised: true, at },
    { type: 'screen_share', participantId: null, isSharing: true, at },
    { type: 'caption', key: 'k', participantId: null, name: '', text: 'Hello', isFinal: false, at, startedAt: at },
    { type: 'camera', participantId: 'a', at },
    { type: 'participant_left', participantId: 'a', at },
  ]
  const snapshot = { ...SIGNS, join: { label: 'Join', isEnabled: true }, nameBox: null, ownStatus: 1 }
  const counts = { lastNumber: events.length, dropped: 0, refused: 0 }
  expect(read(events, snapshot)).toEqual({ snapshot, events, document: 1, hasBegun: true, ...counts })
})

test.each([
  ['an instant that is no number', { type: 'camera', participantId: 'a', at: Number.NaN }],
  ['an instant in the future', { type: 'camera', participantId: 'a', at: Date.now() + 86_400_000 }],
  ['a name that is a number', { type: 'participant_joined', participant: { ...ann, name: 7 }, at }],
  ['an id without end', { type: 'participant_left', participantId: 'x'.repeat(501), at }],
  ['a kind that is none', { type: 'ended', end: 'removed', text: '', at }],
  ['a text that is an object', { type: 'chat_message', message: { ...message, text: { toString: 1 } } }],
  ['nothing', null],
])('%s is rejected and counted, and the other events are reported', (_what, event) => {
  const result = read([event, { type: 'participant_left', participantId: 'b', at }])
  expect(result).toMatchObject({ refused: 1, lastNumber: 2, events: [{ participantId: 'b' }] })
})

test('a text that is too long is cut', () => {
  const [event] = read([{ type: 'chat_message', message: { ...message, text: 'x'.repeat(1_000_000) } }])?.events ?? []
  expect((event as { message: { text: string } }).message.text).toHaveLength(20_000)
})

test.each([
  ['nothing', null],
  ['a text', 'snapshot'],
  ['signs without a time', { ...SIGNS, at: Number.NaN }],
  ['lines that are no list', { ...SIGNS, lines: 'Hello' }],
  ['others that are no count', { ...SIGNS, others: '2' }],
  ['a device that is in no known state', { ...SIGNS, microphone: 'maybe' }],
])('%s is no snapshot', (_what, snapshot) => {
  expect(read([], snapshot)).toBeNull()
})

test('more events than a script keeps are no snapshot', () => {
  expect(read(Array.from({ length: 6001 }, () => null))).toBeNull()
})

test('signs of a platform are bounded in size and depth', () => {
  let deep: unknown = 'end'
  for (let level = 0; level < 100; level++) deep = { deep }
  const read = plainData({ long: 'x'.repeat(50_000), many: Array(5000).fill(1), infinite: 1 / 0, deep })
  expect(read).toMatchObject({ long: 'x'.repeat(20_000), many: Array(2000).fill(1), infinite: null })
  expect(JSON.stringify(read)).not.toContain('end')
})

test('answers to other questions are of their kind or none', () => {
  const chat = { isPanelOpen: true, box: { isEnabled: true, value: '' }, own: [{ id: 'm', text: 'Hi' }] }
  expect(readAnswer('chat', chat)).toEqual({ answer: chat, isRefused: false })
  expect(readAnswer('chat', null)).toEqual({ answer: null, isRefused: false })
  expect(readAnswer('chat', { ...chat, own: 'none' })).toEqual({ answer: null, isRefused: true })
  expect(readAnswer('playSound', Number.NaN)).toEqual({ answer: null, isRefused: true })
  expect(readAnswer('framesFault', 7)).toEqual({ answer: null, isRefused: true })
})
