/** Spanish wording of the page, as far as it was observed. */
import type { OtherWords } from '../words.ts'

export const SPANISH: OtherWords = {
  labels: {
    join: [/^unirse$/],
    you: [/^tú$/],
    chat: [/^chatear con todos\b/],
    chatBox: [/^enviar un mensaje\b/],
  },
}
