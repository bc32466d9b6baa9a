import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { clickUntil, poll } from '../mock-browser.ts'
import { SMALL_PICTURES } from '../small-pictures.ts'
import { JitsiBrowser } from './jitsi-browser.ts'

let browser: JitsiBrowser
beforeAll(async () => {
  browser = await JitsiBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

const CHAT = '.toolbar-button-with-badge [role="button"]'

test('each participant has a separate sound and picture, named after the endpoint', async () => {
  const { page, meeting } = await browser.enter('open', { seed: 2 })
  const sounds = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('audio')].map(({ srcObject, paused }) => [(srcObject as MediaStream).id, paused]),
    )
  const of = (id: string) => [`${meeting.endpointOf(id)}-audio-0-1`, false]
  await poll(sounds).toEqual([of('ann'), of('bob')])
  await poll(() =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLVideoElement>('[id^="participant_"] video')].map(
        ({ videoWidth }) => videoWidth > 0,
      ),
    ),
  ).toEqual([true, true])

  meeting.addPerson({ id: 'dan', name: 'Dan Dubois' })
  await poll(sounds).toEqual([of('ann'), of('bob'), of('dan')])
  const bob = meeting.endpointOf('bob')
  meeting.removePerson('bob')
  await poll(sounds).toEqual([of('ann'), of('dan')])
  expect(await page.locator(`#participant_${bob}`).count()).toBe(0)
  expect(page.errors).toEqual([])
})

test('a speaker is audible, has dots that move, and stays the dominant speaker in silence', async () => {
  const { page, meeting } = await browser.enter('open', { seed: 2 })
  const ann = `#participant_${meeting.endpointOf('ann')}`
  const dots = () =>
    page.locator(`${ann} .audiodot-middle`).evaluate((dot) => Number((dot as HTMLElement).style.opacity))
  meeting.startSpeaking('ann')
  await poll(dots).toBeGreaterThan(0)
  await poll(() => page.locator(`${ann}.dominant-speaker`).count()).toBe(1)
  meeting.stopSpeaking('ann')
  await poll(dots).toBe(0)
  expect(await page.locator(`${ann}.dominant-speaker`).count()).toBe(1)
})

test("a shared screen has a separate tile, and the page's state names its owner", async () => {
  const { page, meeting } = await browser.enter('open')
  const id = `${meeting.endpointOf('ann')}-v1`
  meeting.startSharing('ann')
  await poll(() =>
    page.locator(`#participant_${id} video`).evaluate((video) => (video as HTMLVideoElement).videoWidth),
  ).toBe(2 * SMALL_PICTURES.width)
  const kinds = () =>
    page.evaluate((screen) => {
      const { APP } = window as unknown as {
        APP: { store: { getState(): Record<string, { remote: Map<string, { fakeParticipant: string }> }> } }
      }
      return APP.store.getState()['features/base/participants']?.remote.get(screen)?.fakeParticipant
    }, id)
  expect(await kinds()).toBe('RemoteScreenShare')
  meeting.stopSharing('ann')
  await poll(() => page.locator(`#participant_${id}`).count()).toBe(0)
})

test('the chat is in the page only while it is open, and shows messages as text', async () => {
  const { page, meeting } = await browser.enter('open')
  meeting.say('ann', '<b>Bold</b> https://example.com/?a=1&b=2')
  await poll(() => page.locator('.badge-round').textContent()).toBe('1')
  expect(await page.locator('#sideToolbarContainer').count()).toBe(0)
  await clickUntil(page, CHAT, async () => (await page.locator('#sideToolbarContainer').count()) > 0)
  await poll(() => page.locator('.usermessage').first().textContent()).toContain(
    '<b>Bold</b> https://example.com/?a=1&b=2',
  )
  await page.locator('#chat-input-messagebox').fill('Hello')
  await page.locator('#chat-input-messagebox').press('Enter')
  await poll(() => page.locator('.chatmessage.local').count()).toBe(1)
  expect(meeting.truth.chat.map(({ senderId, text }) => [senderId, text])).toEqual([
    ['ann', '<b>Bold</b> https://example.com/?a=1&b=2'],
    [null, 'Hello'],
  ])
  meeting.setChatEnabled(false)
  await poll(() => page.locator('#chat-input-messagebox').count()).toBe(0)
})

test('the toolbox hides while the pointer is idle', async () => {
  const { page } = await browser.enter('open')
  const isVisible = () => page.locator('.new-toolbox').isVisible()
  await poll(isVisible).toBe(false)
  await page.mouse.move(400, 300)
  await page.mouse.move(420, 310)
  await poll(isVisible).toBe(true)
})

test('when the server is lost, the page counts down, reloads and shows the pre-join page again', async () => {
  const { page, meeting } = await browser.enter('open')
  meeting.show('server-lost')
  await page.locator('#reload_overlay_title').waitFor()
  await meeting.whenState('greenRoom')
  expect(meeting.loads).toBe(2)
  expect(await page.locator('#overlay').count()).toBe(0)
})
