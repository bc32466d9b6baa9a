/** Speech that the page shows and the recording lacks: found within 6 s, put right, marked and said; and what is none. */
import { expect, test } from 'vitest'
import type { LiveTranscript } from '../../../packages/core/ports.ts'
import type { World } from '../../fakes/world.ts'
import { ann, ben, recording } from './recording-bot.ts'

/** What happens at these seconds; the recorder reports a silence two seconds late, and dates it back. */
type Happening = [second: number, what: (world: World) => void]
const speaks =
  (id: string, isSpeaking = true) =>
  (world: World) =>
    world.speaks(id, isSpeaking)
const turn = (id: string, from: number, to: number): Happening[] => [
  [from, speaks(id)],
  [to, speaks(id, false)],
]
const silent = (from: number): Happening => [
  from + 2,
  (world) => world.emitRecorder({ type: 'sound', isAudible: false, at: world.clock.now() - 2000 }),
]
const audible = (at: number): Happening => [at, (world) => world.emitRecorder({ type: 'sound', isAudible: true })]

/** Passes so many seconds; `faults`: what is found wrong at the first look from then on. */
async function live(seconds: number, happenings: Happening[], faults: Partial<Record<'server' | 'page', number>> = {}) {
  const noticed: number[] = []
  const asked = new Set<string>()
  let second = 0
  const world = await recording((made) => {
    made.restoreSound = async (where) => {
      asked.add(where)
      const from = faults[where]
      if (from === undefined || second < from) return []
      delete faults[where]
      return [`the ${where} was wrong`]
    }
  })
  const begins = world.spans[0]!.startedAt
  for (; second < seconds; second++) {
    for (const [at, what] of happenings) if (at === second) what(world)
    if (world.notices.length > noticed.length) noticed.push(second)
    await world.pass(1, 2)
  }
  const { gaps = [] } = await world.command({ type: 'leave' }).then(() => world.report())
  const told = gaps.map(({ started_at, seconds: length, reason }) => {
    const at = (Date.parse(started_at) - begins) / 1000
    return `${reason} ${at.toFixed(0)} for ${length.toFixed(0)}`
  })
  return { world, told, noticed, asked: [...asked].sort() }
}

// The world has recorded for a second before the first happening.
test.each<[string, Happening[], string[]]>([
  [
    'the sound went away in a turn',
    [audible(0), ...turn(ann.id, 3, 20), silent(6), audible(14)],
    ['sound_lost 7 for 8'],
  ],
  ['it never came', [silent(0), ...turn(ann.id, 3, 9), audible(12)], ['sound_lost 4 for 9']],
  [
    'short turns of two add up',
    [silent(0), ...turn(ann.id, 3, 5), ...turn(ben.id, 6, 8), audible(9)],
    ['sound_lost 4 for 6'],
  ],
  ['it does not come back', [silent(0), ...turn(ann.id, 3, 9)], ['sound_lost 4 for 16']],
  [
    'twice',
    [silent(0), ...turn(ann.id, 1, 5), audible(6), silent(7), ...turn(ben.id, 9, 13), audible(14)],
    ['sound_lost 2 for 5', 'sound_lost 10 for 5'],
  ],
  ['two who speak at once are no longer than one', [silent(0), ...turn(ann.id, 3, 5), ...turn(ben.id, 3, 5)], []],
  ['a word that is not heard', [silent(0), ...turn(ann.id, 3, 5), audible(8)], []],
  ['silence', [audible(0), ...turn(ann.id, 1, 3), silent(3)], []],
  ['speech that is heard', [audible(0), ...turn(ann.id, 1, 18)], []],
  ['nothing is known of the sound', [...turn(ann.id, 1, 18)], []],
  [
    'a mark that is left behind by a person who went',
    [silent(0), [1, speaks(ann.id)], [2, (world) => world.emit({ type: 'participant_left', participantId: ann.id })]],
    [],
  ],
  [
    'a lost connection, on whose page marks stay',
    [silent(0), [1, speaks(ann.id)], [2, (world) => world.emit({ type: 'connection', state: 'lost' })]],
    [],
  ],
  ['a pause', [silent(0), [1, (world) => void world.command({ type: 'pause' })], ...turn(ann.id, 3, 18)], []],
  [
    'silence from before the pause, which nobody reports again',
    [
      silent(0),
      [3, (world) => void world.command({ type: 'pause' })],
      [5, (world) => void world.command({ type: 'resume' })],
      ...turn(ann.id, 8, 12),
      audible(13),
    ],
    ['sound_lost 9 for 5'],
  ],
])('%s', async (_, happenings, expected) => {
  const { told, asked } = await live(19, happenings)
  expect(told).toEqual(expected)
  // The page is left alone while nothing is wrong.
  expect(asked).toEqual(expected.length > 0 ? ['page', 'server'] : ['server'])
})

test('it is said within six seconds of the first word, with its cause and its length', async () => {
  const { world, noticed } = await live(19, [audible(0), silent(4), ...turn(ann.id, 4, 12), audible(10)], { page: 0 })
  expect(noticed[0]! - 4).toBeLessThanOrEqual(6)
  expect(world.notices).toEqual([
    'People speak, but no sound of them is recorded. The bot looks for the cause.',
    'The sound of the meeting was put right: the page was wrong.',
    '6.0 s of the recording are silent although people spoke (the page was wrong).',
  ])
})

test('a fault of the sound server is put right without any speech, and explains a shorter hole', async () => {
  const quiet = await live(10, [], { server: 3 })
  expect(quiet.world.notices).toEqual(['The sound of the meeting was put right: the server was wrong.'])
  expect(quiet.told).toEqual([])
  const short = await live(19, [audible(0), silent(3), ...turn(ann.id, 4, 9), audible(6)], { server: 3 })
  expect(short.told).toEqual(['sound_lost 5 for 2'])
})

test('a sound server that cannot be asked costs the recording nothing', async () => {
  const world = await recording({ restoreSound: () => Promise.reject(new Error('pactl is missing')) })
  await world.pass(20, 2)
  world.stop('command')
  expect((await world.end()).exitCode).toBe(0)
  expect(world.notices).toEqual([])
})

test.each([
  ['of one who had one', [ann.id, ben.id], ann.id, true],
  ['of one who never had one, beside another', [ben.id], ann.id, true],
  ['of all: the end says so', [], ann.id, false],
])('a voice that does not come apart any more, %s: words come of the mix', async (_, voiced, id, isNamed) => {
  const mixed: number[] = []
  const none = () => {}
  const liveTranscript: LiveTranscript = {
    ...{ start: none, takeCaption: none, onSpeaker: none, takeVoice: none, pause: none, resume: none },
    hearMixed: (since) => void mixed.push(since),
    close: async () => {},
  }
  const world = await recording({ liveTranscript }, { separate_tracks: true })
  const hears = (who: string) => world.voice({ participantId: who, at: world.clock.now(), opus: Buffer.alloc(3) })
  world.emitRecorder({ type: 'sound', isAudible: true })
  for (const who of voiced) {
    world.speaks(who, true)
    for (let second = 0; second < 12; second++) {
      hears(who)
      await world.pass(1, 2)
    }
    hears(who)
    world.speaks(who, false)
  }
  expect([mixed, world.notices]).toEqual([[], []])
  const since = world.clock.now()
  // In turns that are short.
  for (let second = 0; second < 20; second++) {
    world.speaks(id, second % 2 === 0)
    await world.pass(1, 2)
  }
  expect(mixed[0]).toBe(since)
  expect(world.notices.map((notice) => notice.includes('Ann'))).toEqual(isNamed ? [true] : [])
})
