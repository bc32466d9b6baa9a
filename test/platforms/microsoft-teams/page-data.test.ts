import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createEndNotice } from '../../../platforms/microsoft-teams/page/end-notice.ts'
import { readChannelMessage } from '../../../platforms/microsoft-teams/page/main-channel.ts'
import { isEncoded, isOwnName, nameOf } from '../../../platforms/microsoft-teams/page/names.ts'
import { People } from '../../../platforms/microsoft-teams/page/people.ts'
import { isForeign } from '../../../platforms/microsoft-teams/page/schemes.ts'
import { type PersonRecord, readFrame } from '../../../platforms/microsoft-teams/page/signalling.ts'
import { WORDS } from '../../../platforms/microsoft-teams/words.ts'
import { createWording } from '../../../platforms/shared/page/dom/wording.ts'
import { labelSources } from '../../../platforms/shared/words.ts'

const { says } = createWording(labelSources(WORDS.labels))

describe('names', () => {
  test.each([
    ['Ann Lee', 'Ann Lee'],
    ['Ann Lee (Guest)', 'Ann Lee'],
    ['Ann Lee (Unverified) (External)', 'Ann Lee'],
    ['Ann Lee (Invité)', 'Ann Lee'],
    ['Ann Lee (Legal)', 'Ann Lee (Legal)'],
    ['ann.lee@example.com', 'ann.lee@example.com'],
    ['<b>Ann</b>', '<b>Ann</b>'],
    ['Unknown user', ''],
    ['Gast', ''],
    ['8:orgid:11111111-2222-3333-4444-555555555555', ''],
    ['3f9a1c0b2d4e5f60718293a4b5c6d7e8', ''],
    ['MTR-HAM-EG-Konferenz-01', 'MTR-HAM-EG-Konferenz-01'],
    ['Konferenzraum-Frankfurt-2OG', 'Konferenzraum-Frankfurt-2OG'],
    ['Maximilian1998Schneider', 'Maximilian1998Schneider'],
    ['deadbeef2024', 'deadbeef2024'],
    ['491701234567', '491701234567'],
    ['iPhone13ProMaxVonAnna', 'iPhone13ProMaxVonAnna'],
    ['Donaudampfschifffahrtsgesellschaft', 'Donaudampfschifffahrtsgesellschaft'],
    ['N'.repeat(300), 'N'.repeat(256)],
    [`${'N'.repeat(299)}2`, 'N'.repeat(256)],
    ['', ''],
  ])('%.40s is %.40s', (shown, name) => {
    expect(nameOf(shown, says)).toBe(name)
  })

  test.each([
    ['dGhpcyBpcyBhbiBpZGVudGlmaWVy0', true],
    ['Maximilian1998Schneider', false],
    ['MTR-HAM-EG-Konferenz-01', false],
    ['Ann Lee', false],
  ])('%s as the mark of a tile is an identifier: %s', (mark, isIdentifier) => {
    expect(isEncoded(mark)).toBe(isIdentifier)
  })

  test.each([
    ['Notes', true],
    ['Notes (Guest)', true],
    ['Notes 2', true],
    ['Notes (2)', true],
    ['Notes (Unverified) 2', true],
    ['Notes of Ann', false],
  ])('%s is the bot Notes: %s', (shown, isOwn) => {
    expect(isOwnName(shown, 'Notes', says)).toBe(isOwn)
  })
})

