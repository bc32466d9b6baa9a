/** Where the files of bots lie in the store. A bot names its files only; their keys are derived from what the service knows. */

/** The attempt number of files that the service joined. Numbers of real attempts count from 1. */
export const JOINED = 0

/** Of the files of one attempt, with `/` at its end. The worker makes the inner folder. */
export const attemptFolder = (botId: string, attempt: number) => `${botId}/${attempt}/${botId}/`

/** The key of a stored file. Joined files may lie in the folder of an attempt, so the service wrote down where. */
export function fileKey(file: { bot_id: string; attempt: number; name: string; location: string }): string {
  const { bot_id: botId, attempt, name, location } = file
  if (attempt !== JOINED) return attemptFolder(botId, attempt) + name
  const start = location.indexOf(`${botId}/`)
  return start < 0 ? attemptFolder(botId, attempt) + name : location.slice(start)
}
