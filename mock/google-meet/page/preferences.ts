/**
 * What the real page keeps of a person's settings: JSON inside of JSON in the local storage
 * (docs/platform-notes/google-meet.md#layout-and-incoming-video).
 */

/** Whether the person wants to see nobody. */
export function wantsAudioOnly(): boolean {
  try {
    const preferences: unknown = JSON.parse(JSON.parse(localStorage.getItem('meet-preferences') ?? '"[]"'))
    return (preferences as unknown[][])[8]?.[5] === 1
  } catch {
    return false // As with settings of an older version.
  }
}
