import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { poll } from '../mock-browser.ts'
import { askToJoin, clientUrl, ZoomBrowser } from './zoom-browser.ts'

let browser: ZoomBrowser
beforeAll(async () => {
  browser = await ZoomBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

const LEAVE = '#wc-footer [footer-section=right] button[aria-label="Leave"]'
const PARTICIPANTS = '[feature-type=participant] button'
const CHAT = '[feature-type=chat] button:not([aria-label="Chat Settings"])'

/** Clicks in the footer, which slides away and comes back at a handled move of the pointer. */
async function press(page: Page, selector: string): Promise<void> {
  await page.locator(selector).evaluate((button) => (button as HTMLButtonElement).click())
}

/** Notes in the page that the joining layer covered an empty place for pictures. It is there for a moment only. */
function watchJoining(): void {
  new MutationObserver(() => {
    const layer = document.querySelector('#wc-loading .join-meeting')
    if (layer && document.querySelector('#video-share-layout video-player:empty')) {
      Object.assign(window, { sawJoining: true })
    }
  }).observe(document, { childList: true, subtree: true })
}

describe('joining', () => {
  test('waits inside the app without a footer, then has one; two signs stay in the page', async () => {
    const { page, meeting } = await browser.join('waiting-room', {}, watchJoining)
    await meeting.whenState('lobby')
    expect(await page.evaluate(() => (window as unknown as { sawJoining: boolean }).sawJoining)).toBe(true)
    await page.locator('.meeting-app .waiting-room-container .wr-tip > span').first().waitFor()
    expect(await page.locator('#wc-footer').count()).toBe(0)
    meeting.admit()
    await meeting.whenState('call')
    await page.locator(LEAVE).waitFor({ state: 'attached' })
    meeting.show('on-hold')
    await page.locator('.meeting-on-hold .on-hold-main').waitFor()
    expect(await page.locator('#wc-footer').count()).toBe(0)
    meeting.admit()
    await meeting.whenState('call')
    expect(page.errors).toEqual([])
  })

  test('host who has not started, and one who denies', async () => {
    const { page, meeting } = await browser.join('wc-host-not-started')
    await meeting.whenState('waitingForHost')
    expect(await page.locator('.wr-tip').textContent()).toMatch(/waiting for the host to/i)
    meeting.admit()
    await meeting.whenState('lobby')
    meeting.deny()
    await page.locator('[aria-label="You have been removed"]').waitFor()
    expect(meeting.state).toBe('denied')
  })
})

describe('the meeting', () => {
  test('has its structure, labels and a footer that slides away', async () => {
    const { page, meeting } = await browser.enter('wc-happy', { speed: 4 })
    await poll(() => page.locator(PARTICIPANTS).getAttribute('aria-label')).toBe(
      'open the participants list pane,[4] particpants',
    )
    await poll(() => page.locator('.join-audio-container__btn').getAttribute('aria-label')).toBe('mute my microphone')
    expect(await page.locator('[feature-type=more] button').getAttribute('aria-label')).toBe('More meeting control ')
    await poll(() => page.locator('#wc-footer.footer__hidden').count()).toBe(1)
    await expect(page.locator(LEAVE).click({ timeout: 800 })).rejects.toThrow(/Timeout/)
    let x = 200
    await poll(async () => {
      await page.mouse.move(x++, 200)
      return page.locator('#wc-footer.footer__hidden').count()
    }).toBe(0)
    await press(page, '.send-video-container__btn')
    await poll(() => meeting.bot.cameraOn).toBe(false)
    meeting.muteBot()
    await poll(() => page.locator('.join-audio-container__btn').getAttribute('aria-label')).toBe('unmute my microphone')
  })

  test('lists the participants that are in view', async () => {
    const { page, meeting } = await browser.enter('wc-many-participants-virtualised')
    await press(page, PARTICIPANTS)
    const rows = page.locator('.participants-li')
    await poll(() => rows.first().getAttribute('aria-label')).toBe('Test Visitor (me),computer audio unmuted,video on')
    expect(await rows.nth(1).getAttribute('aria-label')).toBe('Ann Host (Host),computer audio unmuted,video on')
    expect(await rows.count()).toBeLessThan(25)
    meeting.muteBot()
    await poll(() => rows.first().getAttribute('aria-label')).toBe('Test Visitor (me),computer audio muted,video on')
    expect(await page.locator('.participants-header__header').textContent()).toBe('Participants (61)')
    await page.locator('.participants-ul').evaluate((list) => list.scrollTo(0, 100_000))
    await poll(() => rows.last().textContent()).toContain('Guest Number 60')
    meeting.removePerson('p60')
    await poll(() => page.locator('.footer-button__number-counter').textContent()).toBe('60')
  })

  test('shows names as text, twice where two have one', async () => {
    const { page, meeting } = await browser.enter('wc-names', { seed: 3 })
    await press(page, PARTICIPANTS)
    const names = page.locator('.participants-item__display-name')
    await poll(() => names.allTextContents()).toEqual(
      expect.arrayContaining(['Alex', 'Müller, Jörg (Host)', '<b>Eve</b> 👩‍💻', 'ß'.repeat(64)]),
    )
    expect((await names.allTextContents()).filter((name) => name === 'Alex')).toHaveLength(2)
    const rows = await page.locator('.participants-li').evaluateAll((all) => all.map((row) => row.ariaLabel))
    expect(rows).toContain('+1 555 0100,phone audio unmuted,video off')
    // Guests may have a blank before the comma.
    expect(rows).toContain('Gus Guest (Guest) ,computer audio unmuted,video off')
    meeting.renamePerson('markup', 'Eve Ek')
    await poll(() => names.allTextContents()).toContain('Eve Ek')
  })

  test('keeps the chat only while its panel is open, and of it what is in view', async () => {
    const { page, meeting } = await browser.enter('wc-chat-virtualised', { speed: 8, seed: 2 })
    await poll(() => meeting.truth.chat.length, { timeout: 30_000 }).toBe(60)
    expect(await page.locator('.chat-item-container').count()).toBe(0)
    await press(page, CHAT)
    const rows = page.locator('.chat-item-container[data-id]')
    await poll(() => rows.last().textContent()).toContain('Message number 60')
    expect(await rows.count()).toBeLessThan(30)
    // Consecutive messages of one sender have one header.
    expect(await page.locator('.new-chat-item__chat-info-header').count()).toBeLessThan(await rows.count())
    await page.locator('.tiptap.ProseMirror').focus()
    await page.keyboard.type('First line')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('second')
    expect(await page.locator('.chat-rtf-box__send').isEnabled()).toBe(true)
    await page.keyboard.press('Enter')
    await poll(() => meeting.truth.chat.at(-1)?.text).toBe('First line\nsecond')
    await poll(() => rows.last().locator('[role=row]').getAttribute('aria-label')).toMatch(
      /^You to Everyone, \d{1,2}:\d{2}\s[AP]M, First line\nsecond$/,
    )
    meeting.setChatEnabled(false)
    await page.getByText('The host has disabled attendee chat.').waitFor()
    expect(await page.locator('.ProseMirror').count()).toBe(0)
    meeting.setChatEnabled(true)
    meeting.show('private-message')
    await poll(() => rows.last().locator('[role=row]').getAttribute('aria-label')).toMatch(
      /^Ann Host to Test Visitor \(Privately\), .+, Between you and me$/,
    )
    await press(page, CHAT)
    expect(await page.locator('.chat-item-container').count()).toBe(0)
  })

  test('marks a speaker in the gallery from three tiles on, and for a while after the speech', async () => {
    const { page, meeting } = await browser.enter('wc-gallery-mark-stays')
    meeting.startSpeaking('cleo')
    const marked = page.locator('.gallery-video-container__video-frame--active .video-avatar__avatar-footer > span')
    await poll(() => marked.allTextContents()).toEqual(['Cléo Ñandú'])
    meeting.stopSpeaking('cleo')
    await poll(() => meeting.truth.turns.some(({ name, endedAt }) => name === 'Cléo Ñandú' && endedAt)).toBe(true)
    expect(await marked.allTextContents()).toEqual(['Cléo Ñandú'])
  })

  test('pages a large gallery and brings the speaker to the current page', async () => {
    const { page, meeting } = await browser.enter('wc-gallery-pages')
    const names = page.locator('.gallery-video-container__video-frame .video-avatar__avatar-footer > span')
    await poll(() => names.count()).toBe(9)
    meeting.startSpeaking('p12')
    await poll(() => names.allTextContents()).toContain('Guest Number 12')
    expect(await names.count()).toBe(9)
    const pages = page.locator('.gallery-video-container__pagination')
    expect(await pages.textContent()).toBe('1/2')
    await pages.locator('button').last().click()
    await poll(() => pages.textContent()).toBe('2/2')
  })

  test('follows the speaker in speaker view, and shows a shared screen with the speakers beside it', async () => {
    const { page, meeting } = await browser.enter('wc-silence', { speed: 2 })
    await press(page, '.full-screen-widget__button')
    await page.locator('.full-screen-widget__pop-menu').getByText('Speaker View', { exact: true }).click()
    const large = page.locator('.speaker-active-container__video-frame .video-avatar__avatar-footer > span')
    await poll(() => large.textContent()).toBe('Ann Host')
    expect(await page.locator('.speaker-bar-container__video-frame').count()).toBe(3)
    meeting.startSpeaking('bob')
    await poll(() => large.textContent()).toBe('Bob Berg')
    meeting.startSharing('ann')
    await page.locator('.sharee-container__viewport canvas.sharee-container__canvas').waitFor()
    expect(await page.locator('.speaker-bar-container__video-frame').count()).toBe(4)
    await press(page, '.full-screen-widget__button')
    await page.getByText('Side-by-side: Gallery').waitFor()
    meeting.stopSharing('ann')
    await poll(() => page.locator('.sharee-container__viewport').count()).toBe(0)
    meeting.setCamera('bob', false)
    const bob = page.locator(`.speaker-active-container__video-frame:has-text("Bob Berg")`)
    await poll(() => bob.locator('video-player').count()).toBe(0)
    expect(await bob.locator('.video-avatar__avatar-name, img[alt="Bob Berg"]').count()).toBe(1)
  })

  test('stacks notices, each with a button that takes it away', async () => {
    const { page } = await browser.enter('wc-stacked-notices')
    await poll(() => page.locator('.ReactModal__Content').count()).toBe(3)
    await page.locator('.notification-consent-banner').waitFor()
    const recording = page.locator('.recording-disclaimer-dialog')
    expect(await recording.locator('button').allTextContents()).toEqual(['Leave Meeting', 'Got it'])
    await recording.getByText('Got it').click()
    await poll(() => page.locator('.ReactModal__Content').count()).toBe(2)
  })

  test('writes captions without full names once a language is chosen', async () => {
    const { page, meeting } = await browser.enter('wc-silence')
    await press(page, '[feature-type=more] button')
    await press(page, '.more-button__pop-menu [aria-label="Show Captions"]')
    await page.locator('.lt-select-language').getByText('Save').click()
    await page.locator('.big-dialog').getByText('Save').click()
    await poll(() => page.locator('[feature-type=captions] button').count()).toBe(1)
    meeting.startSpeaking('bob')
    const row = page.locator('#live-transcription-subtitle')
    await poll(() => row.locator('.live-transcription-subtitle__item').first().textContent()).toMatch(/\w/)
    expect(await row.first().textContent()).not.toContain('Bob Berg')
  })

  test('plays no sound before audio is joined', async () => {
    const { page, meeting } = await browser.enter('wc-audio-not-joined')
    await page.locator('.join-audio-by-pc-container').waitFor()
    expect(await page.locator('.join-audio-container__btn').getAttribute('aria-label')).toBe('join audio')
    await page.getByText('Join Audio by Computer').click()
    await poll(() => page.locator('.join-audio-container__btn').getAttribute('aria-label')).toBe('mute my microphone')
    await poll(() => meeting.log.some(({ target }) => target === 'audio-joined')).toBe(true)
  })
})

describe('the end', () => {
  test('is a dialog; Leave stays in the page under it', async () => {
    for (const [how, label, state] of [
      ['remove', 'You have been removed', 'removed'],
      ['endForAll', 'Meeting is end now', 'hostEnded'],
    ] as const) {
      const { page, meeting } = await browser.enter('open')
      meeting[how]()
      const dialog = page.locator(
        `.ReactModal__Content[role="dialog"][aria-label="${label}"] .zm-modal.zm-modal-legacy`,
      )
      await dialog.waitFor()
      expect(meeting.state).toBe(state)
      expect(await page.locator(LEAVE).count()).toBe(1)
      await dialog.locator('.zm-modal-footer-default-actions button.zm-btn--primary').click()
      await page.waitForURL('**/wc/leave?meetingNumber=*&feedback=*')
      await page.getByText('Thank you for attending the meeting').waitFor()
      expect(meeting.state).toBe(state)
    }
  })

  test('leaving takes two clicks; for a host the red one ends the meeting for all', async () => {
    const guest = await browser.enter('open')
    await press(guest.page, LEAVE)
    await guest.page.locator('.leave-meeting-options button.leave-meeting-options__btn--danger').click()
    await guest.meeting.whenState('left')

    const { page, meeting } = await browser.enter('wc-becomes-host')
    await page.locator('[footer-section=right] button[aria-label="End"]').waitFor({ state: 'attached' })
    await press(page, '[footer-section=right] button')
    const options = page.locator('.leave-meeting-options')
    expect(await options.locator('.leave-meeting-options__btn--danger').textContent()).toBe('End Meeting for All')
    await options.locator('.leave-meeting-options__btn--default').click()
    await meeting.whenState('left')
    expect(meeting.people.length).toBe(2)
  })

  test('a lost network is announced, and the page finally gives up', async () => {
    const { page, meeting } = await browser.enter('wc-silence', { speed: 4 })
    meeting.loseConnection()
    await page.locator('.dialog-reconnect-container').waitFor()
    meeting.regainConnection()
    await poll(() => page.locator('.dialog-reconnect-container').count()).toBe(0)
    meeting.loseConnection()
    await meeting.whenState('disconnected')
    await page.locator('#wc-leave').waitFor()
  })

  test('a page that comes back is another visit with another id', async () => {
    const { page, meeting } = await browser.enter('open')
    const [first] = meeting.log.filter(({ target }) => target === 'call')
    await page.goto(clientUrl(meeting), { waitUntil: 'commit' })
    await meeting.whenState('greenRoom')
    await askToJoin(page, 'Again')
    await meeting.whenState('call')
    expect(meeting.botName).toBe('Again')
    expect(meeting.log.filter(({ target }) => target === 'call')).toHaveLength(2)
    expect(first).toBeDefined()
  })
})
