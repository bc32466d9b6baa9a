import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { clickUntil, isCovered, poll, visibleText } from '../mock-browser.ts'
import { MeetBrowser } from './meet-browser.ts'

let browser: MeetBrowser
beforeAll(async () => {
  browser = await MeetBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

describe('the call', () => {
  test('has a tile for each participant with both ids, a name twice, and the self tile marked by its controls', async () => {
    const { page, meeting } = await browser.enter('duplicate-names', { seed: 2 })
    const tiles = page.locator('[data-participant-id][data-tile-media-id]')
    await poll(() => tiles.count()).toBe(5)
    const ann = page.locator(`[data-participant-id="${meeting.deviceOf('ann')}"]`)
    expect(await ann.locator('span.notranslate').textContent()).toBe('Ann Host')
    expect(await ann.locator('[aria-hidden="true"]', { hasText: 'Ann Host' }).count()).toBe(1)
    expect(await ann.getByLabel('Pin Ann Host to your main screen').count()).toBe(1)
    const alexes = page.locator('span.notranslate', { hasText: /^Alex$/ })
    expect(await alexes.count()).toBe(2)
    expect(meeting.deviceOf('alex-1')).not.toBe(meeting.deviceOf('alex-2'))
    const self = tiles.filter({ has: page.locator('[jsname="nsKqzb"]') })
    expect(await self.locator('span.notranslate').textContent()).toBe('Test Visitor')
    expect(await page.title()).toBe(`Meet - ${meeting.code}`)
    expect(page.errors).toEqual([])
  })

  test('holds end texts in its script data and in messages while it is healthy', async () => {
    const { page, meeting } = await browser.enter('false-positive-strings')
    await poll(() => meeting.truth.chat.length).toBe(3)
    const source = await page.content()
    for (const text of ['The call ended', "You've been removed from the meeting", 'Return to home screen']) {
      expect(source).toContain(text)
    }
    expect(meeting.state).toBe('call')
    expect(await page.locator('[data-call-ended]').count()).toBe(0)
  })

  test('hides its toolbar while the pointer rests; it stays in the page', async () => {
    const { page } = await browser.enter('toolbar-hidden', { speed: 4 })
    const leave = page.locator('[aria-label="Leave call"]')
    await poll(() => leave.isVisible()).toBe(false)
    expect(await leave.count()).toBe(1)
    await page.mouse.move(200, 200)
    await page.mouse.move(210, 200)
    expect(await leave.isVisible()).toBe(true)
    await poll(() => leave.isVisible()).toBe(false)
  })

  test('marks speakers by changing classes, and stops in a hidden page', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit')
    const device = meeting.deviceOf('ann')
    await page.evaluate((id) => {
      const changes = { count: 0 }
      Object.assign(window, { changes })
      const marks = document.querySelectorAll(`[data-participant-id="${id}"] [jsname="QgSmzd"]`)
      const observer = new MutationObserver((records) => {
        changes.count += records.length
      })
      for (const mark of marks) observer.observe(mark, { attributes: true, attributeFilter: ['class'] })
    }, device)
    const changes = () => page.evaluate(() => (window as unknown as { changes: { count: number } }).changes.count)
    expect(await page.locator(`[data-participant-id="${device}"] [jsname="QgSmzd"]`).count()).toBe(2)
    expect(await changes()).toBe(0)
    meeting.startSpeaking('ann')
    await poll(changes).toBeGreaterThan(6)
    await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true }))
    await poll(async () => {
      const before = await changes()
      await page.waitForTimeout(700)
      return (await changes()) - before
    }).toBe(0)
    meeting.stopSpeaking('ann')
    await poll(() => meeting.truth.turns.at(-1)?.endedAt).toBeTruthy()
  })

  test('shows a presentation as a second tile of its sharer, first', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit')
    meeting.startSharing('ann')
    const share = page.locator('[data-tile-media-id]').first()
    await poll(() => share.locator('span.notranslate').textContent()).toBe('Ann Host (Presentation)')
    expect(await share.getAttribute('data-participant-id')).toBe(meeting.deviceOf('ann'))
    expect(await share.getAttribute('data-tile-media-id')).not.toBe(meeting.deviceOf('ann'))
    meeting.stopSharing('ann')
    await poll(() => page.getByText('(Presentation)').count()).toBe(0)
  })

  test('shows the number of people in a button or a badge, and lists the rows that fit', async () => {
    const { page, meeting } = await browser.enter('people-virtualised')
    const opener = page.locator('[data-panel-id="1"]')
    await poll(() => opener.getAttribute('aria-label')).toBe('People - 61 joined')
    expect(await page.getByRole('listitem').count()).toBe(0)
    const rows = page.locator('[role="listitem"]')
    await clickUntil(page, '[data-panel-id="1"]', async () => (await rows.count()) > 0)
    expect(await rows.count()).toBe(20)
    expect(await rows.first().getAttribute('aria-setsize')).toBe('61')
    await page.getByRole('list', { name: 'Participants' }).hover()
    await page.mouse.wheel(0, 10_000)
    await poll(() => rows.last().textContent()).toContain('(You)')
    expect(await rows.count()).toBe(20)
    expect(await page.locator('[data-tile-media-id]').count()).toBe(9)
    meeting.removePerson('p60')
    await poll(() => opener.getAttribute('aria-label')).toBe('People - 60 joined')
    const badge = await browser.enter('people-badge-ui')
    await poll(() => badge.page.locator('[aria-haspopup="dialog"]').textContent()).toMatch(/3$/)
    expect(await badge.page.locator('[data-panel-id="1"]').count()).toBe(0)
    await badge.page.locator('[aria-haspopup="dialog"]').hover()
    await badge.page.getByRole('dialog', { name: '3 people in the call' }).waitFor()
  })

  test('changes with its people: joining, leaving, names, toasts', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit')
    meeting.addPerson({ id: 'eve', name: '<b>Eve</b>', camera: false })
    await page.getByText('<b>Eve</b> joined').waitFor()
    meeting.renamePerson('eve', 'Eve Ek')
    await poll(() => page.locator('span.notranslate', { hasText: 'Eve Ek' }).count()).toBe(1)
    meeting.removePerson('eve')
    await page.getByText('Eve Ek left').waitFor()
    await poll(() => page.locator('span.notranslate', { hasText: 'Eve Ek' }).count()).toBe(0)
    expect(meeting.truth.presence.find(({ personId }) => personId === 'eve')).toMatchObject({ name: 'Eve Ek' })
    expect(() => meeting.removePerson('eve')).toThrow(/No person in the meeting has the id eve/)
  })

  test('writes captions while they are on, in a region that is replaced', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit')
    const region = page.locator('[role="region"][aria-label="Captions"]')
    expect(await region.count()).toBe(0)
    meeting.startSpeaking('ann')
    await clickUntil(page, '[aria-label="Turn on captions"]', async () => (await region.count()) === 1)
    await poll(() => region.textContent()).toMatch(/Ann Host.+ /)
    expect(await page.locator('[aria-label="Turn off captions"]').count()).toBe(1)
    await region.evaluate((element) => Object.assign(window, { old: element }))
    meeting.show('replace-captions')
    await poll(() => page.evaluate(() => (window as unknown as { old: Element }).old.isConnected)).toBe(false)
    await poll(() => region.textContent()).toContain('Ann Host')
    const menu = await browser.enter('captions-and-translation')
    const item = menu.page.locator('[role="menuitem"]', { hasText: 'Turn on captions' })
    await clickUntil(menu.page, '[aria-label="Captions and translation"]', () => item.isVisible())
    await clickUntil(menu.page, '[role="menuitem"]:has-text("Turn on captions")', async () =>
      menu.page.locator('[aria-label="Captions"]').isVisible(),
    )
  })

  test('sets a layout in a dialog, which a tip may cover once', async () => {
    const { page, meeting } = await browser.enter('layout-dialog-blocked')
    const item = page.locator('[jsname="WZerud"]')
    await clickUntil(page, '[jsname="NakZHc"]', () => item.isVisible())
    await clickUntil(page, '[jsname="WZerud"]', () => page.locator('[name="preferences"]').first().isVisible())
    const tiled = page.getByRole('radio', { name: /^Tiled/ })
    await poll(() => isCovered(tiled)).toBe(true)
    await clickUntil(
      page,
      '[role="dialog"] :text("Got it")',
      async () => (await page.getByText('Got it').count()) === 0,
    )
    expect(await isCovered(tiled)).toBe(false)
    await tiled.click()
    await poll(() => meeting.log.find(({ target }) => target === 'layout')?.detail).toBe('Tiled')
    await clickUntil(
      page,
      '[aria-modal="true"] [aria-label="Close"]',
      async () => (await page.locator('[aria-modal="true"]').count()) === 0,
    )
    expect(await page.locator('[aria-hidden="true"] > main, body > [aria-hidden="true"]').count()).toBe(0)
  })

  test('shows the text of its end, with a mark, a countdown and a home button', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit', { speed: 30 })
    const admittedAt = meeting.truth.admittedAt ?? 0
    meeting.remove()
    await poll(() => page.locator('h1').textContent()).toMatch(/You['’]ve been removed from the meeting/)
    expect(await page.locator('[data-call-ended="true"]').count()).toBe(1)
    expect(meeting.truth.leftAt).toBeGreaterThanOrEqual(admittedAt)
    await page.waitForURL('https://meet.google.com/landing')
    expect(meeting.state).toBe('removed')
  })

  test('leaving shows the end page; rejoining leads back in', async () => {
    const { page, meeting } = await browser.enter('leave-normal')
    await clickUntil(page, '[aria-label="Leave call"]', async () => meeting.state === 'left')
    await poll(() => visibleText(page)).toMatch(/You(['’]ve)? left the (meeting|call)/)
    await clickUntil(page, 'button:has-text("Rejoin")', async () => meeting.state === 'greenRoom')
    expect(meeting.truth.leftAt).not.toBe(null)
  })

  test('a host is asked how to leave, and a stuck button needs three clicks', async () => {
    const asked = await browser.enter('leave-host-dialog')
    await clickUntil(asked.page, '[aria-label="Leave call"]', async () => asked.page.getByRole('dialog').isVisible())
    expect(asked.meeting.state).toBe('call')
    await clickUntil(asked.page, 'button:has-text("Just leave the call")', async () => asked.meeting.state === 'left')
    const stuck = await browser.enter('leave-button-stuck')
    await clickUntil(stuck.page, '[aria-label="Leave call"]', async () => stuck.meeting.state === 'left')
    const clicks = stuck.meeting.log.filter(({ event, target }) => event === 'click' && target === 'Leave call')
    expect(clicks.filter(({ detail }) => detail === 'swallowed').length).toBeGreaterThanOrEqual(2)
  })

  test('loses its connection and makes a new one', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit')
    await poll(() => page.locator('[data-tile-media-id] video').count()).toBeGreaterThan(0)
    meeting.loseConnection()
    await poll(() => visibleText(page)).toMatch(/You lost your network connection\. Trying to reconnect/)
    expect(meeting.state).toBe('reconnecting')
    meeting.regainConnection()
    await poll(() => visibleText(page)).not.toContain('Trying to reconnect')
    const ann = page.locator(`[data-participant-id="${meeting.deviceOf('ann')}"] video`)
    await poll(() => ann.evaluate((video) => (video as HTMLVideoElement).videoWidth).catch(() => 0), {
      timeout: 15_000,
    }).toBeGreaterThan(0)
  })

  test('asks who is alone whether they are still there', async () => {
    const { page, meeting } = await browser.join('alone-prompt')
    await meeting.whenState('alonePrompt')
    await poll(() => page.getByRole('dialog').textContent()).toMatch(/Are you still there\?/)
    await clickUntil(page, 'button:has-text("Stay in the call")', async () => meeting.state === 'call')
  })

  test('mutes, covers itself with tips and leaves the site when a script requests it', async () => {
    const { page, meeting } = await browser.enter('no-devices')
    await page.locator('[data-is-persistent="true"]').waitFor()
    expect(await page.locator('[aria-label="Microphone problem. Show more info"]').count()).toBe(1)
    expect(() => meeting.show('magic')).toThrow(/cannot show "magic"; it knows consent, /)
    const tips = await browser.enter('got-it-stack')
    const gotIt = () =>
      tips.meeting.log.filter(
        ({ event, target, detail }) => event === 'click' && target.includes('Got it') && detail !== 'swallowed',
      )
    await clickUntil(tips.page, 'text=Got it', () => gotIt().length === 3)
    expect(await tips.page.getByText('Got it').count()).toBe(0)
    tips.meeting.muteBot()
    await poll(() => tips.meeting.bot.microphoneOn).toBe(false)
    expect(await tips.page.locator('[jsname="hw0c9"]').getAttribute('data-is-muted')).toBe('true')
    tips.meeting.show('off-site')
    await tips.page.waitForURL('https://workspace.google.com/products/meet/')
    await tips.meeting.whenState('closed')
    expect(tips.meeting.truth.leftAt).not.toBe(null)
  })
})
