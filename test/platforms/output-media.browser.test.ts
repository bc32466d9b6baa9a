/** A page as camera, voice and ear, seen by a participant of the meeting. */
import type { PageCall, PageNews } from '@standin/wire/page-bridge.ts'
import type { Browser } from 'playwright'
import { expect, test } from 'vitest'
import type { CapturedAudio } from '../../packages/core/ports.ts'
import { openBrowser } from '../../platforms/browser/browser.ts'
import { HEADLESS_SHELL } from '../headless-shell.ts'
import type { Attempt, AttemptOptions } from './attempts.ts'
import { heartbeats } from './conformance/ground.ts'
import { meetHarness } from './google-meet/harness.ts'
import { jitsiHarness } from './jitsi/harness.ts'
import { teamsHarness } from './microsoft-teams/harness.ts'
import { serveExamples } from './serve-examples.ts'
import { servePages } from './serve-pages.ts'
import { LISTEN, levelOf, type PageServer, pictures, TONE } from './shown-pages.ts'

const meet = meetHarness()
const teams = teamsHarness()
const jitsi = jitsiHarness()
const LONG = { timeout: 30_000, interval: 500 }

/** Pages of this server alone are permitted. */
async function inside({ port }: Pick<PageServer, 'port'>, platform: Pick<typeof meet, 'inside'> = meet) {
  const mayShow = (address: string) => new URL(address).host === `127.0.0.1:${port}`
  let browser: Browser | null = null
  const open: typeof openBrowser = async (...given) => {
    const opened = await openBrowser(...given)
    browser = opened.context.browser()
    return opened
  }
  const attempt = await platform.inside('open', { speed: 1, driver: { chromium: null, openBrowser: open, mayShow } })
  await expect.poll(() => attempt.meeting.bot.isConnected, LONG).toBe(true)
  return { ...attempt, browser: () => browser! }
}

function listening() {
  const heard = {
    sounds: [] as CapturedAudio[],
    calls: [] as PageCall[],
    ended: [] as string[],
    news: [] as PageNews[],
  }
  const listener = {
    firstNews: () => heard.news,
    onSound: (sound: CapturedAudio) => void heard.sounds.push(sound),
    onCall: async (call: PageCall) => {
      heard.calls.push(call)
      return { outcome: 'said' }
    },
    onEnded: (reason: string) => void heard.ended.push(reason),
  }
  return { ...heard, listener }
}

const numbersOf = async ({ meeting }: Attempt) => (await pictures(meeting.bot)).numbers.slice(-40)
/** A page that stands still shows one picture again and again. */
const stands = async (attempt: Attempt) => {
  const last = (await numbersOf(attempt)).slice(-3)
  return last.length === 3 && last.every((number) => number !== null && number === last[0])
}
const toneOf = ({ meeting }: Attempt) => levelOf(meeting.bot, TONE)

test.each([
  ['Google Meet', meet],
  ['Microsoft Teams', teams as unknown as typeof meet],
  ['Jitsi Meet', jitsi as unknown as typeof meet],
])('a participant of %s sees and hears the page, and after its stop neither', async (_name, platform) => {
  const pages = await servePages()
  const attempt = await inside(pages, platform)
  const { listener, sounds, ended } = listening()
  const page = await attempt.driver.showPage(pages.address('/moving'), listener)
  await expect.poll(() => toneOf(attempt), LONG).toBeGreaterThan(0.1)
  await expect.poll(async () => new Set(await numbersOf(attempt)).size, LONG).toBeGreaterThan(15)
  await expect.poll(() => sounds.length).toBeGreaterThan(50)
  attempt.meeting.muteBot()
  await attempt.event('muted_by_host')
  const heard = sounds.length
  await heartbeats(attempt.events, 2)
  expect([sounds.length, attempt.meeting.bot.microphoneOn]).toEqual([heard, false])
  await page.close()
  await expect.poll(() => attempt.meeting.bot.cameraOn, LONG).toBe(false)
  await expect.poll(() => attempt.meeting.bot.microphoneOn, LONG).toBe(false)
  expect(ended).toEqual([])
})

test('another page takes its place, one that does not load does not, and a crash gives the picture back', async () => {
  const pages = await servePages()
  const attempt = await inside(pages)
  const { listener, ended } = listening()
  const contexts = () => attempt.browser().contexts().length
  const first = await attempt.driver.showPage(pages.address('/still'), listener)
  await expect.poll(() => stands(attempt), LONG).toBe(true)
  await expect(attempt.driver.showPage(pages.address('/missing'), listener)).rejects.toThrow('answered 404')
  await expect(attempt.driver.showPage('https://10.0.0.1/', listener)).rejects.toThrow('is not a public address')
  await expect.poll(() => stands(attempt), LONG).toBe(true)
  expect(contexts()).toBe(2)
  await attempt.driver.showPage(pages.address('/moving'), listener)
  await first.close()
  await expect.poll(async () => new Set(await numbersOf(attempt)).size, LONG).toBeGreaterThan(15)
  expect(contexts()).toBe(2)
  const [shown] = attempt.browser().contexts().at(-1)!.pages()
  await shown!.goto('chrome://crash').catch(() => {})
  await expect.poll(() => ended, LONG).toEqual(['it crashed.'])
  await expect.poll(() => attempt.meeting.bot.cameraOn, LONG).toBe(false)
  expect([contexts(), attempt.meeting.bot.isConnected]).toEqual([1, true])
})

