/** Pages that decode the meeting's sound themselves, and pages that stop playing it. */
import { describe, expect, test } from 'vitest'
import type { MockPerson } from '../../../packages/mock/types.ts'
import type { OpenBrowser } from '../../../platforms/browser/browser.ts'
import { heartbeats } from '../conformance/ground.ts'
import { crashingAtExtraEdges } from '../extra-edges.ts'
import { type Attempt, meetHarness } from './harness.ts'

const meet = meetHarness()
const people: MockPerson[] = ['Ann', 'Bob', 'Cleo'].map((name) => ({ id: name.toLowerCase(), name, camera: false }))

/** Each speaks for some seconds, one after the other. Resolves with their turns: name and best source. */
async function spoken(attempt: Attempt): Promise<string[]> {
  const told: string[] = []
  for (const { id, name } of people) {
    const { participant } = await attempt.event('participant_joined', (event) => event.participant.name === name)
    const before = attempt.events.length
    const isNew = (event: Attempt['events'][number]) => attempt.events.indexOf(event) >= before
    attempt.meeting.startSpeaking(id)
    await attempt.event('speaking', (event) => event.isSpeaking && isNew(event))
    await heartbeats(attempt.events, 2)
    attempt.meeting.stopSpeaking(id)
    const turn = await attempt.event('speaking', (event) => !event.isSpeaking && isNew(event))
    told.push(`${turn.participantId === participant.id ? name : turn.participantId} by ${turn.source}`)
  }
  return told
}
async function decodedBy({ meeting }: Attempt, decoder: string): Promise<void> {
  meeting.show(decoder)
  await expect.poll(() => meeting.log.findLast(({ target }) => target === 'decoder')?.detail).toBe(decoder)
}
const by = (source: string) => people.map(({ name }) => `${name} by ${source}`)

async function inside(scenario: string, openBrowser: OpenBrowser = crashingAtExtraEdges): Promise<Attempt> {
  const attempt = await meet.inside(scenario, { speed: 1, people, driver: { openBrowser } })
  await expect.poll(() => attempt.meeting.bot.isConnected).toBe(true)
  return attempt
}

test('a page that asks for encoded frames finds none, and the browser plays the sound', async () => {
  const attempt = await inside('encoded-frames')
  expect(await spoken(attempt)).toEqual(by('csrc'))
  const { 'voice.elsewhere': elsewhere = 0, 'voice.receivers': received = 0 } = attempt.driver.signalCounts
  // A poll at the end of a turn may find its sound over already.
  expect(received).toBeGreaterThan(4 * elsewhere)
})

describe('a page that decodes its sound in a worklet', () => {
  test('from the start: marks say who speaks, and the count of its polls says that no receiver has sound', async () => {
    const attempt = await inside('own-decoder')
    expect(await spoken(attempt)).toEqual(by('page'))
    const { 'voice.elsewhere': elsewhere, 'voice.only_unproven': doubtful } = attempt.driver.signalCounts
    expect(elsewhere).toBeGreaterThan(0)
    expect(doubtful).toBe(elsewhere)
  })

  test('from the middle of the call on, and back', async () => {
    const attempt = await inside('open')
    expect(await spoken(attempt)).toEqual(by('csrc'))
    await decodedBy(attempt, 'own-decoder')
    expect(await spoken(attempt)).toEqual(by('page'))
    await decodedBy(attempt, 'browser-decoder')
    expect(await spoken(attempt)).toEqual(by('csrc'))
  })
})

test('a page that suspends, pauses and mutes what it played is set going again, and nothing else of it', async () => {
  let page: Awaited<ReturnType<OpenBrowser>>['page'] | null = null
  const attempt = await inside('open', async (...given) => {
    const browser = await crashingAtExtraEdges(...given)
    page = browser.page
    return browser
  })
  const states = () => page!.evaluate(() => (globalThis as unknown as { states(): unknown }).states())
  await page!.evaluate(async () => {
    const context = new AudioContext()
    const { stream } = context.createMediaStreamDestination()
    const [paused, muted, never] = Array.from({ length: 3 }, () => Object.assign(new Audio(), { srcObject: stream }))
    await Promise.all([paused!.play(), muted!.play()])
    paused!.pause()
    muted!.muted = true
    await context.suspend()
    const states = () => [context.state, paused!.paused, muted!.muted, never!.paused]
    Object.assign(globalThis, { states })
  })
  expect(await states()).toEqual(['suspended', true, true, true])
  expect(await attempt.driver.restoreSound()).toEqual([
    'the page had stopped its sound',
    'the page had muted its sound',
  ])
  expect(await states()).toEqual(['running', false, false, true])
  expect(await attempt.driver.restoreSound()).toEqual([])
})
