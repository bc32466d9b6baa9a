import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readCoords } from '../../../mock/microsoft-teams/links.ts'
import { isCovered, poll, type TestPage, visibleText } from '../mock-browser.ts'
import { askToJoin, TeamsBrowser, tid } from './teams-browser.ts'

let browser: TeamsBrowser
beforeAll(async () => {
  browser = await TeamsBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

const NAME = tid('prejoin-display-name-input')
const JOIN = tid('prejoin-join-button')

/** Puts a name into the field as scripts may try it; the last way is the one that works. */
function setName(page: TestPage, how: 'value' | 'value-and-event' | 'native', name: string) {
  return page.locator(NAME).evaluate(
    (element, [kind, text]) => {
      const input = element as HTMLInputElement
      if (kind === 'native')
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
      else input.value = text
      if (kind !== 'value') input.dispatchEvent(new InputEvent('input', { bubbles: true }))
    },
    [how, name] as const,
  )
}

describe('the way to the pre-join page', () => {
  test('leads over the launcher, where the choice of the app leads nowhere', async () => {
    const meeting = browser.mock.open('launcher-choice-click', { speed: 20 })
    const page = await browser.page()
    await page.goto(meeting.url)
    await meeting.whenState('launcher')
    const web = page.locator('button[data-tid="joinOnWeb"][aria-label="Join meeting from this browser"].btn.primary')
    await page.locator(tid('joinInApp')).click()
    await poll(() => meeting.log.some(({ target, detail }) => target === 'launch' && detail === 'app')).toBe(true)
    expect(meeting.state).toBe('launcher')
    await poll(() => page.locator('iframe#teamsLauncher').count()).toBe(1)
    await web.click()
    await meeting.whenState('greenRoom')
    const url = new URL(page.url())
    expect(url.pathname).toBe('/light-meetings/launch')
    expect(readCoords(url)).toEqual({ form: 'short', code: meeting.code, passcode: meeting.ids.passcode })
    expect(page.errors).toEqual([])
  })

  test('can begin at the web client, for both forms of links, and passes a failed attempt to sign in', async () => {
    const navigated: string[] = []
    for (const scenario of ['signin-probe-only', 'classic-link']) {
      const meeting = browser.mock.open(scenario, { speed: 20 })
      const page = await browser.page()
      page.on('framenavigated', (frame) => navigated.push(new URL(frame.url()).host))
      const link = new URL(meeting.url)
      const anonymous = `${link.pathname}${link.search}&anon=true`
      await page.goto(`https://${link.host}/v2/?meetingjoin=true#${anonymous}`)
      await meeting.whenState('greenRoom', 60_000)
      expect(readCoords(new URL(page.url()))?.code).toBe(meeting.code)
      // The link itself goes the long way round.
      await page.goto(meeting.url)
      await poll(() => meeting.log.filter(({ target }) => target === 'greenRoom').length).toBe(2)
    }
    expect(navigated).toContain('login.microsoftonline.com')
  })
})

describe('the form', () => {
  test('keeps a name only if the page handled its input', async () => {
    const { meeting, page } = await browser.open('name-field-shroud', { speed: 0.8 })
    await meeting.whenState('greenRoom', 60_000)
    const field = page.locator(NAME)
    // Under the shroud keys arrive, and the typed text is lost.
    await field.focus()
    await page.keyboard.type('Early')
    expect(await field.inputValue()).toBe('Early')
    await poll(() => field.inputValue()).toBe('')

    for (const how of ['value', 'value-and-event'] as const) {
      await setName(page, how, 'Lost')
      await poll(() => field.inputValue()).toBe('')
    }
    await setName(page, 'native', 'Kept')
    await page.locator(JOIN).click()
    await meeting.whenState('lobby', 60_000)
    expect(meeting.botName).toBe('Kept')
  })

  test('has switches whose live state counts, not their attributes', async () => {
    const { meeting, page } = await browser.open('open')
    await meeting.whenState('greenRoom', 60_000)
    const microphone = page.locator(tid('toggle-mute'))
    const camera = page.locator(tid('toggle-video'))
    await poll(() => microphone.isEnabled()).toBe(true)
    expect([await microphone.isChecked(), await camera.isChecked()]).toEqual([true, false])
    await microphone.uncheck({ force: true })
    await camera.check({ force: true })
    await poll(() => [meeting.bot.microphoneOn, meeting.bot.cameraOn]).toEqual([false, true])
    expect(await microphone.getAttribute('checked')).toBeNull()
    expect(await camera.getAttribute('data-cid')).toMatch(/^toggle-video-(true|false)$/)
    await poll(() => page.locator(`${tid('prejoin-v2-video-preview')} video`).count()).toBe(1)

    await askToJoin(page, meeting)
    await meeting.whenState('call', 60_000)
    await poll(() => page.locator('#microphone-button').getAttribute('data-state')).toBe('mic-off')
    expect(await page.locator('#video-button').getAttribute('aria-label')).toBe('Turn camera off')
    await poll(() => meeting.bot.sent().videoPackets).toBeGreaterThan(10)
  })

  test('stays behind a dialog that really covers it, in the page and in a frame', async () => {
    const covered = await browser.join('av-confirm-after-join')
    await covered.meeting.whenState('avConfirm')
    await poll(() => isCovered(covered.page.locator(JOIN))).toBe(true)
    await covered.page.getByRole('button', { name: 'Continue without audio or video' }).click()
    await covered.meeting.whenState('greenRoom')
    await askToJoin(covered.page, covered.meeting)
    await covered.meeting.whenState('lobby', 60_000)

    const framed = await browser.join('av-confirm-in-iframe')
    await framed.meeting.whenState('avConfirm')
    const frame = framed.page.frameLocator('iframe')
    await frame.getByRole('button', { name: 'Continue without audio or video' }).click()
    await framed.meeting.whenState('greenRoom')
  })
})

describe('the waiting room', () => {
  test('looks like the form, and a dropped request shows only as an enabled button', async () => {
    const { meeting, page } = await browser.join('lobby-drop-rejoin', { speed: 12 })
    await meeting.whenState('lobby', 60_000)
    const lobby = page.locator(tid('calling-lobby-screen'))
    expect(await lobby.locator(JOIN).isDisabled()).toBe(true)
    expect(await lobby.locator(tid('prejoin-cancel-button')).isEnabled()).toBe(true)
    expect(await lobby.locator(tid('toggle-mute')).count()).toBe(1)
    expect(await page.locator('#hangup-button').count()).toBe(0)
    expect(await visibleText(page)).toMatch(/let you in/)

    await meeting.whenState('lobbyDropped')
    await poll(() => lobby.locator(JOIN).isEnabled()).toBe(true)
    expect(await visibleText(page)).not.toMatch(/let you in/)
    await lobby.locator(JOIN).click()
    await meeting.whenState('lobby', 60_000)
    await page.locator(tid('prejoin-cancel-button')).click()
    await meeting.whenState('left')
    expect(meeting.log.some(({ target, detail }) => target === 'withdrawn' && detail === 'lobby')).toBe(true)
  })

  test('and removal, denial and a wrong link end on one and the same screen, at the same address', async () => {
    const denied = await browser.join('waiting-room')
    await denied.meeting.whenState('lobby', 60_000)
    const address = denied.page.url()
    denied.meeting.deny()
    await denied.meeting.whenState('denied')
    const title = denied.page.locator('#calling-retry-screen-title')
    expect(await title.textContent()).toBe('Sorry, but you were denied access to the meeting.')
    expect(await denied.page.locator(tid('calling-retry-rejoinbutton')).isDisabled()).toBe(true)
    expect(await denied.page.locator(tid('calling-lobby-screen')).count()).toBe(0)
    expect(denied.page.url()).toBe(address)

    const wrong = browser.mock.open('waiting-room', { speed: 20 })
    const page = await browser.page()
    await page.goto(wrong.url.replace(/p=.*/, 'p=wrong'))
    await wrong.whenState('greenRoom', 60_000)
    await askToJoin(page, wrong)
    await wrong.whenState('invalid', 60_000)
    expect(await page.locator('#calling-retry-screen-description').textContent()).toMatch(
      /couldn.t find a meeting matching this ID and passcode/,
    )
    expect(await page.locator(tid('meeting-code-input')).inputValue()).toBe(wrong.code)
    expect(await page.locator(tid('meeting-passcode-input')).inputValue()).toBe('wrong')
  })

  test('may be behind a captcha, which a wrong answer does not pass', async () => {
    const { meeting, page } = await browser.join('captcha-after-join')
    await meeting.whenState('captcha', 60_000)
    await page.locator(tid('HIP-Captcha-Input')).fill('wrong')
    await page.getByRole('button', { name: 'Verify' }).click()
    await meeting.whenState('captchaFailed', 60_000)
    expect(await page.locator(tid('calling-retry-rejoinbutton')).isEnabled()).toBe(true)
  })
})