describe('signalling', () => {
  const frame = (url: string, body: unknown) =>
    `3:::${JSON.stringify({ url, headers: { 'X-Microsoft-Skype-Chain-ID': 'call-1' }, body })}`
  const packed = (body: object) => deflateSync(JSON.stringify(body)).toString('base64')
  const participants = {
    '8:orgid:ann': {
      state: 'active',
      meetingRole: 'organizer',
      details: { id: '8:orgid:ann', displayName: 'Ann' },
      endpoints: { one: { call: { mediaStreams: [{ type: 'audio', sourceId: 101, direction: 'sendrecv' }] } } },
    },
    '8:orgid:bob': { state: 'inactive' },
  }

  test('people come packed', async () => {
    expect(await readFrame(frame('https://x/rosterUpdate/', packed({ participants })))).toEqual({
      kind: 'roster',
      callId: 'call-1',
      people: [
        {
          mri: '8:orgid:ann',
          name: 'Ann',
          isIn: true,
          isHost: true,
          streams: [{ type: 'audio', sourceId: 101, isSent: true }],
        },
        { mri: '8:orgid:bob', name: null, isIn: false, isHost: null, streams: null },
      ],
    })
  })

  test.each([
    ['packed', packed({ subCode: 5300, sender: { id: '8:orgid:ann' } })],
    ['as text', JSON.stringify({ subCode: 5300, sender: { id: '8:orgid:ann' } })],
  ])('the end comes %s', async (_how, body) => {
    expect(await readFrame(frame('https://x/conversation/conversationEnd/', body))).toEqual({
      kind: 'end',
      callId: 'call-1',
      subCode: 5300,
      senderMri: '8:orgid:ann',
    })
  })

  test.each([
    ['another frame', '1::'],
    ['another url', frame('https://x/chat/', packed({ participants }))],
  ])('%s says nothing', async (_what, text) => {
    expect(await readFrame(text)).toBeNull()
  })

  test.each([
    ['no base64', frame('https://x/rosterUpdate/', '###')],
    ['no zlib', frame('https://x/rosterUpdate/', 'aGVsbG8=')],
    ['broken JSON', '3:::{"url":'],
    ['an end without its code', frame('https://x/conversation/conversationEnd/', '{}')],
    ['a frame that is too long', `3:::{${' '.repeat(2_000_000)}`],
  ])('%s is refused, so that it can be counted', async (_what, text) => {
    await expect(readFrame(text)).rejects.toThrow()
  })
})

describe('the main channel', () => {
  const bytes = (prefix: number[], json: string) =>
    Uint8Array.from([...prefix, ...new TextEncoder().encode(json)]).buffer as ArrayBuffer

  test('dominance behind a prefix that holds a bracket', () => {
    const message = bytes([1, 2, 0x5b, 9, 0x7b, 0, 3, 4], '[{"type":"dsh","history":[101,102]}]')
    expect(readChannelMessage(message)).toEqual({ dominant: [101, 102], captions: [] })
  })

  test('captions', () => {
    // 100 ns ticks since 1900: the first second of 2026.
    const startedAt = Date.UTC(2026, 0, 1)
    const ticks = (startedAt + 2_208_988_800_000) * 10_000
    const json = `{"recognitionResults":[{"userId":"8:orgid:ann","text":"Hello","isFinal":true,"timestampAudioSent":${ticks}},{"userId":"8:b","text":"Hi"}]}`
    expect(readChannelMessage(bytes([7], json))?.captions).toEqual([
      { mri: '8:orgid:ann', text: 'Hello', isFinal: true, startedAt },
      { mri: '8:b', text: 'Hi', isFinal: false, startedAt: null },
    ])
  })

  test.each(['', '{"type":"other"}'])('%s says nothing', (text) => {
    expect(readChannelMessage(text)).toBeNull()
  })

  test.each(['nothing', '[[[[[[[[[[[[[[[[[[[[[[[[[[', 'x'.repeat(200_001)])('%.30s is refused', (text) => {
    expect(() => readChannelMessage(text)).toThrow()
  })
})

test.each([
  ['while its toolbar stays, and after that', ['toolbar', 'end', 'toolbar', 'none', 'none'], true],
  ['in the waiting room', ['none', 'end', 'none'], true],
  ['not of the call after it', ['none', 'end', 'none', 'toolbar', 'none'], false],
  ['not of a call that goes on', ['toolbar', 'none', 'end', 'none', 'toolbar', 'none'], false],
])('the end that the signalling reported counts: %s', (_when, looks, counts) => {
  const notice = createEndNotice()
  const end = { subCode: 0, isByOther: false }
  let read: object | null = null
  for (const look of looks) {
    if (look === 'end') notice.take(end)
    else read = notice.read(look === 'toolbar')
  }
  expect(read).toBe(counts ? end : null)
})

