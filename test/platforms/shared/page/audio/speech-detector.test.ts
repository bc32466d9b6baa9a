import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CONFIDENCE,
  createSpeechDetector,
  LEVEL_OFF,
  LEVEL_ON,
  LEVELS_STALE_MS,
  type LevelSample,
  MAX_STALL_MS,
  PAGE_OVERRULES_MS,
  type SpeechChange,
  type SpeechDetector,
} from '../../../../../platforms/shared/page/audio/speech-detector.ts'

type Evidence = Parameters<SpeechDetector['observe']>[0] | { kind: 'tick'; at: number }
type Levels = Record<string, number>

const times = (from: number, to: number, every: number) =>
  Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, index) => from + index * every)

/** A round in which the named people have these levels; `+` joins the people of one source. */
const round = (at: number, levels: Levels, more: Partial<LevelSample> = {}): Evidence => ({
  kind: 'levels',
  samples: Object.entries(levels).map(([ids, level]) => ({ participantIds: ids.split('+'), level, ...more })),
  at,
})
/** Rounds from the first to the last of these times, both included. */
const rounds = (from: number, to: number, levels: Levels) => times(from, to, 250).map((at) => round(at, levels))
const marks = (participantId: string, from: number, to: number, every = 200) =>
  times(from, to, every).map((at): Evidence => ({ kind: 'page_mark', participantId, at }))
const caption = (at: number): Evidence => ({ kind: 'caption', participantId: 'ann', at })
const tick = (at: number): Evidence => ({ kind: 'tick', at })

/** The changes that a detector reports for the evidence, in the order of its times. */
function changesOf(evidence: readonly (Evidence | Evidence[])[], detector = createSpeechDetector()) {
  const inOrder = evidence.flat().sort((one, other) => one.at - other.at)
  return inOrder.flatMap((given) => {
    const changes = given.kind === 'tick' ? detector.tick(given.at) : detector.observe(given)
    return changes.map((change) => ({ ...change, reportedAt: given.at }))
  })
}

/** `ann off 1000 @1750`: the turn of Ann ended at 1000, which was said at 1750. */
const short = ({ participantId, isSpeaking, at, reportedAt }: ReturnType<typeof changesOf>[number]) =>
  `${participantId} ${isSpeaking ? 'on' : 'off'} ${at}${reportedAt === at ? '' : ` @${reportedAt}`}`

const faint = (LEVEL_ON + LEVEL_OFF) / 2
const stallEnd = 1000 + MAX_STALL_MS

