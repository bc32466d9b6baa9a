import { request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { MeetBrowser } from '../google-meet/meet-browser.ts'
import { clickUntil, poll } from '../mock-browser.ts'

let browser: MeetBrowser
beforeAll(async () => {
  browser = await MeetBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

describe("the host's page", () => {
  test('starts a meeting, lets the bot in, talks to it and removes it', async () => {
    const host = await browser.page()
    await host.goto(browser.mock.hostPage)
    await host.getByLabel('Scenario').selectOption('waiting-room')
    await host.getByText('A join request that waits until the host decides.').waitFor()
    await host.getByRole('button', { name: 'Start meeting' }).click()
    const command = host.locator('.command code').first()
    const text = (await command.textContent()) ?? ''
    expect(text).toContain(`--map-host meet.google.com=${browser.mock.address}`)
    const url = /https:\/\/meet\.google\.com\/\S+/.exec(text)![0]
    const code = url.split('/').at(-1)!
    const meeting = browser.mock.meetings.get(code)!

    const admit = host.getByRole('button', { name: 'Admit' })
    expect(await admit.isDisabled()).toBe(true)
    const bot = await browser.page()
    await bot.goto(url)
    await meeting.whenState('greenRoom')
    await bot.getByLabel('Your name').fill('<i>Bot</i>')
    await clickUntil(bot, 'button[jsname="Qx7uuf"]', async () => meeting.state !== 'greenRoom')
    await meeting.whenState('lobby')
    await host.getByText('lobby – in the waiting room').waitFor()
    await host.getByText('Calls itself “<i>Bot</i>”').waitFor()
    await admit.click()
    await meeting.whenState('call')

    await host.getByLabel('Name of a new person').fill('Eve Ek')
    await host.getByRole('button', { name: 'Add person' }).click()
    await poll(() => bot.locator('span.notranslate', { hasText: 'Eve Ek' }).count()).toBe(1)
    await host.getByRole('listitem').filter({ hasText: 'Eve Ek' }).getByRole('button', { name: 'Speak' }).click()
    await poll(() => meeting.truth.turns.map(({ name }) => name)).toEqual(['Eve Ek'])
    await host.getByRole('textbox', { name: 'Message' }).fill('Hello <b>bot</b>')
    await host.getByRole('button', { name: 'Say' }).click()
    await host.getByRole('list', { name: 'Chat' }).getByText('Hello <b>bot</b>').waitFor()
    await host.getByRole('listitem').filter({ hasText: 'Eve Ek' }).getByRole('button', { name: 'Raise hand' }).click()
    await bot.getByText('Eve Ek has raised a hand').waitFor()
    await host.getByLabel('What to show').selectOption('got-it')
    await host.getByRole('button', { name: 'Show to the bot' }).click()
    await bot.getByRole('dialog').waitFor()
    await host.getByRole('button', { name: 'Remove bot' }).click()
    await meeting.whenState('removed')
    await host.getByText('removed – was removed').waitFor()
    expect([...host.errors, ...bot.errors]).toEqual([])
  })

  test('reports why an action fails', async () => {
    const meeting = browser.mock.open('waiting-room')
    const host = await browser.page()
    await host.goto(browser.mock.hostPage)
    const card = host.getByRole('article', { name: meeting.code })
    await card.getByRole('button', { name: 'Show to the bot' }).click()
    await poll(() => host.locator('.notice').textContent()).toContain('no page of')
  })

  test('accepts actions from its own page only', async () => {
    const order = JSON.stringify({ act: 'open', platform: 'google-meet', scenario: 'waiting-room', speed: 1 })
    const count = browser.mock.meetings.size
    const asForm = await fetch(browser.mock.hostPage, { method: 'POST', body: order })
    expect(asForm.status).toBe(415)
    const headers = { 'content-type': 'application/json' }
    const unknown = await fetch(browser.mock.hostPage, { method: 'POST', headers, body: '{"act":"format"}' })
    expect(unknown.status).toBe(409)
    const renamed = await new Promise<number | undefined>((resolve, reject) => {
      request(browser.mock.hostPage, { headers: { host: 'rebound.example' } }, (answer) => resolve(answer.statusCode))
        .on('error', reject)
        .end()
    })
    expect(renamed).toBe(421)
    expect(browser.mock.meetings.size).toBe(count)
  })
})
