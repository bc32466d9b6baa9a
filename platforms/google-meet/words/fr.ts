/** French wording of the page, as far as it was observed. */
import type { OtherWords } from '../words.ts'

export const FRENCH: OtherWords = {
  labels: {
    join: [/^participer$/],
    captions: [/^sous-titres$/],
  },
}
