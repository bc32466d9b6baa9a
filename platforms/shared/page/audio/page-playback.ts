/**
 * Watches what plays the meeting's sound in the page, to set it going again. Nodes of the page are not touched: a further
 * output of an AudioWorkletNode of Google Meet ends the renderer.
 */
import { wrapConstructor, wrapMethod } from '../dom/patch-native.ts'

export type PlaybackFault = 'stopped' | 'muted'

/** Elements of ours, which rest where the page plays the same sound. */
export const ownPlayers = new WeakSet<HTMLMediaElement>()

/**
 * To be called at document start. Returns a function that resumes every AudioContext and every element that the page had
 * playing and that is paused or muted now; it resolves with what was put right.
 */
export function watchPlayback(): () => Promise<PlaybackFault[]> {
  let contexts: AudioContext[] = []
  let played: HTMLMediaElement[] = []

  wrapConstructor<AudioContext>(globalThis, 'AudioContext', (context) => {
    contexts.push(context)
  })
  wrapMethod(HTMLMediaElement.prototype, 'play', (native, self, given) => {
    const element = self as HTMLMediaElement
    if (!element.muted && !ownPlayers.has(element) && !played.includes(element)) played.push(element)
    return native(...given)
  })

  return async () => {
    contexts = contexts.filter(({ state }) => state !== 'closed')
    played = played.filter(hasLiveSound)
    const asleep = contexts.filter(({ state }) => state !== 'running')
    const still = played.filter(({ paused }) => paused)
    const muted = played.filter((element) => element.muted || element.volume === 0)
    for (const element of muted) Object.assign(element, { muted: false, volume: 1 })
    await Promise.allSettled([...asleep.map((context) => context.resume()), ...still.map((element) => element.play())])
    const isAwake = asleep.some(({ state }) => state === 'running') || still.some(({ paused }) => !paused)
    return [...(isAwake ? ['stopped' as const] : []), ...(muted.length > 0 ? ['muted' as const] : [])]
  }
}

function hasLiveSound({ srcObject }: HTMLMediaElement): boolean {
  return srcObject instanceof MediaStream && srcObject.getAudioTracks().some(({ readyState }) => readyState === 'live')
}
