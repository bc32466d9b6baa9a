/** Portuguese wording, as far as it was observed (docs/platform-notes/microsoft-teams.md#languages). */
import type { TeamsWords } from '../words.ts'

export const PORTUGUESE: TeamsWords = {
  states: { ended_for_all: [/^a reunião terminou\b/], left: [/^você saiu da reunião\b/] },
  labels: {
    onWeb: [/^continuar neste navegador$/],
    join: [/^ingressar agora$/],
    leave: [/^sair\b/],
    rejoin: [/^reingressar\b/],
    nobody: [/^(?:usuário desconhecido|convidado)$/],
  },
}