test.each<[string, (Evidence | Evidence[])[], string[]]>([
  [
    'one loud sample begins a turn, and half a second of silence ends it at the last one',
    [rounds(0, 750, { ann: 0.001 }), rounds(1000, 3000, { ann: 0.2 }), rounds(3250, 3750, { ann: 0.001 })],
    ['ann on 1000', 'ann off 3000 @3750'],
  ],
  [
    'a participant who is in no sample is silent',
    [rounds(0, 1000, { ann: 0.2 }), rounds(1250, 2500, {})],
    ['ann on 0', 'ann off 1000 @1750'],
  ],
  [
    'a participant muted in the middle of a word goes silent once, although the browser keeps the last packet',
    [
      rounds(0, 1000, { ann: 0.2 }),
      times(1100, 2000, 100).map((at) => round(at, { ann: 0.2 }, { ageMs: at - 1000 })),
      rounds(2250, 2500, { ann: 0.2 }),
    ],
    ['ann on 0', 'ann off 1000 @1600', 'ann on 2250'],
  ],
  [
    'a breath is bridged, and a pause splits',
    [
      ...[rounds(0, 1000, { ann: 0.2 }), round(1250, { ann: 0 }), rounds(1500, 3000, { ann: 0.2 })],
      ...[rounds(3250, 3500, { ann: 0 }), rounds(3750, 4000, { ann: 0.2 })],
    ],
    ['ann on 0', 'ann off 3000 @3750', 'ann on 3750'],
  ],
  [
    'a yes of a third of a second is noted',
    [[0, 0.2, 0.2, 0.2, 0].map((ann, index) => round(index * 100, { ann })), rounds(650, 900, {})],
    ['ann on 100', 'ann off 300 @900'],
  ],
  [
    'a level between the two thresholds prolongs a turn and begins none',
    [rounds(0, 1000, { ann: faint }), round(1250, { ann: LEVEL_ON }), rounds(1500, 4000, { ann: faint }), tick(6000)],
    ['ann on 1250', 'ann off 4000 @6000'],
  ],
  [
    'a turn whose owner becomes known later begins where its sound began, never in the turn before',
    [
      ...[round(1000, { ann: 0.3 }, { heardForMs: 700 }), round(1250, { ann: 0.3 }), rounds(1500, 1800, {})],
      ...[round(2050, {}), round(2100, { ann: 0.3 }, { heardForMs: 2000 })],
    ],
    ['ann on 300 @1000', 'ann off 1250 @2050', 'ann on 1250 @2100'],
  ],
  ['a turn is dated back by the age of the sample', [round(1000, { ann: 0.3 }, { ageMs: 180 })], ['ann on 820 @1000']],
  [
    'people who speak at once are judged separately',
    [
      rounds(0, 2000, { ann: 0.3 }),
      rounds(2250, 3000, { ann: 0.3, ben: 0.1 }),
      rounds(3250, 5000, { ben: 0.1 }),
      tick(7000),
    ],
    ['ann on 0', 'ben on 2250', 'ann off 3000 @3750', 'ben off 5000 @7000'],
  ],
  [
    'levels that stop coming end a turn',
    [rounds(0, 1000, { ann: 0.3 }), tick(stallEnd), tick(stallEnd + 1)],
    ['ann on 0', `ann off 1000 @${stallEnd + 1}`],
  ],
  [
    // The first sample after the stall is not always part of a round. Who is silent after it was not heard to the end.
    'speech around a moment in which the page stalled is one turn',
    [
      ...[rounds(0, 1000, { ann: 0.3, ben: 0.3 }), marks('cleo', 2190, 2190)],
      ...[round(2200, { ann: 0.3 }), rounds(2450, 2950, { ann: 0.3 })],
    ],
    ['ann on 0', 'ben on 0', 'ben off 1000 @2950'],
  ],
  [
    'speech around a gap in which the page stalled is two turns',
    [rounds(0, 1000, { ann: 0.3 }), round(9000, { ann: 0.3 })],
    ['ann on 0', 'ann off 1000 @9000', 'ann on 9000'],
  ],
  ['marks one at a time begin no turn: the page may be redrawing itself', [marks('ann', 1000, 9000, 1000)], []],
  [
    'silent levels of a participant whose source was captured outweigh marks',
    [
      rounds(0, 500, { ann: 0.3 }),
      rounds(750, 500 + PAGE_OVERRULES_MS, { ann: 0 }),
      marks('ann', 760, 510 + PAGE_OVERRULES_MS, 250),
    ],
    ['ann on 0', 'ann off 500 @1010'],
  ],
  [
    'marks against silent levels of all say that the page takes its sound from elsewhere: for others they count at once',
    [
      rounds(0, 500, { ann: 0.3, ben: 0.3 }),
      rounds(750, 9000, {}),
      marks('ann', 1000, 4200),
      marks('ben', 6000, 6800),
      rounds(9250, 11_000, { ann: 0.3 }),
      marks('ben', 10_000, 10_800),
    ],
    [
      'ann on 0',
      'ben on 0',
      'ann off 500 @1200',
      'ben off 500 @1200',
      'ann on 1000 @4000',
      'ann off 4200 @5250',
      'ben on 6000 @6200',
      'ben off 6800 @7750',
      'ann on 9250',
    ],
  ],
  [
    'marks count for a participant whose source never sent sound, although levels of others come',
    [rounds(0, 1000, { ben: 0.3 }), marks('ann', 1000, 1400)],
    ['ben on 0', 'ann on 1000 @1200'],
  ],
  [
    'marks carry a turn on when levels stop coming',
    [rounds(0, 1000, { ann: 0.3 }), marks('ann', 1100, 1000 + LEVELS_STALE_MS + 3000), tick(9000)],
    ['ann on 0', 'ann off 4900 @9000'],
  ],
  [
    'a source of several people does not make marks of its people count less',
    [rounds(0, 250, { 'ann+ben': 0.3 }), rounds(500, 2000, {}), marks('ann', 2000, 2200)],
    ['ann on 0', 'ben on 0', 'ann off 250 @1000', 'ben off 250 @1000', 'ann on 2000 @2200'],
  ],
  [
    'a source may have no known participant',
    [{ kind: 'levels', samples: [{ participantIds: [], level: 1 }], at: 0 }],
    [],
  ],
  [
    'captions do not begin turns of a participant whose levels are healthy',
    [rounds(0, 250, { ann: 0.3 }), rounds(500, 2000, {}), caption(2000)],
    ['ann on 0', 'ann off 250 @1000'],
  ],
])('%s', (_what, evidence, expected) => {
  expect(changesOf(evidence).map(short)).toEqual(expected)
})

const on = { participantId: 'ann', isSpeaking: true }
const off = { participantId: 'ann', isSpeaking: false }

