/** German wording, as far as it was observed (docs/platform-notes/microsoft-teams.md#languages). */
import type { TeamsWords } from '../words.ts'

export const GERMAN: TeamsWords = {
  states: {
    removed: [/^(?:sie wurden|du wurdest) entfernt\b/],
    ended_for_all: [/^die besprechung wurde beendet\b/, /^anruf beendet\b/],
    alone: [/^sie sind der einzige\b/, /^warten auf andere\b/],
  },
  labels: {
    onWeb: [/^in diesem browser fortfahren$/],
    join: [/^jetzt teilnehmen$/],
    withoutDevices: [/^ohne audio oder video fortfahren$/],
    leave: [/^verlassen\b/],
    rejoin: [/^erneut beitreten\b/],
    guest: [/^(?:gast|extern)$/],
    nobody: [/^(?:unbekannter (?:benutzer|teilnehmer)|gast)$/],
  },
}
