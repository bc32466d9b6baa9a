import { countedIn, countedSignals, PAGE_SIGNALS, SIGNAL_PLATFORMS } from '@standin/wire/page-signals.ts'
import { describe, expect, test } from 'vitest'
import { SignalCounter } from '../../../../platforms/shared/in-call/signal-counts.ts'
import type { CommonSnapshot } from '../../../../platforms/shared/page/types.ts'
import type { PageClassifier } from '../../../../platforms/shared/page-state.ts'

type Kind = 'lobby' | 'call' | 'over'

const CLASSIFIER = {
  phases: { lobby: 'waiting', call: 'in_call', over: 'out' },
  signals: { platform: 'teams', answeredBy: ({ lines }) => [lines.includes('wait') && 'lobby.words'] },
} as Partial<PageClassifier<CommonSnapshot, Kind>> as PageClassifier<CommonSnapshot, Kind>

function poll(counter: SignalCounter<CommonSnapshot, Kind>, kind: Kind, more: Partial<CommonSnapshot> = {}): void {
  const snapshot = { lines: [], receivesSound: null, ...more } as Partial<CommonSnapshot> as CommonSnapshot
  counter.poll(snapshot, { kind, text: '', proofs: ['tiles'] })
}

test('a look counts each signal once; what was never seen is 0', () => {
  const counter = new SignalCounter(CLASSIFIER)
  poll(counter, 'lobby', { answered: ['lobby.screen'], lines: ['wait'] })
  poll(counter, 'lobby', { answered: ['lobby.screen', 'lobby.screen'] })
  const seen = { 'lobby.screen': 2, 'lobby.words': 1, 'lobby.only_unproven': 1 }
  expect(counter.counts).toMatchObject({ ...seen, 'lobby.held_button': 0 })
  expect(Object.keys(counter.counts)).toEqual(countedSignals('teams'))
})

test('signs of the call count in the call, signs of its end count outside of it', () => {
  const counter = new SignalCounter(CLASSIFIER)
  for (const kind of ['lobby', 'call', 'over'] as const) {
    poll(counter, kind, { receivesSound: true, answered: ['out.screen', 'out.words'] })
    poll(counter, kind, { receivesSound: false })
  }
  const inCall = { 'in_call.tiles': 2, 'in_call.sound': 1 }
  const out = { 'out.screen': 1, 'out.words': 1, 'out.no_sound': 1, 'out.only_unproven': 0 }
  expect(counter.counts).toMatchObject({ ...inCall, ...out })
})

test('a page adds no name', () => {
  const counter = new SignalCounter(CLASSIFIER)
  const answered = ['lobby', 'lobby.', 'constructor.name', '__proto__.x', 'lobby.only_unproven', 'x.y']
  poll(counter, 'call', { answered })
  const zeros = Object.fromEntries(countedSignals('teams').map((name) => [name, 0]))
  expect(counter.counts).toEqual({ ...zeros, 'in_call.tiles': 1 })
})

test('nothing is counted for a page without such signals', () => {
  const counter = new SignalCounter({ ...CLASSIFIER, signals: undefined })
  poll(counter, 'call')
  expect(counter.counts).toEqual({})
})

describe.each(SIGNAL_PLATFORMS)('%s', (platform) => {
  const questions = Object.entries<Readonly<Record<string, boolean>>>(PAGE_SIGNALS[platform])

  test('beside each unproven signal there is another one', () => {
    const alone = questions.filter(([, signals]) => !Object.values(signals).includes(true)).map(([name]) => name)
    expect(alone).toEqual([])
  })

  test('only unproven signals answered: counted if it is so', () => {
    for (const [question, signals] of questions) {
      const names = Object.keys(signals)
      for (let bits = 1; bits < 1 << names.length; bits++) {
        const answered = names.filter((_, place) => bits & (1 << place))
        const expected = answered.some((name) => signals[name]) ? answered : [...answered, 'only_unproven']
        const named = (all: string[]) => all.map((name) => `${question}.${name}`)
        expect(countedIn(platform, new Set(named(answered)))).toEqual(named(expected))
      }
    }
  })
})
