/** Polish wording of the page, as far as it was observed. */
import type { OtherWords } from '../words.ts'

export const POLISH: OtherWords = {
  labels: {
    people: [/^(?:osoby|uczestnicy)\b/],
  },
}
