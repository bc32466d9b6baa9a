import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { poll, QUICK } from '../mock-browser.ts'
import { askToJoin, clientUrl, ZoomBrowser } from './zoom-browser.ts'

let browser: ZoomBrowser
beforeAll(async () => {
  browser = await ZoomBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

const NAME = '#input-for-name'
const JOIN = '.preview-join-button'
const READY = `${JOIN}:not(.disabled)`

/** Whether a click in the middle of an element would reach it. */
const onTop = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })

describe('the form', () => {
  test('accepts a name that keys typed, and no other', async () => {
    const { page, meeting } = await browser.open('wc-name-needs-real-keys')
    await meeting.whenState('greenRoom')
    await page.locator(NAME).fill('Put There')
    expect(await page.locator(NAME).inputValue()).toBe('Put There')
    await page.waitForTimeout((3 * 1200) / QUICK)
    expect(await page.locator(READY).count()).toBe(0)
    expect(await onTop(page, JOIN)).toBe(false)
    await page.locator(NAME).fill('')
    await page.locator(NAME).focus()
    await page.keyboard.type('Jürgen 👋')
    await page.locator(READY).waitFor()
    expect(await onTop(page, JOIN)).toBe(true)
    await page.locator(JOIN).click()
    await meeting.whenState('call')
    expect(meeting.botName).toBe('Jürgen 👋')
    await poll(() => page.title()).toBe('Weekly Planning')
    expect(page.errors).toEqual([])
  })

  test('loses text that is typed before it has settled', async () => {
    const { page, meeting } = await browser.open('open', { speed: 1 })
    await page.locator(NAME).focus()
    await page.keyboard.type('Early')
    await meeting.whenState('greenRoom')
    await poll(() => page.locator(NAME).inputValue()).toBe('')
    await askToJoin(page, 'Late')
    await poll(() => meeting.botName).toBe('Late')
  })

  test('refuses an untrusted click, as the media socket does', async () => {
    const { page, meeting } = await browser.open('open')
    await meeting.whenState('greenRoom')
    await page.locator(NAME).focus()
    await page.keyboard.type('Somebody')
    await page.locator(READY).waitFor()
    await page.locator(JOIN).evaluate((button) => (button as HTMLButtonElement).click())
    await meeting.whenState('timeout')
    await page.getByText('Joining Meeting Timeout or Browser restriction').waitFor()
  })

  test('may ignore the first click, and ask for a passcode, an address, and devices twice', async () => {
    const race = await browser.open('wc-join-click-race')
    await race.meeting.whenState('greenRoom')
    await race.page.locator(NAME).focus()
    await race.page.keyboard.type('Somebody')
    await race.page.locator(READY).click()
    await race.page.waitForTimeout(300)
    expect(race.meeting.state).toBe('greenRoom')
    await race.page.locator(READY).click()
    await race.meeting.whenState('call')

    const wrong = await browser.open('wc-passcode-missing')
    await wrong.meeting.whenState('greenRoom')
    await wrong.page.locator('#input-for-pwd').focus()
    await wrong.page.keyboard.type('000')
    await askToJoin(wrong.page)
    const error = wrong.page.locator('#error-for-pwd')
    await poll(() => error.textContent()).toMatch(
      /^(Incorrect (Password|passcode)|Meeting [Pp]asscode (is )?wrong\..*)$/,
    )
    await wrong.meeting.whenState('greenRoom')
    await wrong.page.locator('#input-for-pwd').focus()
    await wrong.page.keyboard.type(wrong.meeting.passcode.human)
    await wrong.page.locator(READY).click()
    await wrong.meeting.whenState('call')

    const { page, meeting } = await browser.open('wc-permission-twice')
    const dialog = page.locator('.pepc-permission-dialog-container')
    await dialog.getByText('Use microphone and camera').click()
    await dialog.getByText('Allow', { exact: true }).click()
    await meeting.whenState('greenRoom')
    expect(await page.locator('#preview-audio-control-button').getAttribute('aria-label')).toBe('Mute')
    await page.locator('#preview-video-control-button').click()
    await poll(() => page.locator('#preview-video-control-button').getAttribute('aria-label')).toBe('Start Video')
    await poll(() => meeting.bot.cameraOn).toBe(false)
  })

  test('is behind cookies and followed by a disclaimer where the scenario says so', async () => {
    const { page, meeting } = await browser.open('wc-cookie-terms')
    await meeting.whenState('greenRoom')
    expect(await onTop(page, NAME)).toBe(false)
    await page.locator('#onetrust-reject-all-handler').click()
    await askToJoin(page)
    await meeting.whenState('disclaimer')
    const consent = page.waitForRequest(/saveMeetingDisclaimer/)
    await page.locator('.commmon-disclaimer-dialog #disclaimer_agree').click()
    expect((await consent).method()).toBe('POST')
    await meeting.whenState('call')
  })

  test('has an older look, and another one for the web app, in a frame that reports to its shell', async () => {
    const old = await browser.page()
    const classic = browser.mock.open('wc-classic', { speed: QUICK })
    await old.goto(clientUrl(classic).replace(`/wc/${classic.code}/join`, `/wc/join/${classic.code}`))
    await old.locator('#onetrust-accept-btn-handler').click()
    await classic.whenState('greenRoom')
    await old.locator('#wc_agree1').click()
    await old.locator('#inputname').fill('Old Visitor')
    await old.locator('#joinBtn').click()
    await classic.whenState('call')

    const { page, meeting } = await browser.open('wc-pwa-iframe', {}, () => {
      const heard: string[] = []
      Object.assign(window, { heard })
      addEventListener('message', ({ data }) => heard.push(data?.message?.event ?? data?.event))
    })
    await meeting.whenState('greenRoom')
    const frame = page.frameLocator('#webclient')
    await frame.locator(NAME).focus()
    await page.keyboard.type('Framed')
    await frame.locator(READY).click()
    await meeting.whenState('call')
    const heard = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard)
    await poll(heard).toEqual(['wc_loaded', 'JOINING', 'SUCCESS'])
    expect(await page.locator('#wc-footer').count()).toBe(0)
    const leave = frame.locator('#wc-footer [aria-label="Leave"]')
    await leave.evaluate((button) => (button as HTMLButtonElement).click())
    await frame.getByText('Leave Meeting').click()
    await page.waitForURL('**/wc/home')
    expect(meeting.state).toBe('left')
  })
})

