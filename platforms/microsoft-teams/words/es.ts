/** Spanish wording, as far as it was observed (docs/platform-notes/microsoft-teams.md#languages). */
import type { TeamsWords } from '../words.ts'

export const SPANISH: TeamsWords = {
  states: { ended_for_all: [/^finalizó la reunión\b/] },
  labels: {
    onWeb: [/^continuar en este explorador$/],
    join: [/^unirse ahora$/],
    leave: [/^salir\b/],
    nobody: [/^(?:usuario desconocido|invitado)$/],
  },
}
