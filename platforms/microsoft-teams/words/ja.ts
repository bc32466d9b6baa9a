/**
 * Japanese wording, as far as it was observed: one badge behind names
 * (docs/platform-notes/microsoft-teams.md#languages).
 */
import type { TeamsWords } from '../words.ts'

export const JAPANESE: TeamsWords = {
  labels: { guest: [/^外部$/] },
}
