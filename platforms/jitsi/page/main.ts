/**
 * Runs at the start of every document of the meeting's tab and answers the driver. It keeps no name in the page and
 * changes nothing of the page's own state, which it only reads.
 */

import { createPageAudioCapture } from '../../shared/page/audio/page-audio-capture.ts'
import { syncPlayout } from '../../shared/page/audio/playout-sync.ts'
import { type Speech, watchSpeech } from '../../shared/page/audio/speech.ts'
import { installWebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { ChatLog } from '../../shared/page/chat/chat-log.ts'
import { createOwnMedia } from '../../shared/page/devices/own-media.ts'
import { installVirtualDevices } from '../../shared/page/devices/virtual-devices.ts'
import { watchCallControl } from '../../shared/page/dom/call-control.ts'
import { createWording } from '../../shared/page/dom/wording.ts'
import { answerDriver, createEventQueue } from '../../shared/page/link.ts'
import { createCameras } from '../../shared/page/people/cameras.ts'
import { Hands } from '../../shared/page/people/hands.ts'
import { createRosterReporter } from '../../shared/page/people/roster-reporter.ts'
import { createComposite } from '../../shared/page/picture/composite.ts'
import { pictureCalls } from '../../shared/page/picture/picture-calls.ts'
import { chatState, readChat } from './chat.ts'
import { createElements } from './elements.ts'
import { createLevelReader, ownerOfReceiver } from './levels.ts'
import { watchMarks } from './marks.ts'
import { createMediaWatch } from './media-watch.ts'
import { compositeTiles, People, type RosterView } from './people.ts'
import { createSnapshotReader } from './snapshot.ts'
import { createMessageReader, readReactions, readStore, type StoreView } from './store.ts'
import { readTiles } from './tiles.ts'
import type { JitsiPageApi, PageConfig } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

/** How often people, chat and pictures are looked at. Milliseconds. */
const POLL_EVERY_MS = 250
/** A receiver may be given to another person; the page hears of that a moment apart from the sound. Pieces of 10 ms. */
const CERTAIN_AFTER = 30

if (window.top === window) start(standinConfig)

function start(config: PageConfig): void {
  const isMeeting = config.meetingHosts.includes(location.hostname)
  const { selectors } = config
  let speech: Speech | null = null
  const queue = createEventQueue((event) => {
    if (event.type !== 'participant_left') return
    speech?.forget(event.participantId)
    hands.forget(event.participantId)
  })
  const elements = createElements(selectors, createWording(config.labels))
  const people = new People()
  const rosterReporter = createRosterReporter(config.botName, queue.tell)
  const chat = new ChatLog()
  const readMessages = createMessageReader()
  const hands = new Hands(queue.tell)
  const cameras = createCameras(queue.tell)
  const reactions = new Set<string>()
  const tap = isMeeting ? installWebRtcTap() : null
  const media = createMediaWatch(() => tap?.connections() ?? [])
  const composite =
    isMeeting && config.recordingMode !== 'audio_only' ? createComposite({ painter: config.painter }) : null
  let roster: RosterView = { people: [], sharing: [], selfIsKnown: false, source: null }
  let store: StoreView | null = null

  const devices = isMeeting ? installVirtualDevices(config) : null

  if (tap) {
    syncPlayout(tap, config)
    const levels = createLevelReader()
    speech = watchSpeech({
      // One track for each person: there are no contributing sources.
      receivers: () => [],
      ownersOfSource: () => [],
      levels: () => {
        const current = readStore()
        const tracks = tap.tracks('audio')
        return levels(tap.audioReceivers(), (receiver) => ownerOfReceiver(receiver, current, tracks))
      },
      tell(changes) {
        // Ours is not told, whatever the page draws around it.
        for (const change of changes)
          if (change.participantId !== store?.selfId) queue.tell({ type: 'speaking', ...change })
      },
    })
    watchMarks(selectors, (id) => speech?.mark(id))
    setInterval(look, POLL_EVERY_MS)
  }
  const audioCapture =
    tap &&
    createPageAudioCapture({
      tap,
      config,
      isMeeting: (tapped) => tapped !== null,
      voices: {
        ownerOf: (receiver, tapped) => ownerOfReceiver(receiver, store, tapped ? [tapped] : []),
        certainAfter: CERTAIN_AFTER,
      },
    })

  function look(): void {
    if (!document.body || !tap) return
    const at = Date.now()
    store = readStore()
    const tiles = readTiles(selectors)
    roster = people.view(store, tiles)
    // What is not known is not told: nobody has left because the page says nothing.
    if (roster.source !== null) rosterReporter.update(roster, at)
    takeChat()
    takeHandsAndReactions()
    const shown = compositeTiles(roster, store, tiles, speech?.speaking() ?? new Set())
    if (queue.hasBegun) cameras.look(shown, at)
    composite?.update(shown)
  }

  function takeChat(): void {
    const at = Date.now()
    for (const line of readChat(selectors, readMessages)) {
      const sender = line.isOwn ? config.botName : line.senderName
      const news = chat.take('channel', { ...line, senderName: sender, at: Math.min(line.at, at) }, at)
      if (news) queue.tell(news)
    }
  }

  function takeHandsAndReactions(): void {
    if (!queue.hasBegun) return
    const at = Date.now()
    for (const person of store?.people ?? []) hands.set(person, person.isHandRaised, at)
    for (const { id, senderId: participantId, senderName: name, emojis, at: sentAt } of readReactions()) {
      if (reactions.has(id)) continue
      reactions.add(id)
      for (const emoji of emojis) queue.tell({ type: 'reaction', participantId, name, emoji, at: Math.min(sentAt, at) })
    }
  }

  const snapshot = createSnapshotReader(config, {
    elements,
    others: () => (roster.source === null ? null : roster.people.length),
    isMediaLost: () => media.isLost(roster.people.length),
  })
  const callControl = watchCallControl(
    () => elements.find('leave'),
    () => store?.isJoined === false,
  )
  const api: JitsiPageApi = {
    ...createOwnMedia(devices),
    report: (acknowledged) => ({
      snapshot: { ...snapshot.read(readStore()), callGoneAt: callControl.goneAt() },
      ...queue.take(acknowledged),
    }),
    element: (name) => elements.find(name),
    reference: (ref) => snapshot.reference(ref),
    begin(at) {
      if (!queue.begin()) return
      callControl.begin()
      // People first, then what they said and did.
      rosterReporter.begin(at)
      look()
      queue.release()
      audioCapture?.begin()
    },
    chat() {
      // The panel may be closed again before the next look.
      takeChat()
      return chatState(selectors, elements.find('chatBox') as HTMLTextAreaElement | null)
    },
    ...pictureCalls(composite, config.recordingMode, look),
  }
  answerDriver(config.channel, api)
}
