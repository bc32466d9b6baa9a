import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isCovered, poll, QUICK, visibleText } from '../mock-browser.ts'
import { askToJoin, MeetBrowser } from './meet-browser.ts'

let browser: MeetBrowser
beforeAll(async () => {
  browser = await MeetBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

describe('the green room', () => {
  test('runs at the real origin, in a secure context, under a policy that stops injected scripts', async () => {
    const { page, meeting } = await browser.open('waiting-room')
    await meeting.whenState('greenRoom')
    expect(await page.evaluate(() => [location.origin, isSecureContext])).toEqual(['https://meet.google.com', true])
    await expect(page.addScriptTag({ content: 'window.injected = true' })).rejects.toThrow()
    expect(await page.evaluate(() => 'injected' in window)).toBe(false)
    expect(page.errors).toEqual([])
  })

  test('has a join button only for those who give a name', async () => {
    const { page, meeting } = await browser.open('waiting-room')
    await meeting.whenState('greenRoom')
    const button = page.getByRole('button', { name: 'Ask to join' })
    expect(await button.isDisabled()).toBe(true)
    await page.getByLabel('Your name').fill('Test Visitor')
    expect(await button.isEnabled()).toBe(true)
    await page.getByLabel('Your name').press('Escape')
    expect(await page.getByLabel('Your name').inputValue()).toBe('')
    expect(await button.isDisabled()).toBe(true)
  })

  test('swallows clicks while it hydrates, and logs them', async () => {
    const { page, meeting } = await browser.open('waiting-room', { speed: 1 })
    await meeting.whenState('greenRoom')
    await page.evaluate(() => {
      const box = document.querySelector('input')!
      box.value = 'Too Fast'
      box.dispatchEvent(new Event('input', { bubbles: true }))
      const old = document.querySelector<HTMLButtonElement>('button[jsname="Qx7uuf"]')!
      const fresh = old.cloneNode(true) as HTMLButtonElement
      old.after(fresh)
      return new Promise<void>((resolve) =>
        requestAnimationFrame(() => {
          fresh.click()
          resolve()
        }),
      )
    })
    await poll(() => meeting.log.filter(({ event }) => event === 'click')).toMatchObject([
      { target: 'Ask to join', trusted: false, detail: 'swallowed' },
    ])
    expect(meeting.state).toBe('greenRoom')
  })

  // Icons are left out: they change while devices are asked for.
  test('gives every seed other class names, and the same seed the same', async () => {
    const classesOf = async (seed: number) => {
      const { page, meeting } = await browser.open('waiting-room', { seed })
      await meeting.whenState('greenRoom')
      return page.evaluate(() =>
        [...document.querySelectorAll('main :not(i)')].map((element) => element.className).join(' '),
      )
    }
    const [one, same, other] = [await classesOf(5), await classesOf(5), await classesOf(6)]
    expect(one).toBe(same)
    const names = new Set(one.split(/\s+/).filter((name) => name !== '' && name !== 'google-symbols'))
    expect(other.split(/\s+/).filter((name) => names.has(name))).toEqual([])
  })

  test('writes apostrophes and ellipses both ways, by seed', async () => {
    const headings = new Set<string>()
    for (let seed = 1; seed <= 6 && headings.size < 2; seed++) {
      const { page, meeting } = await browser.open('waiting-room', { seed })
      await meeting.whenState('greenRoom')
      headings.add((await page.getByRole('heading').textContent()) ?? '')
      await browser.clear()
    }
    expect([...headings].sort()).toEqual(["What's your name?", 'What’s your name?'])
  })

  test('requests devices from the browser and shows their state in the labels', async () => {
    const { page, meeting } = await browser.open('mic-button-div')
    await meeting.whenState('greenRoom')
    const microphone = page.locator('[data-is-muted]').first()
    await poll(() => microphone.getAttribute('aria-label')).toMatch(/^Turn off microphone/)
    expect(await microphone.evaluate((element) => element.tagName)).toBe('DIV')
    await microphone.click()
    await poll(() => microphone.getAttribute('data-is-muted')).toBe('true')
    await poll(() => meeting.bot.microphoneOn).toBe(false)
    expect(meeting.bot.cameraOn).toBe(true)
  })

  test('never lets the network be idle', async () => {
    const { page, meeting } = await browser.open('waiting-room')
    await meeting.whenState('greenRoom')
    await expect(page.waitForLoadState('networkidle', { timeout: 3000 })).rejects.toThrow()
  })

  test('loses typed text when the box is replaced', async () => {
    const { page, meeting } = await browser.open('name-input-replaced')
    await meeting.whenState('greenRoom')
    const box = page.getByLabel('Your name')
    await box.fill('Lost')
    await poll(() => box.inputValue()).toBe('')
    await askToJoin(page, meeting)
    await meeting.whenState('call')
    expect(meeting.botName).toBe('Test Visitor')
  })

  test('covers itself with a dialog that hides and blocks it', async () => {
    const { page, meeting } = await browser.open('media-prompt')
    await meeting.whenState('devicePrompt')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    expect(await page.getByRole('textbox', { name: 'Your name' }).count()).toBe(0)
    await poll(() => isCovered(page.locator('input[type="text"]'))).toBe(true)
    await poll(async () => {
      await page
        .locator('[data-mdc-dialog-action="cancel"]')
        .click({ timeout: 500 })
        .catch(() => {})
      return meeting.state
    }).toBe('greenRoom')
    expect(await page.locator('[data-is-muted]').first().getAttribute('aria-label')).toMatch(
      /Microphone problem|microphone/,
    )
  })

  test('warns with a text about being let in, which is no waiting room', async () => {
    const { page, meeting } = await browser.open('signin-promo-got-it')
    await meeting.whenState('signinPromo')
    await poll(() => page.getByRole('dialog').textContent()).toContain('waiting to be let in')
  })

  test.each([
    ['invalid-code', 'invalid', /Check your meeting code/],
    ['invalid-name', 'invalid', /Invalid video call name/],
    ['code-does-not-work', 'invalid', /The meeting code you entered doesn’t work/],
    ['expired-code', 'expired', /Your meeting code has expired/],
    ['blocked-at-load', 'blocked', /You can['’]t join this video call/],
  ])('shows what %s shows, some time after the page loaded', async (scenario, state, text) => {
    // Slow enough that a busy machine looks before the text is there.
    const { page, meeting } = await browser.open(scenario, { speed: 1 })
    await page.waitForLoadState('domcontentloaded')
    expect(await visibleText(page)).not.toMatch(text)
    await meeting.whenState(state)
    await poll(() => visibleText(page)).toMatch(text)
  })

  test('reports a code without a meeting, and redirects an address without a valid code', async () => {
    const page = await browser.page()
    await page.goto('https://meet.google.com/zzz-zzzz-zzz')
    await page.getByText('Check your meeting code').waitFor()
    await page.goto('https://meet.google.com/not-a-code')
    expect(page.url()).toBe('https://meet.google.com/landing')
    await page.goto('https://meet.google.com/new')
    expect(new URL(page.url()).host).toBe('accounts.google.com')
  })

  test('leads to the sign-in page, the home page or an error if the scenario says so', async () => {
    const wall = await browser.open('login-wall')
    await wall.page.waitForURL('https://accounts.google.com/**')
    await wall.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const landing = await browser.open('redirect-to-landing')
    await landing.page.waitForURL('https://meet.google.com/landing')
    const failing = await browser.open('http-503')
    // A page that is only about to be shown cannot be loaded again.
    await failing.page.getByText('That’s an error').waitFor()
    expect((await failing.page.reload())?.status()).toBe(503)
    expect((await failing.page.reload())?.status()).toBe(200)
    await failing.meeting.whenState('greenRoom')
  })

  test('refuses two loads and accepts the third', async () => {
    const { page, meeting } = await browser.open('blocked-then-ok')
    await meeting.whenState('blocked')
    await page.reload()
    await poll(() => [meeting.loads, meeting.state]).toEqual([2, 'blocked'])
    await page.reload()
    await meeting.whenState('greenRoom')
  })

  test('shows an error for a moment and continues', async () => {
    const { page, meeting } = await browser.open('call-error-flash', { speed: 2 })
    await page.getByText(/Couldn['’]t start the video call because of an error/).waitFor()
    await meeting.whenState('greenRoom')
    expect(await visibleText(page)).not.toContain('start the video call')
  })

  test('keeps a spinner for 25 s where the name box comes late', async () => {
    const { page, meeting } = await browser.open('name-input-appears-late', { speed: 4 })
    await meeting.whenState('loading')
    await page.getByText(/Getting ready/).waitFor()
    expect(await page.locator('input').count()).toBe(0)
    await meeting.whenState('greenRoom')
  })

  test('knows signed-in visitors, other labels, other jsnames, warnings and other languages', async () => {
    const signedIn = await browser.join('signed-in-join')
    await signedIn.meeting.whenState('call')
    const twice = await browser.open('switch-here')
    await twice.meeting.whenState('greenRoom')
    expect(await twice.page.locator('input').count()).toBe(0)
    await twice.page.getByRole('button', { name: 'Join here too' }).waitFor()
    const label = await browser.join('new-button-label')
    await label.meeting.whenState('call')
    await browser.clear()
    const renamed = await browser.open('new-jsname')
    await renamed.meeting.whenState('greenRoom')
    expect(await renamed.page.locator('button[jsname="Qx7uuf"]').count()).toBe(0)
    const warned = await browser.open('join-anyway')
    await warned.page.getByRole('button', { name: 'Ask to join anyway' }).waitFor()
    const german = await browser.open('non-english-lobby')
    await german.page.getByText('Teilnahme erbitten').waitFor()
    expect(await german.page.locator('html').getAttribute('lang')).toBe('de')
  })

  test('has an invisible captcha everywhere and a visible one where the scenario says so', async () => {
    const { page, meeting } = await browser.open('captcha-invisible')
    await meeting.whenState('greenRoom')
    const frame = page.locator('iframe[src*="recaptcha"]')
    expect(await frame.isVisible()).toBe(false)
    const live = await browser.open('captcha-live')
    await live.meeting.whenState('greenRoom')
    const box = await live.page.locator('iframe[src*="recaptcha"]').boundingBox()
    expect([box?.width, box?.height]).toEqual([304, 78])
  })

  test('speed divides its waits', async () => {
    const { meeting } = await browser.open('waiting-room', { speed: QUICK })
    await meeting.whenState('greenRoom')
    const [loading, room] = ['loading', 'greenRoom'].map(
      (state) => meeting.log.find(({ target }) => target === state)!.at,
    )
    expect(room! - loading!).toBeGreaterThan(1200 / QUICK - 20)
  })
})
