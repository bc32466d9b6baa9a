import { describe, expect, it } from 'vitest'
import {
  CONFIDENCE,
  createSpeechDetector,
  LEVEL_OFF,
  LEVEL_ON,
  LEVELS_STALE_MS,
  MAX_STALL_MS,
  PAGE_OVERRULES_MS,
  type SpeechChange,
  type SpeechDetector,
} from '../../../../../platforms/shared/page/audio/speech-detector.ts'

/** Rounds every 250 ms from `from` to `to` (both included) in which each named person has the given level. */
function rounds(detector: SpeechDetector, from: number, to: number, levels: Record<string, number>): SpeechChange[] {
  const changes: SpeechChange[] = []
  const samples = Object.entries(levels).map(([ids, level]) => ({ participantIds: ids.split('+'), level }))
  for (let at = from; at <= to; at += 250) changes.push(...detector.observe({ kind: 'levels', samples, at }))
  return changes
}

function marks(detector: SpeechDetector, participantId: string, from: number, to: number, every = 200): SpeechChange[] {
  const changes: SpeechChange[] = []
  for (let at = from; at <= to; at += every) changes.push(...detector.observe({ kind: 'page_mark', participantId, at }))
  return changes
}

const short = (changes: SpeechChange[]) =>
  changes.map(({ participantId, isSpeaking, at }) => `${participantId} ${isSpeaking ? 'on' : 'off'} ${at}`)

describe('levels of contributing sources', () => {
  it('begin a turn with one loud sample and end it at the last one, after half a second of silence', () => {
    const detector = createSpeechDetector()
    expect(short(rounds(detector, 0, 750, { ann: 0.001 }))).toEqual([])
    expect(short(rounds(detector, 1000, 3000, { ann: 0.2 }))).toEqual(['ann on 1000'])
    expect(short(rounds(detector, 3250, 3500, { ann: 0.001 }))).toEqual([])
    const [end] = rounds(detector, 3750, 3750, { ann: 0 })
    expect(end).toEqual({
      participantId: 'ann',
      isSpeaking: false,
      source: 'csrc',
      confidence: CONFIDENCE.csrc,
      at: 3000,
    })
    expect(detector.speaking()).toEqual([])
  })

  it('treat a participant who is in no sample as silent', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ann: 0.2 })
    expect(short(rounds(detector, 1250, 2500, {}))).toEqual(['ann off 1000'])
  })

  it('begin no turn with the sample that was the last of a turn: a participant muted in the middle of a word goes silent once', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ann: 0.2 })
    // The browser keeps the last packet in its list.
    const changes: SpeechChange[] = []
    for (let ageMs = 100; ageMs <= 1000; ageMs += 100) {
      const samples = [{ participantIds: ['ann'], level: 0.2, ageMs }]
      changes.push(...detector.observe({ kind: 'levels', samples, at: 1000 + ageMs }))
    }
    expect(short(changes)).toEqual(['ann off 1000'])
    expect(short(rounds(detector, 2250, 2500, { ann: 0.2 }))).toEqual(['ann on 2250'])
  })

  it('bridge a breath, and split at a pause', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ann: 0.2 })
    rounds(detector, 1250, 1250, { ann: 0 })
    expect(short(rounds(detector, 1500, 3000, { ann: 0.2 }))).toEqual([])
    rounds(detector, 3250, 3500, { ann: 0 })
    expect(short(rounds(detector, 3750, 4000, { ann: 0.2 }))).toEqual(['ann off 3000', 'ann on 3750'])
  })

  it('note a yes of a third of a second', () => {
    const detector = createSpeechDetector()
    const changes = [{ ann: 0 }, { ann: 0.2 }, { ann: 0.2 }, { ann: 0.2 }, { ann: 0 }].flatMap(({ ann }, index) =>
      detector.observe({ kind: 'levels', samples: [{ participantIds: ['ann'], level: ann }], at: index * 100 }),
    )
    expect(short([...changes, ...rounds(detector, 650, 900, {})])).toEqual(['ann on 100', 'ann off 300'])
  })

  it('between the two thresholds prolong a turn and begin none', () => {
    const detector = createSpeechDetector()
    const faint = (LEVEL_ON + LEVEL_OFF) / 2
    expect(rounds(detector, 0, 1000, { ann: faint })).toEqual([])
    rounds(detector, 1250, 1250, { ann: LEVEL_ON })
    expect(rounds(detector, 1500, 4000, { ann: faint })).toEqual([])
    expect(short(detector.tick(6000))).toEqual(['ann off 4000'])
  })

  it('begin a turn where its sound began, when it becomes known later whose it is', () => {
    const detector = createSpeechDetector()
    const sample = { participantIds: ['ann'], level: 0.3, heardForMs: 700 }
    expect(short(detector.observe({ kind: 'levels', samples: [sample], at: 1000 }))).toEqual(['ann on 300'])
    rounds(detector, 1250, 1250, { ann: 0.3 })
    expect(short(rounds(detector, 1500, 1800, {}))).toEqual([])
    // Never into the turn before.
    rounds(detector, 2050, 2050, {})
    const [next] = detector.observe({ kind: 'levels', samples: [{ ...sample, heardForMs: 2000 }], at: 2100 })
    expect(next).toMatchObject({ isSpeaking: true, at: 1250 })
  })

  it('are dated back by the age of the sample', () => {
    const detector = createSpeechDetector()
    const [begin] = detector.observe({
      kind: 'levels',
      samples: [{ participantIds: ['ann'], level: 0.3, ageMs: 180 }],
      at: 1000,
    })
    expect(begin?.at).toBe(820)
  })

  it('judge people who speak at once separately', () => {
    const detector = createSpeechDetector()
    const changes = [
      ...rounds(detector, 0, 2000, { ann: 0.3 }),
      ...rounds(detector, 2250, 3000, { ann: 0.3, ben: 0.1 }),
      ...rounds(detector, 3250, 5000, { ben: 0.1 }),
      ...detector.tick(7000),
    ]
    expect(short(changes)).toEqual(['ann on 0', 'ben on 2250', 'ann off 3000', 'ben off 5000'])
  })

  it('end a turn when they stop coming', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ann: 0.3 })
    expect(short(detector.tick(1000 + MAX_STALL_MS))).toEqual([])
    expect(short(detector.tick(1000 + MAX_STALL_MS + 1))).toEqual(['ann off 1000'])
  })

  it('make one turn of speech around a moment in which the page stalled', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ann: 0.3, ben: 0.3 })
    // The first sample after it is not always part of a round.
    expect(marks(detector, 'cleo', 2190, 2190)).toEqual([])
    expect(short(rounds(detector, 2200, 2200, { ann: 0.3 }))).toEqual([])
    // Who is silent after it was not heard to the end: the last that was heard counts.
    expect(short(rounds(detector, 2450, 2950, { ann: 0.3 }))).toEqual(['ben off 1000'])
    expect(detector.speaking()).toEqual(['ann'])
  })

  it('make two turns of speech around a gap in which the page stalled', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ann: 0.3 })
    expect(short(rounds(detector, 9000, 9000, { ann: 0.3 }))).toEqual(['ann off 1000', 'ann on 9000'])
  })
})

