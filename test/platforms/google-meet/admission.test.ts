import { expect, test } from 'vitest'
import { isCorroborated, PAGE_PHASES, type PageState, stateOf } from '../../../platforms/google-meet/page-state.ts'
import { AdmissionJudge } from '../../../platforms/shared/join/admission.ts'
import { CALL, snapshot, TOOLBAR } from './snapshots.ts'

const HOLDS = { holdAfterLobbyMs: 6000, holdWithoutLobbyMs: 10_000, holdWithRosterMs: 2000 }
const call = stateOf(snapshot(CALL))
const callByRoster = stateOf(snapshot({ ...CALL, ownStatus: 1 }))
const rosterOnly = stateOf(snapshot({ ...TOOLBAR, ownStatus: 1 }))
const lobby = stateOf(snapshot({ ...TOOLBAR, lines: ['Asking to be let in...'] }))
const toolbar = stateOf(snapshot(TOOLBAR))

function admittedAt(looks: [PageState, number][]): number | null {
  const judge = new AdmissionJudge(HOLDS)
  const verdict = (state: PageState, at: number) => judge.observe(PAGE_PHASES[state.kind], isCorroborated(state), at)
  return looks.find(([state, at]) => verdict(state, at) === 'admitted')?.[1] ?? null
}
const every = (state: PageState, from: number, to: number): [PageState, number][] =>
  Array.from({ length: (to - from) / 500 + 1 }, (_, index) => [state, from + index * 500])

test.each<[string, [PageState, number][], number | null]>([
  ['the picture of a call has to hold 10 s where no waiting room was seen', every(call, 0, 20_000), 10_000],
  ['after a waiting room 6 s are enough', [[lobby, 0], ...every(call, 500, 20_000)], 6500],
  ['where the roster agrees 2 s are enough', every(callByRoster, 0, 20_000), 2000],
  ['the roster alone is one witness', every(rosterOnly, 0, 20_000), 10_000],
  ['the toolbar alone is none', every(toolbar, 0, 60_000), null],
  [
    'a late sign of the waiting room begins the wait anew',
    [...every(call, 0, 6000), [lobby, 6500], ...every(call, 7000, 30_000)],
    13_000,
  ],
  [
    'a look that is no proof begins it anew too',
    [...every(call, 0, 9500), [toolbar, 9700], ...every(call, 10_000, 30_000)],
    20_000,
  ],
])('%s', (_name, looks, expected) => {
  expect(admittedAt(looks)).toBe(expected)
})