test('a meeting that loads itself anew shows the page again', async () => {
  const pages = await servePages()
  const attempt = await inside(pages, jitsi as unknown as typeof meet)
  const { listener, ended } = listening()
  await attempt.driver.showPage(pages.address('/still'), listener)
  attempt.meeting.show('server-lost')
  await attempt.event('connection', ({ state }) => state === 'recovered')
  await expect.poll(() => stands(attempt), LONG).toBe(true)
  const shown = pages.asked.filter((address) => address.endsWith('/still'))
  expect([shown.length, attempt.browser().contexts().length, ended]).toEqual([2, 2, []])
})

test('it hears the meeting, gets its events, and its calls are answered', async () => {
  const script = `
    const note = (text) => fetch('/note', { method: 'POST', body: String(text) })
    standin.on('speaker', ({ participant, is_speaking }) => note(participant.name + ' ' + is_speaking))
    let joined = 0
    standin.on('participant_joined', () => ++joined === 100 && note(standin.people.map(({ name }) => name)))
    standin.say('Hello.', { replace: true }).then((said) => note(JSON.stringify(said)))
    standin.say('').catch((error) => note(error.message))
    ${LISTEN}`
  const pages = await servePages({ '/bridge': script })
  const attempt = await inside(pages)
  const { listener, news, calls } = listening()
  const participant = { id: 1, name: 'Ann', platform_id: 'p' }
  // More of them than calls may wait for the page.
  for (let person = 0; person < 100; person++) news.push({ type: 'participant_joined', participant, offset: 0 })
  const page = await attempt.driver.showPage(pages.address('/bridge'), listener)
  page.tell({ type: 'speaker', participant, is_speaking: true, timestamp: 1, offset: 1, source: 'csrc', confidence: 1 })
  const answers = ['text: must not be empty or only white space', '{"outcome":"said"}', 'listens']
  await expect.poll(() => pages.notes.toSorted(), LONG).toEqual(['Ann', 'Ann true', ...answers].toSorted())
  expect(calls).toEqual([{ call: 'say', text: 'Hello.', interrupt: false, replace: true }])
  attempt.meeting.startSpeaking(attempt.meeting.people[0]!.id)
  await expect.poll(() => pages.notes, LONG).toContain('loud')
})

test('a browser that cannot capture a tab, and a bot that shows none, say so', async () => {
  const pages = await servePages()
  const show = async (driver: AttemptOptions['driver']) => {
    const attempt = await meet.inside('open', { speed: 1, driver: { openBrowser, ...driver } })
    return attempt.driver.showPage(pages.address('/still'), listening().listener)
  }
  const shell = { chromium: HEADLESS_SHELL, mayShow: () => true }
  await expect(show(shell)).rejects.toThrow('The browser cannot show a page: Not')
  await expect(show({ chromium: HEADLESS_SHELL })).rejects.toThrow('This bot shows no pages.')
  expect(pages.asked).toEqual([])
})

test('the example with captions shows words, in their final form, and the time that is left', async () => {
  const examples = await serveExamples()
  const attempt = await inside(examples)
  const page = await attempt.driver.showPage(examples.address('/captions-page.html?minutes=5'), listening().listener)
  const speaker = { id: 1, name: 'Ann', platform_id: 'p' }
  const words = (id: string, text: string, is_final: boolean) =>
    page.tell({ type: 'transcript', id, text, is_final, speaker, start: 0, end: 1, language: null } as PageNews)
  words('1', 'Good', false)
  words('1', 'Good morning.', true)
  words('2', '<b>Hello</b>', false)
  const [shown] = attempt.browser().contexts().at(-1)!.pages()
  await expect.poll(() => shown!.textContent('#lines'), LONG).toBe('Ann: Good morning.Ann: <b>Hello</b>')
  expect(await shown!.textContent('#timer')).toMatch(/^[45]:\d\d$/)
})

test('the example with Pipecat hears the meeting, and is heard in it', async () => {
  const examples = await serveExamples()
  const attempt = await inside(examples)
  const offer = encodeURIComponent(examples.address('/api/offer'))
  await attempt.driver.showPage(examples.address(`/pipecat-page.html?offer=${offer}`), listening().listener)
  const [shown] = attempt.browser().contexts().at(-1)!.pages()
  await expect.poll(() => shown!.textContent('#state'), LONG).toBe('connected')
  attempt.meeting.startSpeaking(attempt.meeting.people[0]!.id)
  await expect.poll(() => attempt.meeting.bot.sent().audioIsSilent, LONG).toBe(false)
})