describe('marks in the page', () => {
  it('count alone, with less confidence, from the first of them on', () => {
    const detector = createSpeechDetector()
    const changes = [...marks(detector, 'ann', 1000, 3000), ...detector.tick(3900)]
    expect(changes).toEqual([
      { participantId: 'ann', isSpeaking: true, source: 'page', confidence: CONFIDENCE.page, at: 1000 },
      { participantId: 'ann', isSpeaking: false, source: 'page', confidence: CONFIDENCE.page, at: 3000 },
    ])
  })

  it('begin no turn one at a time: the page may be redrawing itself', () => {
    const detector = createSpeechDetector()
    expect(marks(detector, 'ann', 1000, 9000, 1000)).toEqual([])
  })

  it('are outweighed by silent levels of a participant whose source was captured', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 500, { ann: 0.3 })
    const changes: SpeechChange[] = []
    for (let at = 750; at < 750 + PAGE_OVERRULES_MS; at += 250) {
      changes.push(...rounds(detector, at, at, { ann: 0 }), ...marks(detector, 'ann', at + 10, at + 10))
    }
    expect(short(changes)).toEqual(['ann off 500'])
  })

  it('overrule silent levels when they last long, until the source sends sound again', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 250, { ann: 0.3 })
    rounds(detector, 500, 2000, {})
    const changes: SpeechChange[] = []
    for (let at = 2250; at <= 6250; at += 250) {
      changes.push(...rounds(detector, at, at, {}), ...marks(detector, 'ann', at, at))
    }
    expect(changes).toEqual([
      { participantId: 'ann', isSpeaking: true, source: 'page', confidence: CONFIDENCE.disputed, at: 2250 },
    ])
    expect(short(rounds(detector, 6500, 8000, {}))).toEqual(['ann off 6250'])
    expect(rounds(detector, 9000, 9000, { ann: 0.3 })[0]).toMatchObject({ source: 'csrc', isSpeaking: true })
    rounds(detector, 9250, 10_500, {})
    expect(marks(detector, 'ann', 10_600, 11_200)).toEqual([])
  })

  it('count for a participant whose source never sent sound, although levels of others come', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ben: 0.3 })
    expect(short(marks(detector, 'ann', 1000, 1400))).toEqual(['ann on 1000'])
  })

  it('carry a turn on when levels stop coming', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ann: 0.3 })
    expect(marks(detector, 'ann', 1100, 1000 + LEVELS_STALE_MS + 3000)).toEqual([])
    expect(detector.speaking()).toEqual(['ann'])
    expect(short(detector.tick(9000))).toEqual(['ann off 4900'])
  })

  it('that agree with levels raise the confidence of the turn', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 500, { ann: 0.3 })
    marks(detector, 'ann', 600, 600)
    rounds(detector, 750, 1000, { ann: 0.3 })
    expect(detector.tick(5000)).toMatchObject([{ source: 'csrc', confidence: CONFIDENCE.agreed, at: 1000 }])
  })
})

