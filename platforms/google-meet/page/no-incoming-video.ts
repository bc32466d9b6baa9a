/**
 * Tells the client that nobody is to be seen, so that no pictures are sent to it, nor decoded. It keeps that as "receive
 * resolution" among its preferences: a message as nested arrays, as JSON inside of JSON
 * (docs/platform-notes/google-meet.md#layout-and-incoming-video).
 */
const KEY = 'meet-preferences'
const VIDEO = 8
const RECEIVE_RESOLUTION = 5
const AUDIO_ONLY = 1

/** To be called before the page's own scripts run. What else a signed-in account prefers stays. Throws where nothing can be kept. */
export function receiveNoVideo(storage: Pick<Storage, 'getItem' | 'setItem'>): void {
  const preferences = messageIn(storage.getItem(KEY))
  const video = listOf(preferences[VIDEO])
  video[RECEIVE_RESOLUTION] = AUDIO_ONLY
  preferences[VIDEO] = video
  // What is left out becomes null.
  storage.setItem(KEY, JSON.stringify(JSON.stringify(preferences)))
}

function messageIn(stored: string | null): unknown[] {
  try {
    return listOf(JSON.parse(JSON.parse(stored ?? '""') as string))
  } catch {
    return []
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? [...value] : []
}
