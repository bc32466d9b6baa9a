import { inflateSync } from 'node:zlib'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CallObject } from '../../../mock/microsoft-teams/page/call-object.ts'
import type { SpeakingMark } from '../../../mock/microsoft-teams/page/protocol.ts'
import { readChannelMessage } from '../../../mock/microsoft-teams/push.ts'
import { DEFAULTS, pageSettings } from '../../../mock/microsoft-teams/settings.ts'
import { THREE } from '../../../mock/shared/scenario.ts'
import { poll } from '../mock-browser.ts'
import { clickUntil, TeamsBrowser, tid } from './teams-browser.ts'

let browser: TeamsBrowser
beforeAll(async () => {
  browser = await TeamsBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

interface Watched {
  tracks: { kind: string; streamId: string; receiver: RTCRtpReceiver }[]
  /** Base64, as they came. */
  channel: string[]
  frames: string[]
}

/** Runs before the page's own scripts, as a driver's would: keeps tracks, messages and frames of the push socket. */
function watchWire(): void {
  const watched: Watched = { tracks: [], channel: [], frames: [] }
  Object.assign(window, { watched })
  const Peer = RTCPeerConnection
  window.RTCPeerConnection = class extends Peer {
    constructor(settings?: RTCConfiguration) {
      super(settings)
      this.addEventListener('track', ({ track, streams, receiver }) => {
        watched.tracks.push({ kind: track.kind, streamId: streams[0]?.id ?? '', receiver })
      })
    }
    override createDataChannel(label: string): RTCDataChannel {
      const channel = super.createDataChannel(label)
      if (label === 'main-channel') {
        channel.addEventListener('message', ({ data }) => {
          watched.channel.push(btoa(String.fromCharCode(...new Uint8Array(data))))
        })
      }
      return channel
    }
  }
  const Socket = WebSocket
  window.WebSocket = class extends Socket {
    constructor(url: string | URL) {
      super(url)
      if (String(url).includes('/v4/c'))
        this.addEventListener('message', ({ data }) => watched.frames.push(String(data)))
    }
  }
}

const streamsOf = (page: Page) =>
  page.evaluate(() => {
    const { tracks } = (window as unknown as { watched: Watched }).watched
    return tracks.map(({ kind, streamId }) => `${kind} ${streamId}`)
  })
const sourcesOf = (page: Page) =>
  page.evaluate(() => {
    const { tracks } = (window as unknown as { watched: Watched }).watched
    return tracks.flatMap(({ kind, receiver }) =>
      kind === 'audio' ? receiver.getContributingSources().map(({ source }) => source) : [],
    )
  })
const channelOf = async (page: Page) =>
  (await page.evaluate(() => (window as unknown as { watched: Watched }).watched.channel)).map((base64) =>
    readChannelMessage(Buffer.from(base64, 'base64')),
  )

/** The bodies of the push frames that name this address, decompressed where needed. */
async function pushesOf(page: Page, path: string): Promise<unknown[]> {
  const frames = await page.evaluate(() => (window as unknown as { watched: Watched }).watched.frames)
  return frames
    .filter((frame) => frame.startsWith('3:::'))
    .map((frame) => JSON.parse(frame.slice(4)) as { url: string; body: string })
    .filter(({ url }) => url.endsWith(path))
    .map(({ body }) => JSON.parse(body.startsWith('{') ? body : inflateSync(Buffer.from(body, 'base64')).toString()))
}

const openPane = (page: Page, button: string, content: string) =>
  clickUntil(page, button, async () => (await page.locator(content).count()) > 0)

describe('the wire', () => {
  test('carries one mixed sound with its sources, pictures by slot, the roster and the speakers', async () => {
    const { meeting, page } = await browser.enter('open', { people: THREE }, watchWire)
    await poll(() => streamsOf(page)).toContain('audio mainAudio-1')
    expect((await streamsOf(page)).filter((stream) => stream.startsWith('video mainVideo-'))).toHaveLength(9)
    await poll(() => page.locator('video').count()).toBeGreaterThanOrEqual(3)
    await poll(() =>
      page.evaluate(() => [...document.querySelectorAll('video')].filter(({ videoWidth }) => videoWidth > 0).length),
    ).toBeGreaterThanOrEqual(3)

    const [ann, cleo] = [meeting.audioSourceOf('ann'), meeting.audioSourceOf('cleo')]
    meeting.startSpeaking('ann')
    await poll(() => channelOf(page)).toContainEqual([{ type: 'dsh', history: [ann] }])
    meeting.startSpeaking('cleo')
    await poll(() => channelOf(page)).toContainEqual([{ type: 'dsh', history: [cleo, ann] }])
    await poll(async () => [...new Set(await sourcesOf(page))].sort()).toEqual([ann, cleo].sort())

    meeting.addPerson({ id: 'eve', name: 'Eve Ek (Guest)', camera: false })
    const eve = meeting.mriOf('eve')
    meeting.removePerson('eve')
    await poll(() => pushesOf(page, '/rosterUpdate/')).toContainEqual({
      participants: { [eve]: { state: 'inactive', details: { id: eve, displayName: 'Eve Ek' } } },
    })
    const call = await page.evaluate(() => {
      const { observableCall } = (window as unknown as { callingDebug: { observableCall: CallObject } }).callingDebug
      return {
        self: observableCall.callerMri,
        sources: observableCall.participants.map(({ id, hasAudioSource }) => [
          id,
          Array.from({ length: 1000 }, (_, source) => source).find((source) => hasAudioSource(source)),
        ]),
      }
    })
    expect(call.sources).toContainEqual([meeting.mriOf('bob'), meeting.audioSourceOf('bob')])
    expect(call.sources.map(([id]) => id)).toContain(call.self)
    // The page asked for the pictures it shows.
    const asked = meeting.log.filter(({ target }) => target === 'main-channel').map(({ detail }) => detail)
    expect(asked.join()).toContain(`"sourceId":${meeting.personView('ann').videoSource}`)

    meeting.remove()
    await meeting.whenState('removed')
    await poll(() => pushesOf(page, '/conversationEnd/')).toMatchObject([
      { subCode: 5000, sender: { id: meeting.mriOf('ann') } },
    ])
    expect(page.errors).toEqual([])
  })

  test('does not name the speakers where only the tiles show them', async () => {
    const { meeting, page } = await browser.enter('speaking-signal-class', { seed: 3 }, watchWire)
    await poll(() => {
      meeting.startSpeaking('ann') // The scenario starts and stops her speech too.
      return sourcesOf(page)
    }).toContain(meeting.audioSourceOf('ann'))
    expect(meeting.audioSourceOf('ann')).not.toBe(meeting.personView('ann').audioSource)
    expect(await channelOf(page)).toEqual([])
  })
})

/** Which marks a tile's outline shows. */
const seen = (page: Page, name: string) =>
  page.evaluate((wanted) => {
    const tile = [...document.querySelectorAll('[data-acc-element-id]')].find(
      (element) => element.querySelector('[data-tid="participant-info-nametag"]')?.textContent === wanted,
    )
    const outline = tile?.querySelector<HTMLElement>('[data-tid="voice-level-stream-outline"]')
    if (!tile || !outline) return null
    return {
      class: outline.classList.contains('vdi-frame-occlusion'),
      attribute: outline.dataset.isSpeaking === 'true',
      before: getComputedStyle(outline, '::before').opacity === '1',
      after: getComputedStyle(outline, '::after').opacity !== '0',
      motion: outline.style.borderWidth !== '',
      aria: / is speaking/.test(tile.getAttribute('aria-label') ?? ''),
    } satisfies Record<SpeakingMark, boolean>
  }, name)

describe('the tile area', () => {
  test('shows speech by the marks of the load and by no other, each of them in some load', async () => {
    const shown = new Set<SpeakingMark>()
    const marksOf = (seed: number) => pageSettings(DEFAULTS, { seed, speed: 10, lang: 'en', isFull: false }).marks
    for (let seed = 1; shown.size < 6; seed++) {
      const marks = marksOf(seed)
      if (marks.every((mark) => shown.has(mark))) continue
      const { meeting, page } = await browser.enter('open', { seed })
      await poll(() => seen(page, 'Ann Host')).not.toBeNull()
      meeting.startSpeaking('ann')
      const expected = Object.fromEntries(
        ['class', 'attribute', 'before', 'after', 'motion', 'aria'].map((mark) => [
          mark,
          marks.includes(mark as never),
        ]),
      )
      await poll(() => seen(page, 'Ann Host')).toEqual(expected)
      meeting.stopSpeaking('ann')
      await poll(async () => Object.values((await seen(page, 'Ann Host')) ?? {}).includes(true)).toBe(false)
      for (const mark of marks) shown.add(mark)
      await browser.clear()
    }
  })

  test('has tiles without a name yet, one without a size, and an own one without an outline', async () => {
    const { meeting, page } = await browser.enter('roster-unresolved-names', { speed: 1.5, seed: 5 })
    const stream = '[data-cid="calling-participant-stream"][data-stream-type="Video"]'
    const tids = () => page.locator(stream).evaluateAll((all) => all.map((element) => element.getAttribute('data-tid')))
    const hash = meeting.personView('ann').unresolved
    await poll(tids).toContain(hash)
    await poll(tids, { timeout: 60_000 }).toContain('Ann Host')
    // An account's address stays.
    expect(await tids()).toContain(meeting.personView('cleo').unresolved)
    const nametags = page.locator(tid('participant-info-nametag'))
    await poll(() => nametags.allTextContents()).toContain('Cléo Ñandú')
    const own = page.locator('[data-acc-element-id]', { has: page.locator(tid('myself-video')) })
    expect(await own.getAttribute('aria-label')).toMatch(/^Myself video, Test Visitor/)
    expect(await own.locator(tid('voice-level-stream-outline')).count()).toBe(0)
    const phantom = page.locator('[data-acc-element-id]').first()
    expect(await phantom.evaluate((element) => element.getBoundingClientRect().width)).toBe(0)

    meeting.startSharing('bob')
    await poll(() => page.locator('[data-stream-type="ScreenSharing"] video').count()).toBe(1)
    const share = page.locator('[role="menuitem"]', { has: page.locator('[data-stream-type="ScreenSharing"]') })
    expect(await share.getAttribute('aria-label')).toMatch(/^Content shared by Bob Berg/)
    expect(await share.locator(tid('voice-level-stream-outline')).count()).toBe(0)
  })

  test('shows a single person without a camera as one avatar, and alerts that do not end the call', async () => {
    const { meeting, page } = await browser.enter('one-other-camera-off')
    const avatar = page.locator(tid('calling-screen-avatar'))
    expect(await avatar.getAttribute('data-person-mri')).toBe(meeting.mriOf('ann'))
    expect(await page.locator('[data-acc-element-id]', { hasText: 'Ann Host' }).count()).toBe(0)
    meeting.setCamera('ann', true)
    await poll(() => page.locator('[data-acc-element-id]', { hasText: 'Ann Host' }).count()).toBe(1)
    expect(await avatar.count()).toBe(0)

    meeting.muteBot()
    await poll(() => page.locator('#microphone-button').getAttribute('data-state')).toBe('mic-off')
    meeting.show('recording-banner')
    const banner = page.locator(`${tid('callingAlert_JoinersOngoingRecording')}[role="alert"]`)
    await banner.waitFor()
    await clickUntil(
      page,
      tid('callingAlertDismissButton_JoinersOngoingRecording'),
      async () => (await banner.count()) === 0,
    )
    meeting.show('consent')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await clickUntil(page, '[role="dialog"] button:has-text("OK")', async () => (await dialog.count()) === 0)
    meeting.removePerson('ann')
    await page.getByText(/only one here|Waiting for others/).waitFor()
    expect(meeting.state).toBe('call')
    meeting.show('vanish')
    await poll(() => page.locator('#hangup-button').count()).toBe(0)
    expect(meeting.state).toBe('vanished')
  })
})

describe('the roster', () => {
  test('is in the document while its pane is open, only the rows that fit, beside a number that comes and goes', async () => {
    const { meeting, page } = await browser.enter('roster-large-meeting', { speed: 2 })
    const badge = page.locator(
      `#roster-button ${tid('toolbar-item-badge')}, #roster-button ${tid('roster-button-tile')}`,
    )
    await poll(() => badge.allTextContents()).toEqual(['12+'])
    const rows = page.locator('[data-cid="roster-participant"]')
    expect(await rows.count()).toBe(0)
    await openPane(page, '#roster-button', '[data-cid="roster-participant"]')
    expect(await page.locator('#roster-title-section-2').textContent()).toBe('In this meeting (61)')
    expect(await rows.count()).toBe(20)
    const last = page.locator(tid('attendeesInMeeting-Guest Number 60'))
    await page.locator(tid('calling-roster-wrapper-attendees')).evaluate((element) => {
      element.scrollTop = element.scrollHeight
    })
    await poll(() => last.count()).toBe(1)
    expect(await last.getAttribute('aria-label')).toBe('Guest Number 60, Microphone muted')
    // Chat takes the pane, and the rows are gone.
    await openPane(page, '#chat-button', tid('chat-pane-list'))
    expect(await rows.count()).toBe(0)
    meeting.show('relayout')
    await poll(() => badge.count()).toBe(0)
    await poll(() => badge.count()).toBe(1)
  })
})

describe('the chat', () => {
  test('sends the text of its model, and not text that a script put into the box', async () => {
    const { meeting, page } = await browser.enter('chat-send-light')
    await openPane(page, '#chat-button', tid('ckeditor'))
    const box = page.locator(tid('ckeditor'))
    const send = page.locator(tid('newMessageCommands-send'))
    const sent = () => meeting.truth.chat.map(({ text }) => text)
    await box.evaluate((element) => {
      element.textContent = 'Set by a script'
      ;(element as HTMLElement).focus()
      document.execCommand('insertText', false, ' and by a command')
    })
    expect(await send.isDisabled()).toBe(true)
    await page.keyboard.press('Control+Enter')
    // Typed text replaces the text that was only shown.
    await box.pressSequentially('Typed')
    await page.keyboard.press('Enter') // Does nothing in the light client.
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.insertText('second line')
    await send.click()
    await poll(sent).toEqual(['Typed\nsecond line'])
    await poll(() => box.textContent()).toBe('')
    await box.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'Pasted')
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    await box.press('Control+Enter')
    await poll(sent).toEqual(['Typed\nsecond line', 'Pasted'])
    await poll(() => page.locator('.fui-ChatMyMessage').allTextContents()).toHaveLength(2)

    meeting.setChatEnabled(false)
    await page.locator(tid('compose-disabled-placeholder-text')).waitFor()
    expect(await box.count()).toBe(0)
  })

  test('names an author once, rewrites rows for other messages, and brings older ones on the way up', async () => {
    const { meeting, page } = await browser.enter('open', { people: THREE })
    await openPane(page, '#chat-button', tid('ckeditor'))
    for (const text of ['One', 'Two']) meeting.say('ann', text)
    meeting.say('bob', '<b>Three</b>')
    meeting.show('chat-notice')
    const items = page.locator(tid('chat-pane-item'))
    await poll(() => items.count()).toBe(4)
    expect(await page.locator(tid('message-author-name')).allTextContents()).toEqual(['Ann Host', 'Bob Berg'])
    expect(await page.locator('.fui-ChatControlMessage').count()).toBe(1)
    expect(await page.locator(tid('messageBodyContent')).nth(2).textContent()).toBe('<b>Three</b>')
    meeting.show('edit-last-message')
    await poll(() => page.locator(tid('messageBodyContent')).nth(2).textContent()).toMatch(/^Edited: /)

    const first = await items.first().elementHandle()
    for (let count = 0; count < 40; count++) meeting.say('cleo', `Item ${count}`)
    await poll(() => page.locator(tid('messageBodyContent')).last().textContent()).toBe('Item 39')
    expect(await items.count()).toBe(30)
    // The element of "One" now shows another message.
    expect(await first!.textContent()).toMatch(/Item \d+$/)
    await poll(async () => {
      await page.locator(tid('message-pane-list-viewport')).evaluate((element) => {
        element.scrollTop = 0
        element.dispatchEvent(new Event('scroll'))
      })
      return items.first().textContent()
    }).toMatch(/One$/)
  })
})

describe('the full client', () => {
  test('is another document that holds the same call', async () => {
    const { meeting, page } = await browser.enter('admitted-hop-to-full-client', {}, watchWire)
    await poll(() => new URL(page.url()).pathname).toBe('/v2/')
    meeting.say('ann', 'Before the pane')
    await poll(() => page.locator('video').count()).toBeGreaterThanOrEqual(2)
    await openPane(page, '#chat-button', tid('ckeditor'))
    await page.locator(tid('ckeditor')).fill('Sent by Enter')
    await page.keyboard.press('Enter')
    await poll(() => meeting.truth.chat.map(({ text }) => text)).toEqual(['Before the pane', 'Sent by Enter'])
    meeting.show('reload')
    await poll(() => page.locator(tid('ckeditor')).count()).toBe(0)
    await openPane(page, '#chat-button', tid('ckeditor'))
    await poll(() => page.locator(tid('messageBodyContent')).allTextContents()).toEqual([
      'Before the pane',
      'Sent by Enter',
    ])
    await clickUntil(page, '#view-mode-button', async () => (await page.locator('#SpeakerView-button').count()) > 0)
    expect(meeting.log.filter(({ event, target }) => event === 'state' && target === 'call')).toHaveLength(1)
    expect(meeting.truth.leftAt).toBeNull()
    expect(page.errors).toEqual([])
  })
})

describe('captions', () => {
  test('come after speech, grow in one row, and are sent on the main channel', async () => {
    const { meeting, page } = await browser.enter('captions-submenu', {}, watchWire)
    meeting.startSpeaking('ann')
    await clickUntil(page, '#callingButtons-showMoreBtn', async () => (await page.getByRole('menu').count()) > 0)
    await page.locator('#LanguageSpeechMenuControl-id').click()
    await page.locator('#closed-captions-button').click()
    const text = page.locator(tid('closed-caption-text'))
    await poll(() => text.count()).toBe(1)
    const before = (await text.textContent()) ?? ''
    await poll(async () => ((await text.textContent()) ?? '').length).toBeGreaterThan(before.length + 5)
    expect(await text.textContent()).toContain(before)
    expect(await page.locator(tid('author')).textContent()).toBe('Ann Host')
    expect(await page.locator(tid('closed-captions-v2-items-renderer')).count()).toBe(0)
    await poll(() => channelOf(page)).toContainEqual({
      recognitionResults: [expect.objectContaining({ userId: meeting.mriOf('ann'), isFinal: false })],
    })
    meeting.stopSpeaking('ann')
    await poll(() => channelOf(page)).toContainEqual({
      recognitionResults: [expect.objectContaining({ userId: meeting.mriOf('ann'), isFinal: true })],
    })
  })
})

describe('leaving, and losing the connection', () => {
  test('a split button can end the meeting for all, and its other entry does not', async () => {
    const { meeting, page } = await browser.enter('leave-split-button')
    await clickUntil(page, '#hangup-button', async () => (await page.locator(tid('hangup-leave-button')).count()) > 0)
    expect(await page.locator(tid('hangup-end-meeting-button')).count()).toBe(1)
    await page.locator(tid('hangup-leave-button')).click()
    await meeting.whenState('left')
    expect(await page.locator(tid('anon-meeting-end-screen-header')).textContent()).toBe('You left the meeting')
    expect(meeting.people).toHaveLength(2)
  })

  test('the bar hides while the pointer rests, and has no room in a narrow window', async () => {
    const { meeting, page } = await browser.enter('toolbar-autohide-leave', { speed: 1.5 })
    const hangUp = page.locator('#hangup-button')
    await poll(() => hangUp.isVisible()).toBe(false)
    expect(await hangUp.count()).toBe(1)
    await page.setViewportSize({ width: 600, height: 600 })
    await poll(() => page.locator('#horizontalMiddleEnd #chat-button').count()).toBe(0)
    await clickUntil(page, '#callingButtons-showMoreBtn', async () => (await page.getByRole('menu').count()) > 0)
    expect(await page.getByRole('menu').locator('#chat-button').count()).toBe(1)
    await page.keyboard.press('Escape')
    await clickUntil(page, '#hangup-button', async () => meeting.state === 'left')
  })

  test('a lost network ends the media and leaves the bar; afterwards there is a new connection', async () => {
    const { meeting, page } = await browser.enter('open', { speed: 2 }, watchWire)
    await poll(() => streamsOf(page)).toContain('audio mainAudio-1')
    meeting.loseConnection()
    await page.getByText('Reconnecting').waitFor()
    expect(await page.locator('#hangup-button').count()).toBe(1)
    await poll(() => page.locator('[data-stream-type="Video"] video').count()).toBe(0)
    meeting.regainConnection()
    await poll(async () => (await streamsOf(page)).filter((stream) => stream === 'audio mainAudio-1').length).toBe(2)
    await poll(() => page.locator('[data-stream-type="Video"] video').count()).toBe(2)
    // The push socket comes back by itself, a moment later.
    const hellos = () =>
      page.evaluate(() => (window as unknown as { watched: Watched }).watched.frames.filter((frame) => frame === '1::'))
    await poll(hellos).toHaveLength(2)
    meeting.addPerson({ id: 'eve', name: 'Eve Ek' })
    await poll(async () => JSON.stringify(await pushesOf(page, '/rosterUpdate/'))).toContain('Eve Ek')
    meeting.endForAll()
    await meeting.whenState('hostEnded')
    expect(await page.locator(tid('anon-meeting-end-screen-header')).textContent()).toBe('The meeting has ended')
  })
})
