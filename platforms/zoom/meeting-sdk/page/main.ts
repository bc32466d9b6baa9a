/** Runs in the page of Zoom's Meeting SDK: the web client's readers of the page, and the SDK's own events and calls. */

import { pageNow } from '../../../shared/page/page-clock.ts'
import { type PlatformPage, type SharedPage, startPage } from '../../../shared/page/start-page.ts'
import { captureZoomAudio } from '../../page/audio-capture.ts'
import { createElements } from '../../page/elements.ts'
import { watchPictures } from '../../page/pictures.ts'
import { createSnapshotReader } from '../../page/snapshot.ts'
import { watchSound } from '../../page/sound.ts'
import { compositeTiles, readTiles } from '../../page/tiles.ts'
import { createSdkChat } from './chat.ts'
import { personOf, SdkFactsStore } from './facts.ts'
import { forgetLeaveReason, keepLeaveReason, restoreLeaveReason } from './leave-reason.ts'
import { createRosterReader } from './roster-reader.ts'
import { createSdkPilot } from './sdk.ts'
import { watchSdkSpeech } from './speech.ts'
import type { SdkPageApi, SdkPageConfig } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: SdkPageConfig

if (window.top === window) startPage(standinConfig, createSdkPage)

function createSdkPage(page: SharedPage<SdkPageConfig>): PlatformPage<SdkPageApi> {
  const { config, tap, queue, emit, emitSpeech, hands } = page
  const sound = tap && watchSound(tap)
  const pictures = tap && watchPictures()
  const elements = createElements(config)
  const facts = new SdkFactsStore()
  const roster = createRosterReader({ botName: config.botName, facts, queue, hands, emit })
  const chat = createSdkChat()
  const speech = sound && watchSdkSpeech({ sound, present: () => roster.present().people, emit: emitSpeech })
  const sdk = createSdkPilot(facts, {
    people: roster.handleAttendees,
    activeSpeakers(userIds) {
      const others = userIds.map(personOf).filter((id) => !roster.ownIds.has(id))
      speech?.handleActive(others.map(String), pageNow())
    },
    chat(data) {
      const message = chat.received(data, pageNow(), roster.ownIds)
      if (message) emit({ type: 'chat_message', message })
    },
    left: () => keepLeaveReason(facts),
  })
  if (tap && location.pathname.endsWith('/left')) restoreLeaveReason(facts)
  const snapshot = createSnapshotReader(config, elements, {
    others: () => (facts.facts.isAttendee ? roster.present().people.length : null),
    hears: () => true,
    // The SDK's list replaces the page's.
    isListDue: () => false,
  })

  function sharedScreen() {
    const element = elements.drawn('shareView')
    if (!element) return null
    const { people, sharing } = roster.present()
    const [sharerId = null] = sharing
    return { element, sharerId, name: people.find(({ id }) => id === sharerId)?.name ?? 'Unknown' }
  }

  return {
    elements,
    snapshot: {
      read() {
        const [page, sdk] = [snapshot.read(), facts.facts]
        return { ...page, areRoomsOpen: sdk.areRoomsOpen ?? page.areRoomsOpen, sdk }
      },
      reference: snapshot.reference,
    },
    speech,
    audioCapture: tap && captureZoomAudio({ tap, config }, (id) => (roster.isPresent(String(id)) ? String(id) : null)),
    poll(at) {
      speech?.poll(at)
      if (!pictures || config.recordingMode === 'audio_only') return []
      const tiles = readTiles(elements)
      const tileOf = (id: string) => tiles.find(({ userId }) => String(userId) === id) ?? null
      const people = roster.present().people.map(({ id, name }) => ({ id, name, tile: tileOf(id) }))
      return compositeTiles(people, sharedScreen(), pictures, speech?.speaking() ?? new Set())
    },
    begin: roster.begin,
    chat: chat.state,
    // At the end the page shows a dialog with a name over the meeting, which stays in the page.
    isCallOver: () => elements.drawn('namedDialog') !== null,
    calls: {
      startSdk: sdk.start,
      joinMeeting(given) {
        forgetLeaveReason()
        sdk.join(given)
      },
      capture: sdk.capture,
      requestCapture: sdk.requestCapture,
      async sendChat(text) {
        const answer = await sdk.sendChat(text)
        const id = chat.sent(text, answer)
        const own = { senderId: null, senderName: config.botName, text, at: pageNow(), isOwn: true }
        if (id !== null) emit({ type: 'chat_message', message: { id, ...own } })
        return answer
      },
      leaveMeeting: sdk.leave,
    },
  }
}
