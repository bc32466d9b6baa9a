/**
 * Sets the client's preferences so that it receives no video, and has none to decode. It keeps that as "receive
 * resolution" among its preferences: a message as nested arrays, as JSON inside of JSON
 * (docs/platform-notes/google-meet.md#layout-and-incoming-video).
 */
const KEY = 'meet-preferences'
const VIDEO = 8
const RECEIVE_RESOLUTION = 5
const AUDIO_ONLY = 1

/**
 * To be called before the page's own scripts run. The other preferences of a signed-in account stay. Throws if the
 * page has no storage.
 */
export function receiveNoVideo(storage: Pick<Storage, 'getItem' | 'setItem'>): void {
  const preferences = messageIn(storage.getItem(KEY))
  const video = listOf(preferences[VIDEO])
  video[RECEIVE_RESOLUTION] = AUDIO_ONLY
  preferences[VIDEO] = video
  // Array elements that are left out become null.
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
