/** Polish wording of the page, as far as it was seen. */
import type { OtherWords } from '../words.ts'

export const POLISH: OtherWords = {
  labels: {
    people: [/^(?:osoby|uczestnicy)\b/],
  },
}