describe('the site around it', () => {
  test('leads from every address to the client, and isolates it', async () => {
    const page = await browser.page()
    const meeting = browser.mock.open('wc-launch-old', { speed: QUICK })
    await page.goto(meeting.url)
    const link = page.getByText('Join from your browser')
    expect(await link.isVisible()).toBe(false)
    await page.getByText('Launch Meeting', { exact: true }).click()
    await link.click()
    // Who comes from there gets the web app, with the client in its frame.
    await page.waitForURL(`https://app.zoom.us/wc/${meeting.code}/join?**fromPWA=1**`)
    await meeting.whenState('greenRoom')
    const frame = page.frameLocator('#webclient')
    expect(await frame.locator(NAME).count()).toBe(1)
    expect(await frame.locator('#input-for-pwd').count()).toBe(0)
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)

    const newer = browser.mock.open('wc-launch-new', { speed: QUICK })
    await page.goto(newer.url)
    await poll(() => page.url()).toMatch(/#success$/)
    await page.getByText('Join from browser').click()
    await newer.whenState('greenRoom')
  })

  test('reports an invalid link, also while the host has not started', async () => {
    const page = await browser.page()
    await page.goto('https://app.zoom.us/wc/81234567890/join')
    expect(await page.title()).toBe('Error - Zoom')
    expect(await page.locator('#global-error .box span.error-message').textContent()).toMatch(
      /This meeting link is invalid\s*\(3,001\)/,
    )
    const soon = browser.mock.open('wc-host-3001-then-starts', { speed: 1000 })
    await page.goto(clientUrl(soon))
    expect(soon.state).toBe('errorPage')
    await page.waitForTimeout(100)
    await page.goto(clientUrl(soon))
    await soon.whenState('greenRoom')
  })

  test('has its walls: sign-in, registration, a bot wall, a captcha', async () => {
    const page = await browser.page()
    for (const [scenario, address] of [
      ['login-wall', '**/signin'],
      ['wc-registration', '**/webinar/register/*'],
    ] as const) {
      await page.goto(clientUrl(browser.mock.open(scenario)))
      await page.waitForURL(address)
    }
    const { page: walled, meeting } = await browser.join('wc-bot-wall-late')
    await meeting.whenState('botWall')
    const wall = walled.locator('[aria-label="BotDetectedDialog"]')
    expect(await wall.textContent()).toContain('Automated bots aren’t allowed to join this meeting')
    await wall.getByText('Close').click()
    expect(meeting.state).toBe('botWall')
    const captcha = await browser.open('wc-captcha')
    await captcha.meeting.whenState('greenRoom')
    expect(await captcha.page.locator('.component_smart_captcha img').getAttribute('src')).toBe('/captcha-image')
    // On every form, and it means nothing.
    expect(await captcha.page.locator('iframe[src*="recaptcha"]').isVisible()).toBe(false)
  })

  test('speaks the language of a browser that does not ask for English', async () => {
    const meeting = browser.mock.open('wc-german', { speed: QUICK })
    const german = await browser.page({ locale: 'de-DE' })
    await german.goto(clientUrl(meeting))
    await german.getByText('Beitreten', { exact: true }).waitFor()
    const english = await browser.page()
    await english.goto(clientUrl(meeting))
    await english.getByText('Enter Meeting Info').waitFor()
  })

  test('keeps a form for those who are signed in', async () => {
    const page = await browser.page()
    const meeting = browser.mock.open('signed-in-join', { speed: QUICK })
    await page.goto(clientUrl(meeting))
    await page.waitForURL('**/signin')
    await page.context().addCookies([{ name: '_zm_ssid', value: 'aw1_c', domain: '.zoom.us', path: '/' }])
    await page.goto(clientUrl(meeting))
    await meeting.whenState('greenRoom')
    await page.locator(READY).click()
    await meeting.whenState('call')
    expect(meeting.botName).toBe('Standin Notes')
  })
})
