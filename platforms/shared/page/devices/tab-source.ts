/**
 * Tabs of this browser as the bot's camera, shared screen and voice, by the browser's own capture of tabs. Which tab it is
 * decides the browser, by a mark in the tab's title (`BrowserOptions.tabMark`).
 */
import type { PageTarget } from '@standin/wire/bot-fields.ts'
import { createMixCarrier, isSilent } from '../audio/page-audio-capture.ts'
import { createSoundMixer } from '../audio/sound-mixer.ts'
import { type Heard, READ_RATE, readTrack } from '../audio/track-reader.ts'
import { wrapMethod } from '../dom/patch-native.ts'
import type { CommonConfig, PageApi } from '../types.ts'
import type { VirtualDevices } from './virtual-devices.ts'

/** Missing in TypeScript's library. */
declare const MediaStreamTrackProcessor: new (options: {
  track: MediaStreamTrack
  maxBufferSize: number
}) => { readable: ReadableStream<VideoFrame> }

/** The page's picture, as a camera's. */
const PICTURE = { width: 1280, height: 720, frameRate: { ideal: 25, max: 30 } }
/** The browser must not play the tab too: the recorder would capture it as the meeting's sound. */
const SOUND = {
  suppressLocalAudioPlayback: true,
  echoCancellation: false,
  noiseSuppression: false,
  autoGainControl: false,
}
/** A shorter silence is a breath. Milliseconds. */
const SILENT_AFTER_MS = 500

interface Tab {
  stream: MediaStream
  /** While it is shown. */
  shown: { target: PageTarget; hide(): void } | null
}

export function createTabSource(
  devices: Pick<VirtualDevices, 'showFrames' | 'mixIn' | 'openScreen' | 'sharesScreen' | 'endScreen'> | null,
  { carry }: Pick<CommonConfig, 'carry'>,
): Pick<PageApi, 'captureTab' | 'showTab' | 'releaseTab' | 'offerScreen' | 'sharesScreen'> {
  const tabs = new Map<number, Tab>()
  // Two pages at a time are heard together.
  const sounds = carry && createSoundMixer<Tab>(audibleParts(createMixCarrier('p', READ_RATE, carry)))
  const displays = globalThis.MediaDevices?.prototype
  // The page may have replaced it by the time it is needed.
  const capture = displays?.getDisplayMedia
  let isOffered = false
  if (devices && displays) {
    wrapMethod(displays, 'getDisplayMedia', async () => {
      const isShown = [...tabs.values()].some(({ shown }) => shown?.target === 'screen')
      // As if a person had closed the browser's choice, which waits for ever where there is no person.
      if (!isOffered || !isShown) throw new DOMException('Permission denied', 'NotAllowedError')
      isOffered = false
      return new MediaStream([devices.openScreen()])
    })
  }

  function show(tab: Tab, target: PageTarget): () => void {
    const { stream } = tab
    const frames = devices!.showFrames(target)
    const [picture] = stream.getVideoTracks()
    const [sound] = stream.getAudioTracks()
    const stopPicture = picture && readFrames(picture, frames.draw)
    const separate = sound && devices!.mixIn(sound)
    const stopSound = sound && sounds && readTrack(sound, (heard) => sounds.add(tab, heard))
    return () => {
      stopPicture?.()
      stopSound?.()
      sounds?.remove(tab)
      separate?.()
      frames.end()
    }
  }

  function release(id: number): void {
    const tab = tabs.get(id)
    tabs.delete(id)
    tab?.shown?.hide()
    for (const track of tab?.stream.getTracks() ?? []) track.stop()
  }

  return {
    async captureTab(id) {
      if (!devices || !capture) return 'this page has no devices'
      const asked = { video: PICTURE, audio: SOUND, selfBrowserSurface: 'exclude', surfaceSwitching: 'exclude' }
      try {
        const stream = await capture.call(navigator.mediaDevices, asked as DisplayMediaStreamOptions)
        tabs.set(id, { stream, shown: null })
        return ''
      } catch (error) {
        return String(error)
      }
    },
    showTab(id, target) {
      const tab = tabs.get(id)
      if (tab) tab.shown ??= { target, hide: show(tab, target) }
      for (const [other, { shown }] of tabs) if (other !== id && (shown?.target ?? target) === target) release(other)
    },
    releaseTab(id) {
      const target = tabs.get(id)?.shown?.target
      release(id)
      if (target === 'screen') devices?.endScreen()
    },
    offerScreen(isOn) {
      isOffered = isOn
    },
    sharesScreen: () => devices?.sharesScreen() ?? false,
  }
}

/** Until the returned function is called. The listener closes each frame. */
function readFrames(track: MediaStreamTrack, listener: (frame: VideoFrame) => Promise<void>): () => void {
  // Where the machine cannot keep up, the newest is shown.
  const reader = new MediaStreamTrackProcessor({ track, maxBufferSize: 1 }).readable.getReader()
  let isOver = false
  async function read(): Promise<void> {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      if (isOver) return value.close()
      await listener(value)
    }
  }
  read().catch((error) => console.warn('The picture of a tab cannot be read any more', error))
  return () => {
    isOver = true
    reader.cancel().catch(() => {})
  }
}

/** Leaves longer silence out. */
function audibleParts(listener: (heard: Heard) => void): (heard: Heard) => void {
  let audibleAt = Number.NEGATIVE_INFINITY
  return (heard) => {
    if (!isSilent(heard)) audibleAt = heard.at
    if (heard.at - audibleAt < SILENT_AFTER_MS) listener(heard)
  }
}
