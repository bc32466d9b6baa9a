/** Runs at the start of every document of the SDK's tab: the same eyes as in the web client, and the SDK's own words. */

import { syncPlayout } from '../../../shared/page/audio/playout-sync.ts'
import { watchSpeech } from '../../../shared/page/audio/speech.ts'
import type { LevelSample } from '../../../shared/page/audio/speech-detector.ts'
import { installWebRtcTap } from '../../../shared/page/audio/webrtc-tap.ts'
import { createOwnMedia } from '../../../shared/page/devices/own-media.ts'
import { installVirtualDevices } from '../../../shared/page/devices/virtual-devices.ts'
import { watchCallControl } from '../../../shared/page/dom/call-control.ts'
import { answerDriver, createEventQueue } from '../../../shared/page/link.ts'
import { createCameras } from '../../../shared/page/people/cameras.ts'
import { Hands } from '../../../shared/page/people/hands.ts'
import { createRosterReporter } from '../../../shared/page/people/roster-reporter.ts'
import { createComposite } from '../../../shared/page/picture/composite.ts'
import { pictureCalls } from '../../../shared/page/picture/picture-calls.ts'
import { captureZoomAudio } from '../../page/audio-capture.ts'
import { createElements } from '../../page/elements.ts'
import { watchPictures } from '../../page/pictures.ts'
import { createSnapshotReader } from '../../page/snapshot.ts'
import { watchSound } from '../../page/sound.ts'
import { MixedSound } from '../../page/sound-owners.ts'
import type { Mark } from '../../page/speakers.ts'
import { compositeTiles, readTiles } from '../../page/tiles.ts'
import { createSdkChat } from './chat.ts'
import { personOf, SdkFactsStore } from './facts.ts'
import { type People, peopleOf } from './people.ts'
import { createSdkPilot } from './sdk.ts'
import type { SdkPageApi, SdkPageConfig } from './types.ts'

const POLL_EVERY_MS = 250
/**
 * The SDK says who speaks, and nothing of silence; so long a word of it counts
 * (docs/platform-notes/zoom.md#sdk-call-limits).
 */
const ACTIVE_MS = 1200
/**
 * The reason of leaving outlives its document here: the SDK goes to another page within a second
 * (docs/platform-notes/zoom.md#leaving-reasons).
 */
const LEFT_KEY = 'left'

