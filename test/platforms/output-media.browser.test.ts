/** Pages as camera, shared screen, voice and ear, seen by a participant of the meeting. */
import { PAGE_TARGETS, type PageTarget } from '@standin/wire/bot-fields.ts'
import type { PageCall, PageNews } from '@standin/wire/page-bridge.ts'
import type { Browser, Page } from 'playwright'
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
import { groundIn, LISTEN, levelOf, PAINT, type PageServer, pictures, TONE } from './shown-pages.ts'

const meet = meetHarness()
const teams = teamsHarness()
const jitsi = jitsiHarness()
const LONG = { timeout: 30_000, interval: 500 }

/** Pages of this server alone are permitted. */
async function inside(
  { port }: Pick<PageServer, 'port'>,
  platform: Pick<typeof meet, 'inside'> = meet,
  more: AttemptOptions['driver'] = {},
) {
  const mayShow = (address: string) => new URL(address).host === `127.0.0.1:${port}`
  let browser: Browser | null = null
  const open: typeof openBrowser = async (...given) => {
    const opened = await openBrowser(...given)
    browser = opened.context.browser()
    return opened
  }
  const driver = { chromium: null, openBrowser: open, mayShow, ...more }
  const attempt = await platform.inside('open', { speed: 1, driver })
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

const numbersOf = async ({ meeting }: Attempt, target?: PageTarget) =>
  (await pictures(meeting.bot, target)).numbers.slice(-40)
const moves = (attempt: Attempt, target?: PageTarget) =>
  expect.poll(async () => new Set(await numbersOf(attempt, target)).size, LONG).toBeGreaterThan(15)
const isOn = ({ meeting: { bot } }: Attempt, target: PageTarget) => (target === 'camera' ? bot.cameraOn : bot.screenOn)
/** A page that stands still shows one picture again and again. */
const stands = async (attempt: Attempt, target?: PageTarget) => {
  const last = (await numbersOf(attempt, target)).slice(-3)
  return last.length === 3 && last.every((number) => number !== null && number === last[0])
}
const toneOf = ({ meeting }: Attempt) => levelOf(meeting.bot, TONE)

const PLATFORMS = [
  ['Google Meet', meet],
  ['Microsoft Teams', teams as unknown as typeof meet],
  ['Jitsi Meet', jitsi as unknown as typeof meet],
] as const
const PLACES = PLATFORMS.flatMap(([name, platform]) => PAGE_TARGETS.map((target) => [name, target, platform] as const))

test.each(PLACES)(
  'a participant of %s sees and hears the page as %s, and after its stop neither',
  async (_name, target, platform) => {
    const pages = await servePages()
    const attempt = await inside(pages, platform, { recordingMode: 'speaker_view' })
    const { listener, sounds, ended } = listening()
    const page = await attempt.driver.showPage(target, pages.address('/moving'), listener)
    await expect.poll(() => toneOf(attempt), LONG).toBeGreaterThan(0.1)
    await moves(attempt, target)
    await expect.poll(() => sounds.length).toBeGreaterThan(50)
    // The recording shows people, and not the page.
    await attempt.driver.prepareRecording(attempt.signal)
    await heartbeats(attempt.events, 1)
    expect(groundIn(await attempt.driver.screenshot())).toBeLessThan(0.02)
    // A second press of the bot's own may have turned it off shortly before; a host would mute it again.
    await expect
      .poll(() => {
        attempt.meeting.muteBot()
        return attempt.events.some(({ type }) => type === 'muted_by_host')
      }, LONG)
      .toBe(true)
    const heard = sounds.length
    await heartbeats(attempt.events, 2)
    expect([sounds.length, attempt.meeting.bot.microphoneOn]).toEqual([heard, false])
    await page.close()
    await expect.poll(() => isOn(attempt, target), LONG).toBe(false)
    await expect.poll(() => attempt.meeting.bot.microphoneOn, LONG).toBe(false)
    expect(ended).toEqual([])
    expect(attempt.events.filter(({ type }) => type === 'screen_share')).toEqual([])
  },
)

/** What ends a page, with the reason; `shown` is the page itself. */
const ENDS: readonly [end: (shown: Page, attempt: Attempt) => unknown, reason: RegExp, only?: PageTarget][] = [
  [(shown) => shown.goto('chrome://crash').catch(() => {}), /^it crashed\.$/],
  [
    (shown) =>
      shown.evaluate(() =>
        setTimeout(() => {
          for (;;);
        }),
      ),
    /^it did not answer for 10 s\.$/,
    'screen',
  ],
  [(shown) => shown.evaluate(() => location.assign('http://10.0.0.1/')), /^it went to 10\.0\.0\.1,/, 'screen'],
  [(_shown, { meeting }) => meeting.stopBotScreen(), /^the meeting ended the share\.$/, 'screen'],
]

test.each(PAGE_TARGETS)(
  'as %s, another page takes its place, one that does not load does not, and what ends it gives the picture back',
  async (target) => {
    const pages = await servePages()
    const attempt = await inside(pages)
    const { listener, ended } = listening()
    const contexts = () => attempt.browser().contexts().length
    const show = (url: string) => attempt.driver.showPage(target, url, listener)
    const first = await show(pages.address('/still'))
    await expect.poll(() => stands(attempt, target), LONG).toBe(true)
    await expect(show(pages.address('/missing'))).rejects.toThrow('answered 404')
    await expect(show('https://10.0.0.1/')).rejects.toThrow('is not a public address')
    await expect.poll(() => stands(attempt, target), LONG).toBe(true)
    expect(contexts()).toBe(2)
    // The page of the meeting gets no other display, and none unasked.
    const [meeting] = attempt.browser().contexts()[0]!.pages()
    const asking = () => navigator.mediaDevices.getDisplayMedia().then(String, ({ name }) => name)
    expect(await meeting!.evaluate(asking)).toBe('NotAllowedError')
    await show(pages.address('/moving'))
    await first.close()
    await moves(attempt, target)
    for (const [end, reason, only = target] of ENDS) {
      if (only !== target) continue
      expect([contexts(), isOn(attempt, target)]).toEqual([2, true])
      const [shown] = attempt.browser().contexts().at(-1)!.pages()
      await end(shown!, attempt)
      await expect.poll(() => ended.splice(0).join(), LONG).toMatch(reason)
      await expect.poll(() => isOn(attempt, target), LONG).toBe(false)
      expect([contexts(), attempt.meeting.bot.isConnected]).toEqual([1, true])
      if (target === 'screen') await show(pages.address('/moving'))
    }
  },
)

test('camera and screen show a page each, which a meeting that loads itself anew shows again, and one ends without the other', async () => {
  const pages = await servePages()
  const attempt = await inside(pages, jitsi as unknown as typeof meet)
  const { listener, sounds, ended } = listening()
  await attempt.driver.showPage('camera', pages.address('/still'), listener)
  const screen = await attempt.driver.showPage('screen', pages.address('/moving'), listener)
  await expect.poll(() => stands(attempt), LONG).toBe(true)
  await moves(attempt, 'screen')
  attempt.meeting.show('server-lost')
  await attempt.event('connection', ({ state }) => state === 'recovered')
  await expect.poll(() => stands(attempt), LONG).toBe(true)
  await moves(attempt, 'screen')
  const shown = (path: string) => pages.asked.filter((address) => address.endsWith(path)).length
  expect([shown('/still'), shown('/moving'), attempt.browser().contexts().length, ended]).toEqual([2, 2, 3, []])
  await screen.close()
  await expect.poll(() => attempt.meeting.bot.screenOn, LONG).toBe(false)
  const isSilent = async () => {
    const heard = sounds.length
    await heartbeats(attempt.events, 2)
    return sounds.length === heard
  }
  await expect.poll(isSilent, LONG).toBe(true)
  expect([attempt.meeting.bot.cameraOn, attempt.meeting.bot.microphoneOn]).toEqual([true, true])
})

test('a page that loads while the meeting loads itself anew is shown once, and ends with its reason where that fails', async () => {
  const scripts: Record<string, string | Promise<string>> = {}
  const pages = await servePages(scripts)
  const attempt = await inside(pages, jitsi as unknown as typeof meet)
  const { listener, ended } = listening()
  const asked = () => pages.asked.filter((address) => address.endsWith('/slow')).length
  const recovered = () => attempt.events.filter((event) => 'state' in event && event.state === 'recovered').length
  const loadsAnew = async (times: number) => {
    attempt.meeting.show('server-lost')
    await expect.poll(() => [recovered(), asked()], LONG).toEqual([times, times + 1])
  }
  const first = Promise.withResolvers<string>()
  scripts['/slow'] = first.promise
  const showing = attempt.driver.showPage('camera', pages.address('/slow'), listener)
  await expect.poll(asked, LONG).toBe(1)
  await loadsAnew(1)
  first.resolve(PAINT)
  await showing
  await expect.poll(() => stands(attempt), LONG).toBe(true)
  expect([attempt.browser().contexts().length, ended]).toEqual([2, []])
  // The second document comes while it is opened again for the first.
  scripts['/slow'] = new Promise(() => {})
  await loadsAnew(2)
  Reflect.deleteProperty(scripts, '/slow')
  await loadsAnew(3)
  await expect.poll(() => ended, LONG).toEqual([expect.stringContaining('the server answered 404')])
  await expect.poll(() => attempt.meeting.bot.cameraOn, LONG).toBe(false)
  expect(attempt.browser().contexts().length).toBe(1)
})

test.each([
  ['Google Meet', meet, 'does not permit', (meeting) => meeting.forbidScreens()],
  ['Google Meet', meet, 'Another participant shares', (meeting) => meeting.startSharing(meeting.people[0]!.id)],
  ['Microsoft Teams', teams as unknown as typeof meet, 'no button', (meeting) => meeting.forbidScreens()],
  ['Jitsi Meet', jitsi as unknown as typeof meet, 'does not permit', (meeting) => meeting.forbidScreens()],
] as [string, typeof meet, string, (meeting: Attempt['meeting']) => void][])(
  'a meeting on %s that takes no screen says why, and nothing is left of the page',
  async (_name, platform, reason, refuse) => {
    const pages = await servePages()
    const attempt = await inside(pages, platform)
    refuse(attempt.meeting)
    await heartbeats(attempt.events, 2)
    const { listener, ended } = listening()
    await expect(attempt.driver.showPage('screen', pages.address('/moving'), listener)).rejects.toThrow(reason)
    await heartbeats(attempt.events, 2)
    const { screenOn, microphoneOn } = attempt.meeting.bot
    expect([screenOn, microphoneOn, attempt.browser().contexts().length, ended]).toEqual([false, false, 1, []])
  },
)

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
  const page = await attempt.driver.showPage('camera', pages.address('/bridge'), listener)
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
    return attempt.driver.showPage('camera', pages.address('/still'), listening().listener)
  }
  const shell = { chromium: HEADLESS_SHELL, mayShow: () => true }
  await expect(show(shell)).rejects.toThrow('The browser cannot show a page: Not')
  await expect(show({ chromium: HEADLESS_SHELL })).rejects.toThrow('This bot shows no pages.')
  expect(pages.asked).toEqual([])
})

test('the example with captions shows words, in their final form, and the time that is left', async () => {
  const examples = await serveExamples()
  const attempt = await inside(examples)
  const page = await attempt.driver.showPage(
    'camera',
    examples.address('/captions-page.html?minutes=5'),
    listening().listener,
  )
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
  await attempt.driver.showPage('camera', examples.address(`/pipecat-page.html?offer=${offer}`), listening().listener)
  const [shown] = attempt.browser().contexts().at(-1)!.pages()
  await expect.poll(() => shown!.textContent('#state'), LONG).toBe('connected')
  attempt.meeting.startSpeaking(attempt.meeting.people[0]!.id)
  await expect.poll(() => attempt.meeting.bot.sent().audioIsSilent, LONG).toBe(false)
})
