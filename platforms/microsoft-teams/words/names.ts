/**
 * Badges and stand-ins for names in languages of which nothing else is known
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