export function startSdkPage(config: SdkPageConfig): void {
  const isMeeting = config.meetingHosts.includes(location.hostname)
  const keeper = new SdkFactsStore()
  const queue = createEventQueue((event) => {
    if (event.type !== 'participant_left') return
    speech?.forget(event.participantId)
    hands.forget(event.participantId)
  })
  const elements = createElements(config)
  const rosterReporter = createRosterReporter(config.botName, queue.tell)
  const hands = new Hands(queue.tell)
  const cameras = createCameras(queue.tell)
  const chat = createSdkChat()
  const tap = isMeeting ? installWebRtcTap() : null
  const sound = tap && watchSound(tap)
  // Before the composite, whose own shadow tree is none of the meeting's pictures.
  const pictures = isMeeting ? watchPictures() : null
  const composite =
    isMeeting && config.recordingMode !== 'audio_only' ? createComposite({ painter: config.painter }) : null
  const devices = isMeeting ? installVirtualDevices(config) : null
  /** Every number that the bot had: it gets another one by each rejoin. */
  const ownIds = new Set<number>()
  const active = new Map<string, number>()
  /** The latest word of it, which stands until the next. */
  let marks: Mark[] = []
  const mixed = new MixedSound()
  let present: People = { people: [], sharing: new Set(), hands: new Set() }

  const pilot = createSdkPilot(keeper, {
    people(attendees) {
      if (keeper.ownId !== null) ownIds.add(personOf(keeper.ownId))
      if (!keeper.facts.isAttendee) return
      present = peopleOf(attendees, ownIds)
      tellPeople()
    },
    activeSpeakers(userIds) {
      const now = Date.now()
      const others = userIds.map(personOf).filter((id) => !ownIds.has(id))
      const ids = others.map(String)
      for (const id of ids) active.set(id, now + ACTIVE_MS)
      marks = ids.map((id) => marks.find((mark) => mark.id === id) ?? { id, since: now })
    },
    chat(data) {
      const message = chat.received(data, Date.now(), ownIds)
      if (message) queue.tell({ type: 'chat_message', message })
    },
    left: () => sessionStorage.setItem(LEFT_KEY, JSON.stringify(keeper.facts.left)),
  })
  if (isMeeting && location.pathname.endsWith('/left')) recallLeaving(keeper)

  const speech = tap
    ? watchSpeech({
        // Sources of the client's own loop-back connection name nobody.
        receivers: () => [],
        ownersOfSource: () => [],
        levels: levelsOfPeople,
        emit: (changes) => {
          for (const change of changes) queue.tell({ type: 'speaking', ...change })
        },
      })
    : null
  if (tap) {
    syncPlayout(tap, config)
    setInterval(look, POLL_EVERY_MS)
  }
  const isPresent = (id: string) => present.people.some((person) => person.id === id)
  const audioCapture =
    tap && captureZoomAudio({ tap, config }, (userId) => (isPresent(String(userId)) ? String(userId) : null))

  function levelsOfPeople(): LevelSample[] | null {
    const [only, ...more] = present.people
    const mix = sound?.mix() ?? null
    // With one other person in the meeting whatever is heard is said by that person.
    if (only && more.length === 0) return mix === null ? null : [{ participantIds: [only.id], level: mix }]
    const heard = sound?.people() ?? null
    if (heard !== null) return heard.map(({ userId, level }) => ({ participantIds: [String(userId)], level }))
    const here = marks.filter(({ id }) => isPresent(id))
    return mix === null ? null : mixed.round(mix, here, Date.now())
  }

  function tellPeople(): void {
    if (!queue.hasBegun) return
    const at = Date.now()
    rosterReporter.update({ people: present.people, selfIsKnown: ownIds.size > 0, sharing: present.sharing }, at)
    for (const person of present.people) hands.set(person, present.hands.has(person.id), at)
  }

  function look(): void {
    const now = Date.now()
    for (const [id, until] of active) {
      if (now > until) active.delete(id)
      else if (present.people.some((person) => person.id === id)) speech?.mark(id)
    }
    if (!composite || !pictures || !document.body) return
    const tiles = readTiles(elements)
    const shown = present.people.map(({ id, name }) => ({
      id,
      name,
      tile: tiles.find(({ userId }) => String(userId) === id) ?? null,
    }))
    const seen = compositeTiles(shown, screen(), pictures, speech?.speaking() ?? new Set())
    if (queue.hasBegun) cameras.look(seen, now)
    composite.update(seen)
  }

  function screen() {
    const element = elements.drawn('shareView')
    if (!element) return null
    const [sharerId = null] = present.sharing
    const name = present.people.find(({ id }) => id === sharerId)?.name ?? 'Unknown'
    return { element, sharerId, name }
  }

  const snapshot = createSnapshotReader(config, elements, {
    others: () => (keeper.facts.isAttendee ? present.people.length : null),
    hears: () => true,
    // The SDK's list takes the place of the page's.
    isListDue: () => false,
  })
  const callControl = watchCallControl(
    () => elements.find('leave'),
    // An end is a dialog with a name, over a meeting that stays in the page.
    () => elements.drawn('namedDialog') !== null,
  )
  const api: SdkPageApi = {
    ...createOwnMedia(devices),
    report: (acknowledged) => ({
      snapshot: { ...snapshot.read(), sdk: keeper.facts, callGoneAt: callControl.goneAt() },
      ...queue.take(acknowledged),
    }),
    element: (name) => elements.find(name),
    reference: (ref) => snapshot.reference(ref),
    begin(at) {
      if (!queue.begin()) return
      callControl.begin()
      rosterReporter.begin(at)
      tellPeople()
      queue.release()
      audioCapture?.begin()
    },
    chat: () => chat.state(),
    ...pictureCalls(composite, config.recordingMode, look),
    startSdk: (given) => pilot.start(given),
    joinMeeting(given) {
      sessionStorage.removeItem(LEFT_KEY)
      pilot.join(given)
    },
    capture: (what) => pilot.capture(what),
    requestCapture: () => pilot.requestCapture(),
    async sendChat(text) {
      const answer = await pilot.sendChat(text)
      const own = chat.sent(text, answer)
      const at = Date.now()
      if (own) {
        const message = { id: own, senderId: null, senderName: config.botName, text, at, isOwn: true }
        queue.tell({ type: 'chat_message', message })
      }
      return answer
    },
    leaveMeeting: () => pilot.leave(),
  }
  answerDriver(config.channel, api)
}

function recallLeaving(keeper: SdkFactsStore): void {
  try {
    const kept = sessionStorage.getItem(LEFT_KEY)
    if (kept !== null) keeper.tookUserLeave(JSON.parse(kept))
  } catch {
    // Another page's storage, or none.
  }
}
