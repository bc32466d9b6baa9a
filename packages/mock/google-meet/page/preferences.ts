/**
 * The settings that the real page stores for a person: JSON inside of JSON in the local storage
 * (docs/platform-notes/google-meet.md#layout-and-incoming-video).
 */

/** Whether the person turned off all incoming video. */
export function wantsAudioOnly(): boolean {
  try {
    const preferences: unknown = JSON.parse(JSON.parse(localStorage.getItem('meet-preferences') ?? '"[]"'))
    return (preferences as unknown[][])[8]?.[5] === 1
  } catch {
    return false // Settings of an older version can look like this.
  }
}
