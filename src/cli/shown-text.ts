import { messageOf } from '@standin/wire/text/error-text.ts'

/** Why a file that the command line names cannot be read, in the words of the person who typed it. */
export function fileProblem(error: unknown, path: string): string {
  const sentences: Record<string, string> = {
    ENOENT: 'there is no file or folder',
    EACCES: 'you may not read',
    EISDIR: 'this is a folder:',
    ENOTDIR: 'this is no folder:',
  }
  const sentence = sentences[String((error as NodeJS.ErrnoException).code)]
  return sentence === undefined ? messageOf(error) : `${sentence} ${shownText(path, 300)}`
}

/** Makes foreign text (names, chat, page texts) fit for a terminal: no control characters, no escape sequences. */
export function shownText(text: string, maxLength = 200): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
  const characters = [...plain]
  return characters.length <= maxLength ? plain : `${characters.slice(0, maxLength - 1).join('')}…`
}

export function shownDuration(seconds: number): string {
  const whole = Math.floor(seconds)
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, '0'))
  const hours = Math.floor(whole / 3600)
  return hours > 0 ? `${hours}:${parts.join(':')}` : parts.join(':')
}
