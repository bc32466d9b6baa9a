/**
 * Runs at the start of every document of the meeting's tab, and of the frame in which the app's shell shows the meeting.
 * It keeps no name in the page.
 */

import { pageNow } from '../../shared/page/page-clock.ts'
import { createRosterReporter } from '../../shared/page/people/roster-reporter.ts'
import { type PlatformPage, type SharedPage, startPage } from '../../shared/page/start-page.ts'
import { captureZoomAudio } from './audio-capture.ts'
import { createCaptionEvents } from './caption-events.ts'
import { createChat } from './chat.ts'
import { createElements } from './elements.ts'
import { readMarks } from './marks.ts'
import { createPeoplePanel } from './people-panel.ts'
import { watchPictures } from './pictures.ts'
import { Roster } from './roster.ts'
import { createScreenReader } from './shared-screen.ts'
import { createSnapshotReader } from './snapshot.ts'
import { watchSound } from './sound.ts'
import { watchZoomSpeech } from './speech.ts'
import { compositeTiles, readTiles } from './tiles.ts'
import type { PageConfig, ZoomPageApi } from './types.ts'
import { fillWindow, isClientFrame } from './web-client-frame.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

if (window.top === window || isClientFrame()) startPage(standinConfig, createZoomPage)

function createZoomPage(page: SharedPage<PageConfig>): PlatformPage<ZoomPageApi> {
  const { config, tap, devices, queue, emit, emitSpeech } = page
  const sound = tap && watchSound(tap)
  const pictures = tap && watchPictures()
  const elements = createElements(config)
  const { peopleCount } = elements
  /** People whom the driver knows. Only they can speak. */
  const reported = new Set<string>()
  const roster = new Roster(config.botName, `${Date.now().toString(36)}-`)
  const rosterReporter = createRosterReporter(config.botName, emit)
  const panel = createPeoplePanel(elements)
  const chat = createChat({ config, elements, roster, queue, emit })
  const captions = createCaptionEvents(elements, roster, emit)
  const screens = createScreenReader(elements, roster, emit)
  const isReported = (id: string) => reported.has(id)
  const speech = sound && watchZoomSpeech({ sound, roster, peopleCount, isReported, emit: emitSpeech })
  const snapshot = createSnapshotReader(config, elements, {
    others(count) {
      if (count) return count - 1
      const present = roster.present().length
      // A person who is seen is surely there. A person who is not seen may be there too.
      return present > 0 ? present : null
    },
    hears: () => (sound?.mix() ?? null) !== null,
    isListDue: () => roster.isListDue(peopleCount(), pageNow()),
  })

  return {
    elements,
    snapshot,
    speech,
    // The participants list has no stream numbers; some are found out while people speak.
    audioCapture: tap && captureZoomAudio({ tap, config }, (userId) => roster.ofUser(userId)?.id ?? null),
    poll(at) {
      const count = peopleCount()
      const list = panel.poll(count)
      if (list) roster.takeList(list, count, at)
      const tiles = readTiles(elements)
      const owners = roster.takeTiles(tiles, count, at)
      const screen = screens.read()
      if (queue.hasBegun) {
        const people = roster.present().map(({ id, name, isHost }) => ({ id, name, isHost }))
        screens.reportUnknownOwner(screen, at)
        const sharing = screen?.sharerId ? [screen.sharerId] : []
        rosterReporter.update({ people, selfIsKnown: roster.selfIsKnown(count), sharing }, at)
        speech?.update(readMarks(elements, roster, tiles, owners), at)
      }
      chat.read(at)
      if (config.captions) captions.read(at)
      const tileOf = (id: string) => tiles[owners.findIndex((owner) => owner?.id === id)] ?? null
      const people = roster.present().map(({ id, name }) => ({ id, name, tile: tileOf(id) }))
      return pictures ? compositeTiles(people, screen, pictures, speech?.speaking() ?? new Set()) : []
    },
    begin(at) {
      rosterReporter.begin(at)
      page.poll()
    },
    chat: chat.state,
    onEvent(event) {
      if (event.type === 'participant_joined') reported.add(event.participant.id)
      if (event.type === 'participant_left') reported.delete(event.participantId)
    },
    isCallOver: elements.isCallOver,
    preparePicture: fillWindow,
    calls: {
      setDevicesPresent: (arePresent) => devices?.setPresent(arePresent),
      holds: (name, text) => (elements.find(name) as HTMLInputElement | null)?.value === text,
      progress() {
        const { body } = document
        const content = [body?.querySelectorAll('*').length, body?.textContent?.length]
        return [location.href, document.readyState, ...content].join()
      },
    },
  }
}
