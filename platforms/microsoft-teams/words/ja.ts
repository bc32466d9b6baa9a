/** Japanese wording, as far as somebody saw it: one badge behind names (field notes 8). */
import type { TeamsWords } from '../words.ts'

export const JAPANESE: TeamsWords = {
  labels: { guest: [/^外部$/] },
}
