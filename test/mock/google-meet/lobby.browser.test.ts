import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { clickUntil, poll, visibleText } from '../mock-browser.ts'
import { MeetBrowser } from './meet-browser.ts'

let browser: MeetBrowser
beforeAll(async () => {
  browser = await MeetBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

describe('the waiting room', () => {
  test('looks like the call: toolbar, a participant id, three sounds, home button; but no tile and no captions', async () => {
    const { page, meeting } = await browser.join('waiting-room')
    await meeting.whenState('lobby')
    const toolbar = page.getByRole('region', { name: 'Call controls' })
    await toolbar.getByRole('button', { name: 'Leave call' }).waitFor()
    expect(await toolbar.getByRole('button', { name: /Chat with everyone|More options|microphone/ }).count()).toBe(3)
    expect(await page.locator('[data-participant-id]').count()).toBe(1)
    expect(await page.locator('[data-participant-id] [aria-label="Backgrounds and effects"]').count()).toBe(1)
    expect(await page.locator('[data-tile-media-id]').count()).toBe(0)
    expect(await page.getByLabel(/captions|Share screen|^People/).count()).toBe(0)
    await page.getByRole('button', { name: 'Return to home screen' }).waitFor()
    await poll(() => page.locator('body > audio').count()).toBe(3)
    const sounds = await page
      .locator('audio')
      .evaluateAll((elements) =>
        elements.map((element) => [element.attributes.length, (element as HTMLAudioElement).paused]),
      )
    expect(sounds).toEqual([
      [0, true],
      [0, true],
      [0, true],
    ])
    await poll(() => visibleText(page)).toMatch(/Asking to be let in(\.\.\.|…)/)
    expect(await visibleText(page)).toMatch(/You['’]ll join the call when someone lets you in/)
    expect(page.errors).toEqual([])
  })

  test('shows its text long after its toolbar if the scenario says so', async () => {
    const { page, meeting } = await browser.join('late-lobby-text', { speed: 4 })
    await meeting.whenState('lobby')
    await page.getByRole('button', { name: 'Leave call' }).waitFor()
    const shownAt = Date.now()
    expect(await visibleText(page)).not.toContain('Asking')
    await page.getByText(/Asking to be let in/).waitFor()
    expect(Date.now() - shownAt).toBeGreaterThan(6400 / 4 / 3)
    await meeting.whenState('call')
  })

  test('sends no sound, picture or roster to those who wait', async () => {
    const { page, meeting } = await browser.join('waiting-room', {}, () => {
      const Native = RTCPeerConnection
      const made: RTCPeerConnection[] = []
      Object.assign(window, { made })
      window.RTCPeerConnection = class extends Native {
        constructor(settings?: RTCConfiguration) {
          super(settings)
          made.push(this)
        }
      }
    })
    await meeting.whenState('lobby')
    meeting.startSpeaking('ann')
    const connection = () =>
      page.evaluate(() => {
        const [only, ...others] = (window as unknown as { made: RTCPeerConnection[] }).made
        return [others.length, only?.connectionState, only?.remoteDescription, only?.getTransceivers().length]
      })
    await poll(connection).toEqual([0, 'new', null, 14])
  })

  test.each([
    ['denied', /Someone in the call denied your request to join/, false],
    ['denied-stale-lobby-text', /Someone in the call denied your request to join/, true],
    ['denied-as-you-left', /You left the meeting/, false],
  ])('%s: the text of the waiting room stays in the page, visible or not', async (scenario, text, isVisible) => {
    const { page, meeting } = await browser.join(scenario)
    await meeting.whenState('denied')
    await poll(() => visibleText(page)).toMatch(text)
    expect(await page.locator('body').textContent()).toMatch(/Asking to be let in/)
    expect(/Asking to be let in/.test(await visibleText(page))).toBe(isVisible)
    expect(await visibleText(page)).toMatch(/Returning to home screen\s+\d+ seconds left/)
    expect(meeting.truth.admittedAt).toBe(null)
  })

  test('a denial counts down and leaves the site', async () => {
    const { page, meeting } = await browser.join('waiting-room', { speed: 30 })
    await meeting.whenState('lobby')
    meeting.deny()
    const timer = page.getByRole('timer')
    const first = Number.parseInt((await timer.textContent()) ?? '', 10)
    expect(first).toBeGreaterThan(30)
    await poll(async () => Number.parseInt((await timer.textContent()) ?? '', 10)).toBeLessThan(first)
    await page.waitForURL('https://workspace.google.com/products/meet/')
    expect(meeting.state).toBe('denied')
  })

  test('leaving or closing the page withdraws the join request', async () => {
    const left = await browser.join('cancelled-in-lobby')
    await left.meeting.whenState('lobby')
    await clickUntil(left.page, '[aria-label="Leave call"]', async () => left.meeting.state === 'left')
    const closed = await browser.join('own-lobby-timeout')
    await closed.meeting.whenState('lobby')
    await closed.page.goto('about:blank')
    await closed.meeting.whenState('closed')
    expect(() => closed.meeting.admit()).toThrow(/no page .* is open/)
  })

  test('asks for consent before the admission counts', async () => {
    const { page, meeting } = await browser.join('consent-dialog-after-admit')
    await meeting.whenState('consent')
    await poll(() => page.getByRole('dialog').textContent()).toContain('being recorded')
    expect(meeting.truth.admittedAt).toBe(null)
    await clickUntil(page, '[data-mdc-dialog-action="ok"]', async () => meeting.state === 'call')
    expect(meeting.truth.admittedAt).not.toBe(null)
  })

  test('refusing consent leaves', async () => {
    const { page, meeting } = await browser.join('consent-gemini')
    await meeting.whenState('consent')
    await poll(() => page.getByRole('dialog').textContent()).toMatch(/take notes for me/)
    await clickUntil(page, '[data-mdc-dialog-action="cancel"]', async () => meeting.state === 'left')
    expect(meeting.truth.admittedAt).toBe(null)
  })

  test('turns devices on by itself after admission if the scenario says so', async () => {
    const { page, meeting } = await browser.open('devices-reset-on-admit')
    await meeting.whenState('greenRoom')
    for (const device of await page.locator('[data-is-muted="false"]').all()) {
      await poll(async () => {
        await device.click({ timeout: 1000 }).catch(() => {}) // Muted meanwhile: the locator matches no more.
        return page.locator('[data-is-muted="false"]').count()
      }).toBeLessThan(2)
    }
    await poll(() => [meeting.bot.microphoneOn, meeting.bot.cameraOn]).toContain(false)
    await page.getByLabel('Your name').fill('Test Visitor')
    await clickUntil(page, 'button[jsname="Qx7uuf"]', async () => meeting.state !== 'greenRoom')
    await meeting.whenState('call')
    await poll(() => [meeting.bot.microphoneOn, meeting.bot.cameraOn]).toEqual([true, true])
  })
})