describe('a turn of several signals', () => {
  it('is reported with the best of them', () => {
    const detector = createSpeechDetector()
    expect(marks(detector, 'ann', 1000, 1400)).toMatchObject([{ source: 'page', confidence: CONFIDENCE.page }])
    expect(rounds(detector, 1500, 2000, { ann: 0.3 })).toEqual([])
    const [end] = rounds(detector, 2250, 3000, {})
    expect(end).toMatchObject({ isSpeaking: false, source: 'csrc', confidence: CONFIDENCE.agreed, at: 2000 })
  })
})

describe('a source that carries several people', () => {
  it('speaks for the one who is marked', () => {
    const detector = createSpeechDetector()
    marks(detector, 'ben', 900, 900)
    const changes = rounds(detector, 1000, 1000, { 'ann+ben+cleo': 0.3 })
    expect(changes).toMatchObject([{ participantId: 'ben', isSpeaking: true, confidence: CONFIDENCE.agreed }])
  })

  it('speaks for all of them with little confidence when none is marked', () => {
    const detector = createSpeechDetector()
    const changes = rounds(detector, 1000, 2000, { 'ann+ben': 0.3 })
    expect(short(changes)).toEqual(['ann on 1000', 'ben on 1000'])
    expect(changes.every(({ confidence }) => confidence === CONFIDENCE.sharedSource)).toBe(true)
  })

  it('does not make marks of its people count less', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 250, { 'ann+ben': 0.3 })
    rounds(detector, 500, 2000, {})
    expect(short(marks(detector, 'ann', 2000, 2200))).toEqual(['ann on 2000'])
  })

  it('may have no known participant', () => {
    expect(
      createSpeechDetector().observe({ kind: 'levels', samples: [{ participantIds: [], level: 1 }], at: 0 }),
    ).toEqual([])
  })
})

describe('captions', () => {
  it('begin and hold a turn where no levels are', () => {
    const detector = createSpeechDetector()
    const begin = detector.observe({ kind: 'caption', participantId: 'ann', at: 1000 })
    expect(begin).toEqual([
      { participantId: 'ann', isSpeaking: true, source: 'captions', confidence: CONFIDENCE.captions, at: 1000 },
    ])
    expect(detector.observe({ kind: 'caption', participantId: 'ann', at: 2400 })).toEqual([])
    expect(short(detector.tick(4000))).toEqual(['ann off 2400'])
  })

  it('do not begin turns of a participant whose levels are healthy', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 250, { ann: 0.3 })
    rounds(detector, 500, 2000, {})
    expect(detector.observe({ kind: 'caption', participantId: 'ann', at: 2000 })).toEqual([])
  })
})

describe('leaving', () => {
  it('ends the turn at its last evidence and forgets the participant', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ann: 0.3 })
    expect(short(detector.forget('ann', 1300))).toEqual(['ann off 1000'])
    expect(detector.forget('ann', 1300)).toEqual([])
    expect(detector.forget('nobody', 1300)).toEqual([])
  })

  it('of all participants ends every turn', () => {
    const detector = createSpeechDetector()
    rounds(detector, 0, 1000, { ann: 0.3, ben: 0.3 })
    expect(short(detector.reset(1100)).sort()).toEqual(['ann off 1000', 'ben off 1000'])
    expect(detector.speaking()).toEqual([])
  })
})

it('a turn is never reported twice, and no end is before its beginning, with any sequence of signals', () => {
  const detector = createSpeechDetector()
  let seed = 7
  const chance = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const changes: SpeechChange[] = []
  for (let at = 0; at < 600_000; at += 50 + Math.floor(chance() * 400)) {
    const participantId = `p${Math.floor(chance() * 4)}`
    const dice = chance()
    if (dice < 0.4) {
      const samples = [{ participantIds: [participantId], level: chance() * 0.04, ageMs: Math.floor(chance() * 300) }]
      changes.push(...detector.observe({ kind: 'levels', samples, at }))
    } else if (dice < 0.8) changes.push(...detector.observe({ kind: 'page_mark', participantId, at }))
    else if (dice < 0.85) changes.push(...detector.observe({ kind: 'caption', participantId, at }))
    else if (dice < 0.87) changes.push(...detector.forget(participantId, at))
    else changes.push(...detector.tick(at))
    if (changes.some((change) => change.at > at)) throw new Error(`A change of the future at ${at}`)
  }
  changes.push(...detector.reset(700_000))
  for (const id of ['p0', 'p1', 'p2', 'p3']) {
    const own = changes.filter(({ participantId }) => participantId === id)
    expect(own.length).toBeGreaterThan(10)
    for (const [index, change] of own.entries()) {
      expect(change.isSpeaking).toBe(index % 2 === 0)
      if (index > 0 && !change.isSpeaking) expect(change.at).toBeGreaterThanOrEqual(own[index - 1]!.at)
    }
  }
})
