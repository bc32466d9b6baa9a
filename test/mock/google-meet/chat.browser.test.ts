import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { clickUntil, poll } from '../mock-browser.ts'
import { MeetBrowser } from './meet-browser.ts'

let browser: MeetBrowser
beforeAll(async () => {
  browser = await MeetBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

const OPENER = '[data-panel-id="2"]'

async function openChat(page: Page): Promise<void> {
  await clickUntil(page, OPENER, () => page.getByRole('heading', { name: 'In-call messages' }).isVisible())
}

const texts = (page: Page) => page.locator('div[data-message-id] [jsname="dTKtvb"]').allTextContents()

describe('the chat', () => {
  test('has no message nodes before its panel was opened once; then they stay', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit')
    meeting.say('bob', 'Anybody here?')
    await poll(() => page.locator(OPENER).getAttribute('aria-label')).toBe('Chat with everyone - New message')
    await page.getByText('Bob Berg says in chat: Anybody here?').waitFor()
    expect(await page.locator('[data-message-id], [jsname="xySENc"], textarea').count()).toBe(0)
    await openChat(page)
    expect(await texts(page)).toEqual(['Anybody here?'])
    expect(await page.locator(OPENER).getAttribute('aria-label')).toBe('Chat with everyone')
    await clickUntil(page, OPENER, async () => !(await page.locator('textarea').isVisible()))
    meeting.say('ann', 'Yes')
    await poll(() => texts(page)).toEqual(['Anybody here?', 'Yes'])
  })

  test('shows text as it was said, with sender and time, grouped; groups of own messages have no name', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit')
    await openChat(page)
    const said = [
      'Hello 👋 – ça va?',
      '<img src=x onerror=alert(1)>',
      'see https://example.com/a?b=<c>',
      'x'.repeat(500),
    ]
    for (const text of said) meeting.say('ann', text)
    await poll(() => texts(page)).toEqual(said)
    const groups = page.locator('[jsname="Ypafjf"]')
    expect(await groups.count()).toBe(1)
    expect(await groups.first().textContent()).toMatch(/^Ann Host\d{1,2}:\d\d\u202f[AP]M/)
    await page.locator('textarea').fill('From the bot')
    await page.locator('textarea').press('Enter')
    await poll(() => groups.count()).toBe(2)
    expect(await groups.last().textContent()).not.toContain('Test Visitor')
    expect(meeting.truth.chat.at(-1)).toMatchObject({
      senderId: null,
      senderName: 'Test Visitor',
      text: 'From the bot',
    })
    expect(await page.locator('textarea').inputValue()).toBe('')
    expect(await page.locator('textarea').getAttribute('maxlength')).toBe('500')
  })

  test('the send button has the name of the text box and is off while there is no text', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit')
    await openChat(page)
    expect(await page.getByLabel('Send a message').count()).toBe(2)
    const send = page.locator('button[aria-label="Send a message"]')
    expect(await send.isDisabled()).toBe(true)
    await page.locator('textarea').fill('By the button')
    await poll(async () => {
      await send.click({ timeout: 500 }).catch(() => {}) // Sent already: the button is off again.
      return meeting.truth.chat.map(({ text }) => text)
    }).toEqual(['By the button'])
  })

  test('pin buttons carry the id of their message, where there are pins', async () => {
    const { page, meeting } = await browser.enter('chat-pin-overlay', { speed: 40 })
    await openChat(page)
    await poll(() => page.locator('div[data-message-id]').count()).toBe(2)
    expect(await page.locator('button[data-message-id][aria-label="Pin message"]').count()).toBe(2)
    const ids = await page
      .locator('div[data-message-id]')
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-message-id')))
    expect(new Set(ids).size).toBe(2)
    expect(meeting.truth.chat.length).toBe(2)
  })

  test('has a heading and no text box where it is switched off, also during the call', async () => {
    const off = await browser.enter('chat-disabled')
    await openChat(off.page)
    expect(await off.page.locator('textarea').count()).toBe(0)
    const { page, meeting } = await browser.enter('waiting-room-then-admit', { seed: 3 })
    await openChat(page)
    expect(await page.locator('textarea').isEnabled()).toBe(true)
    meeting.setChatEnabled(false)
    await poll(() => page.locator('textarea:enabled').count()).toBe(0)
    meeting.setChatEnabled(true)
    await poll(() => page.locator('textarea:enabled').count()).toBe(1)
  })
})
