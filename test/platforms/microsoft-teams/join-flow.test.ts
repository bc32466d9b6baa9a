import { expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { JoinFlow } from '../../../platforms/microsoft-teams/join-flow.ts'
import type { PageSnapshot } from '../../../platforms/microsoft-teams/page/types.ts'
import type { TeamsPage } from '../../../platforms/microsoft-teams/page-script.ts'
import { OPEN_GATE } from '../../../platforms/shared/join/ahead.ts'
import { DeviceToggles } from '../../../platforms/shared/join/device-toggles.ts'
import { JoinForm } from '../../../platforms/shared/join/join-form.ts'
import { REAL_WAITS } from '../../../platforms/shared/waits.ts'
import { snapshot } from './snapshots.ts'

const PRE_JOIN = { kind: 'pre_join', text: '', proofs: [] } as const
const LOBBY = { kind: 'lobby', text: '', proofs: [] } as const
const DROPPED = { kind: 'lobby_dropped', text: '', proofs: [] } as const

/** The join flow with a page that stores the text typed into its name box, if it has one. */
function joinFlowOf({ expectsAccount = false, microphone = 'off' as 'on' | 'off' } = {}) {
  let now = 0
  const pressed: string[] = []
  const page = {
    clock: { now: () => now },
    waits: REAL_WAITS,
    logger: silentLogger,
    gate: OPEN_GATE,
    wakePointer: async () => {},
    fill: async (_name: string, text: string) => {
      box = { value: text }
    },
    press: async (name: string) => pressed.push(name) > 0,
  } as unknown as TeamsPage
  let box: PageSnapshot['nameBox'] = null
  const devices = new DeviceToggles(page, { microphone: 'off', camera: 'off' })
  const joinFlow = new JoinFlow({ page, form: new JoinForm(page, devices, 'Notes'), expectsAccount })
  const seen = (): PageSnapshot =>
    snapshot({
      preJoin: true,
      nameBox: box,
      join: { label: 'Join now', isEnabled: true },
      microphone,
      camera: 'off',
    })
  return {
    pressed,
    show(value: string | null) {
      box = value === null ? null : { value }
    },
    async looks(ms: number) {
      for (const end = now + ms; now < end; now += 500) await joinFlow.ask(seen(), PRE_JOIN)
    },
    waits: () => joinFlow.wait(seen(), LOBBY),
    dropped: () => joinFlow.wait(seen(), DROPPED),
  }
}

test('a guest waits for the name box, fills it in, and joins then', async () => {
  const { pressed, show, looks } = joinFlowOf()
  await looks(15_000)
  expect(pressed).toEqual([])
  show('')
  await looks(500)
  expect(pressed).toEqual([])
  await looks(5000)
  expect(pressed).toEqual(['join'])
})

test('a guest who is given no name box says so, and has never pressed the button', async () => {
  const { pressed, looks } = joinFlowOf()
  const failure = {
    code: 'CANNOT_JOIN_MEETING',
    canRetry: true,
    message: expect.stringContaining('no box for the name'),
  }
  await expect(looks(25_000)).rejects.toMatchObject(failure)
  expect(pressed).toEqual([])
})

test('an account has its name and is asked for none', async () => {
  const { pressed, looks } = joinFlowOf({ expectsAccount: true })
  await looks(5000)
  expect(pressed).toEqual(['join'])
})

test('a name box says that the session of an account was not used', async () => {
  const { show, looks } = joinFlowOf({ expectsAccount: true })
  show('')
  await expect(looks(5000)).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' })
})

test('a request that fell is made again under the name only', async () => {
  const { pressed, show, waits, dropped } = joinFlowOf()
  show('')
  await waits()
  await dropped()
  expect(pressed).toEqual([])
  await dropped()
  expect(pressed).toEqual(['join'])
})

test('a button that was enabled in the waiting room all the time is not pressed again', async () => {
  const { pressed, show, dropped } = joinFlowOf()
  show('Notes')
  for (let look = 0; look < 5; look++) await dropped()
  expect(pressed).toEqual([])
})

test('a microphone that cannot be turned off keeps the bot outside', async () => {
  const { pressed, show, looks } = joinFlowOf({ microphone: 'on' })
  show('Notes')
  await looks(15_000)
  expect(pressed).toContain('microphone')
  expect(pressed).not.toContain('join')
})