test.each([
  ['msteams:/l/meetup-join/x', true],
  [' MSTEAMS://x', true],
  ['https://teams.microsoft.com/', false],
  ['/meet/1', false],
  ['about:blank', false],
  ['', false],
])('%s leads out of the web: %s', (address, expected) => {
  expect(isForeign(address)).toBe(expected)
})

describe('people', () => {
  const record = (mri: string, name: string | null, more: Partial<PersonRecord> = {}): PersonRecord => ({
    mri,
    name,
    isIn: true,
    isHost: null,
    streams: null,
    ...more,
  })
  const page = (tiles: string[], count: number | null = null) => ({
    tiles,
    rows: [],
    hasOwnMark: true,
    count,
    atMost: count,
  })
  const call = (people: PersonRecord[], owners: Record<number, string> = {}) => ({
    callId: 'call-1',
    selfMri: 'me',
    people: [record('me', 'Notes'), ...people],
    ownerOfSource: (source: number) => owners[source] ?? null,
  })
  const emptyCall = () =>
    new People({ nameOf: (shown) => nameOf(shown, says), isOwn: (name) => isOwnName(name, 'Notes', says) })
  const names = (people: People) => people.present().map(({ name }) => name)

  test('signalling tells who comes and goes; entries without a name are services', () => {
    const people = emptyCall()
    people.takePush([record('ann', 'Ann', { isHost: true }), record('service', null)])
    expect(people.present()).toEqual([{ id: 'ann', name: 'Ann', isHost: true }])
    people.takePush([record('ann', null, { isIn: false })])
    expect(people.present()).toEqual([])
  })

  test('badges are off, and stand-ins for a name are Unknown', () => {
    const people = emptyCall()
    people.takePush([record('ann', 'Ann (Guest)'), record('x', 'Unknown user')])
    expect(names(people)).toEqual(['Ann', 'Unknown'])
  })

  test('the call object adds those who came before, and never the bot', () => {
    const people = emptyCall()
    people.takePush([record('bob', 'Bob')])
    people.takeCall(call([record('ann', 'Ann')]))
    expect(names(people)).toEqual(['Bob', 'Ann'])
    expect(people.selfIsKnown).toBe(true)
  })

  test('without a call object the bot is the newest of its name, once its own tile is there', () => {
    const people = emptyCall()
    people.takePush([record('other', 'Notes'), record('ann', 'Ann'), record('me', 'Notes 2')])
    people.takePage({ ...page([]), hasOwnMark: false }, 0)
    expect(names(people)).toEqual(['Notes', 'Ann', 'Notes 2'])
    people.takePage(page([]), 1)
    expect(names(people)).toEqual(['Notes', 'Ann'])
    expect(people.selfMri).toBe('me')
  })

  test('who is missing in the call object leaves after some looks, not at once', () => {
    const people = emptyCall()
    people.takeCall(call([record('ann', 'Ann'), record('bob', 'Bob')]))
    people.takeCall(call([record('bob', 'Bob')]))
    expect(names(people)).toEqual(['Ann', 'Bob'])
    people.takeCall(call([record('bob', 'Bob')]))
    people.takeCall(call([record('bob', 'Bob')]))
    expect(names(people)).toEqual(['Bob'])
  })

  /** What a person of the signalling is after the call object did not list them for five seconds, and more came. */
  test.each<[string, (people: People) => void, string[]]>([
    ['is gone', () => {}, ['Ann']],
    ['returns when it lists them again', (people) => people.takeCall(call([record('bob', 'Bob')])), ['Ann', 'Bob']],
    ['returns with news', (people) => people.takePush([record('bob', null, { isIn: null })]), ['Ann', 'Bob']],
    [
      'stays gone if the signalling said so',
      (people) => {
        people.takePush([record('bob', null, { isIn: false })])
        people.takeCall(call([record('bob', 'Bob')]))
      },
      ['Ann'],
    ],
  ])('a person whom the call object lost %s', (_what, then, expected) => {
    const people = emptyCall()
    people.takePush([record('ann', 'Ann'), record('bob', 'Bob')])
    for (let look = 0; look < 20; look++) people.takeCall(call([record('ann', 'Ann')]))
    then(people)
    expect(names(people)).toEqual(expected)
  })

  test('names that only the page shows count after they stay for a while, and are removed after they are missing for a while', () => {
    const people = emptyCall()
    people.takePage(page(['Ann']), 0)
    expect(names(people)).toEqual([])
    people.takePage(page(['Ann']), 3000)
    expect(names(people)).toEqual(['Ann'])
    people.takePage(page([]), 4000)
    expect(names(people)).toEqual(['Ann'])
    people.takePage(page([]), 6000)
    expect(names(people)).toEqual([])
  })

  test('a tile that is not there proves nothing while the badge counts more people', () => {
    const people = emptyCall()
    for (const at of [0, 3000]) people.takePage(page(['Ann', 'Bob'], 3), at)
    people.takePage(page(['Bob'], 3), 7000)
    expect(names(people)).toEqual(['Ann', 'Bob'])
    people.takePage(page(['Bob'], 2), 8000)
    expect(names(people)).toEqual(['Bob'])
  })

  test.each<[string, string[], number | null, string[]]>([
    ['while it shows all others: gone', ['Ann'], 2, ['Ann']],
    ['though one of two that it does not show may still be there', [], 2, ['Ann', 'Bob']],
    ['and as many as are known', ['Ann'], 3, ['Ann', 'Bob']],
    ['or nothing', ['Ann'], null, ['Ann', 'Bob']],
    ['and says that the bot is alone: gone', [], 1, []],
  ])('without a call object the page counts fewer people than the signalling %s', (_what, tiles, count, expected) => {
    const people = emptyCall()
    people.takePush([record('ann', 'Ann'), record('bob', 'Bob'), record('me', 'Notes')])
    for (let look = 0; look < 19; look++) people.takePage(page(tiles, count), look * 250)
    expect(names(people)).toEqual(['Ann', 'Bob'])
    people.takePage(page(tiles, count), 5000)
    expect(names(people)).toEqual(expected)
    people.takePush([record('ann', null, { isIn: null }), record('bob', null, { isIn: null })])
    expect(names(people)).toEqual(['Ann', 'Bob'])
  })

  test('two people of one name are two', () => {
    const people = emptyCall()
    for (const at of [0, 3000]) people.takePage(page(['Ann', 'Ann']), at)
    expect(people.present().map(({ id }) => id)).toEqual(['page:Ann', 'page:Ann#2'])
    expect(people.idOfName('Ann')).toBeNull()
  })

  test('a person whom the page told first keeps the id when the signalling names it', () => {
    const people = emptyCall()
    for (const at of [0, 3000]) people.takePage(page(['Ann']), at)
    people.takePush([record('ann', 'Ann', { streams: [{ type: 'audio', sourceId: 101, isSent: true }] })])
    expect(people.present()).toEqual([{ id: 'page:Ann', name: 'Ann', isHost: false }])
    expect(people.ownersOfSource(101)).toEqual(['page:Ann'])
    expect(people.idOfMri('ann')).toBe('page:Ann')
  })

  test('a source is owned by the participant in the call object, else by the owner of the stream, else it has no owner', () => {
    const people = emptyCall()
    people.takePush([record('ann', 'Ann', { streams: [{ type: 'audio', sourceId: 101, isSent: true }] })])
    expect(people.ownersOfSource(101)).toEqual(['ann'])
    people.takeCall(call([record('bob', 'Bob')], { 101: 'bob', 7: 'me' }))
    expect(people.ownersOfSource(101)).toEqual(['bob'])
    expect(people.ownersOfSource(7)).toEqual([])
    expect(people.ownersOfSource(999)).toEqual([])
  })

  test('sharing and cameras', () => {
    const people = emptyCall()
    const streams = [
      { type: 'screen', sourceId: 3, isSent: true },
      { type: 'video', sourceId: 2, isSent: false },
    ] as const
    people.takePush([record('ann', 'Ann', { streams: [...streams] }), record('bob', 'Bob')])
    expect(people.sharing()).toEqual(['ann'])
    expect(people.sendsVideo('ann')).toBe(false)
    expect(people.sendsVideo('bob')).toBeNull()
  })
})
