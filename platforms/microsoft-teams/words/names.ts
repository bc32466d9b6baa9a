/**
 * Badges and placeholders of names in languages of which only these words are known
 * (docs/platform-notes/microsoft-teams.md#languages).
 */
import type { TeamsWords } from '../words.ts'

export const MORE_NAMES: TeamsWords = {
  labels: {
    guest: [/^(?:invite|gość|гость)$/],
    nobody: [
      /^(?:utente sconosciuto|ospite)$/,
      /^onbekende gebruiker$/,
      /^okänd användare$/,
      /^nieznany użytkownik$/,
      /^(?:неизвестный пользователь|гость|участник)$/,
      /^(?:bilinmeyen kullanıcı|misafir)$/,
    ],
  },
}
