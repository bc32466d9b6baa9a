/** Portuguese wording of the page, as far as it was observed. */
import type { OtherWords } from '../words.ts'

export const PORTUGUESE: OtherWords = {
  labels: {
    join: [/^participar agora$/],
    leave: [/^sair da chamada$/],
    people: [/^participantes\b/],
    you: [/^você$/],
  },
}