test.each<[string, (Evidence | Evidence[])[], Partial<SpeechChange>[]]>([
  [
    'of levels',
    [rounds(0, 1000, { ann: 0.2 }), rounds(1250, 1750, {})],
    [
      { ...on, source: 'csrc', confidence: CONFIDENCE.csrc, at: 0 },
      { ...off, source: 'csrc', confidence: CONFIDENCE.csrc, at: 1000 },
    ],
  ],
  [
    'of marks alone, from the first of them on',
    [marks('ann', 1000, 3000), tick(3900)],
    [
      { ...on, source: 'page', confidence: CONFIDENCE.page, at: 1000 },
      { ...off, source: 'page', confidence: CONFIDENCE.page, at: 3000 },
    ],
  ],
  [
    'of captions, where no levels are',
    [caption(1000), caption(2400), tick(4000)],
    [
      { ...on, source: 'captions', confidence: CONFIDENCE.captions, at: 1000 },
      { ...off, source: 'captions', at: 2400 },
    ],
  ],
  [
    'of levels that marks agree with',
    [rounds(0, 500, { ann: 0.3 }), marks('ann', 600, 600), rounds(750, 1000, { ann: 0.3 }), tick(5000)],
    [on, { ...off, source: 'csrc', confidence: CONFIDENCE.agreed, at: 1000 }],
  ],
  [
    'of marks that levels confirm later: the best of them',
    [marks('ann', 1000, 1400), rounds(1500, 2000, { ann: 0.3 }), rounds(2250, 3000, {})],
    [
      { ...on, source: 'page', confidence: CONFIDENCE.page },
      { ...off, source: 'csrc', confidence: CONFIDENCE.agreed, at: 2000 },
    ],
  ],
  [
    'of marks that continue against silent levels, until the source sends sound again',
    [
      ...[rounds(0, 250, { ann: 0.3 }), rounds(500, 8000, {}), marks('ann', 2250, 6250, 250)],
      ...[round(9000, { ann: 0.3 }), rounds(9250, 10_500, {}), marks('ann', 10_600, 11_200)],
    ],
    [
      on,
      off,
      { ...on, source: 'page', confidence: CONFIDENCE.disputed, at: 2250 },
      { ...off, at: 6250 },
      { ...on, source: 'csrc', at: 9000 },
      { ...off, at: 9000 },
    ],
  ],
  [
    'of a source of several people: the one who is marked',
    [marks('ben', 900, 900), round(1000, { 'ann+ben+cleo': 0.3 })],
    [{ participantId: 'ben', isSpeaking: true, confidence: CONFIDENCE.agreed }],
  ],
  [
    'of a source of several people, of whom none is marked: all of them',
    [rounds(1000, 2000, { 'ann+ben': 0.3 })],
    ['ann', 'ben'].map((participantId) => ({ participantId, at: 1000, confidence: CONFIDENCE.sharedSource })),
  ],
])('source and confidence of a turn %s', (_what, evidence, expected) => {
  expect(changesOf(evidence)).toMatchObject(expected)
})

test('those who speak are known at any time, and leaving ends a turn at its last evidence, once', () => {
  const detector = createSpeechDetector()
  changesOf([rounds(0, 1000, { ann: 0.3, ben: 0.3, cleo: 0.3 })], detector)
  expect(detector.forget('ann', 1300)).toMatchObject([{ ...off, at: 1000 }])
  expect([...detector.forget('ann', 1300), ...detector.forget('nobody', 1300)]).toEqual([])
  expect(detector.speaking()).toEqual(['ben', 'cleo'])
  expect(detector.reset(1100)).toMatchObject([
    { participantId: 'ben', isSpeaking: false, at: 1000 },
    { participantId: 'cleo', isSpeaking: false, at: 1000 },
  ])
  expect(detector.speaking()).toEqual([])
})

test('a turn is never reported twice, and no end is before its beginning, with any sequence of signals', () => {
  const signal = fc.record({
    pause: fc.integer({ min: 50, max: 450 }),
    participantId: fc.constantFrom('ann', 'ben'),
    kind: fc.constantFrom('levels', 'levels', 'page_mark', 'page_mark', 'caption', 'forget', 'tick'),
    level: fc.double({ min: 0, max: 0.04, noNaN: true }),
    ageMs: fc.nat(300),
  })
  fc.assert(
    fc.property(fc.array(signal, { minLength: 50, maxLength: 200 }), (signals) => {
      const detector = createSpeechDetector()
      const beganAt = new Map<string, number>()
      const check = (changes: SpeechChange[], now: number) => {
        for (const { participantId, isSpeaking, at } of changes) {
          expect(at).toBeLessThanOrEqual(now)
          expect(beganAt.has(participantId)).toBe(!isSpeaking)
          if (isSpeaking) beganAt.set(participantId, at)
          else {
            expect(at).toBeGreaterThanOrEqual(beganAt.get(participantId)!)
            beganAt.delete(participantId)
          }
        }
      }
      let at = 0
      for (const { pause, participantId, kind, level, ageMs } of signals) {
        at += pause
        if (kind === 'forget') check(detector.forget(participantId, at), at)
        else if (kind === 'levels') check(changesOf([round(at, { [participantId]: level }, { ageMs })], detector), at)
        else check(changesOf([{ kind, participantId, at } as Evidence], detector), at)
      }
      check(detector.reset(at), at)
      expect(beganAt.size).toBe(0)
    }),
  )
})
