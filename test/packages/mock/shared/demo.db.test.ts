import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { GoogleMeetMeeting } from '../../../../packages/mock/google-meet/meeting.ts'
import { DEMO_PEOPLE, runDemoScript } from '../../../../packages/mock/shared/demo.ts'

/** A real meeting without a page: the test sets the states, and the host's actions are recorded. */
class ScriptedMeeting extends GoogleMeetMeeting {
  readonly done: string[] = []
  where = 'none'
  private readonly waiting: { state: string; go: () => void }[] = []

  constructor() {
    super('abc-defg-hij', 'waiting-room', { about: '' }, {})
  }

  override get state(): string {
    return this.where
  }

  reach(state: string): void {
    this.where = state
    for (const { go } of this.waiting.filter((entry) => entry.state === state)) go()
  }

  override whenState(state: string): Promise<void> {
    if (this.where === state) return Promise.resolve()
    return new Promise((go) => this.waiting.push({ state, go }))
  }

  override admit(): void {
    this.done.push('admit')
    this.reach('call')
  }
  override async playVoice(id: string, file: string): Promise<void> {
    this.done.push(`${id} says ${basename(file)}`)
  }
  override startSharing(id: string): void {
    this.done.push(`${id} shares`)
  }
  override stopSharing(): void {}
  override endForAll(): void {
    this.done.push('end')
  }
}

/** A clock that jumps to the end of each sleep. */
function jumpingClock() {
  let now = 1_000_000
  return {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
  }
}

test('the demo brings four people, admits the bot, shows everything once in a minute, and ends for all', async () => {
  const meeting = new ScriptedMeeting()
  const clock = jumpingClock()
  const began = clock.now()
  const running = runDemoScript(meeting, new AbortController().signal, clock)
  expect(meeting.people.map(({ id }) => id)).toEqual(DEMO_PEOPLE.map(({ id }) => id))
  expect(meeting.done).toEqual([])
  meeting.reach('lobby')
  const truth = await running
  expect(meeting.done.at(0)).toBe('admit')
  expect(meeting.done.at(-1)).toBe('end')
  expect(meeting.done).toContain('bob shares')
  const said = meeting.done.flatMap((what) => what.split(' says ')[1] ?? [])
  expect(said.length).toBeGreaterThan(4)
  const stored = join(import.meta.dirname, '../../../../packages/mock/sentences')
  expect(said.filter((file) => !existsSync(join(stored, file)))).toEqual([])
  expect(truth.chat.map(({ senderId }) => senderId)).toEqual(['cleo', 'dan'])
  expect(truth.presence.find(({ personId }) => personId === 'dan')?.leftAt).not.toBe(null)
  expect(clock.now() - began).toBeGreaterThan(50_000)
  expect(clock.now() - began).toBeLessThan(75_000)
})

test('a bot that leaves early ends the demo', async () => {
  const meeting = new ScriptedMeeting()
  const running = runDemoScript(meeting, new AbortController().signal, jumpingClock())
  meeting.truth.botJoined()
  meeting.truth.botLeft()
  meeting.reach('lobby')
  await running
  expect(meeting.done).toEqual(['admit'])
})

test('an aborted demo stops with the reason', async () => {
  const meeting = new ScriptedMeeting()
  const stop = new AbortController()
  const running = runDemoScript(meeting, stop.signal)
  stop.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  expect(meeting.done).toEqual([])
})
