/** French wording, as far as it was observed (docs/platform-notes/microsoft-teams.md#people-pane and #languages). */
import type { TeamsWords } from '../words.ts'

export const FRENCH: TeamsWords = {
  states: {
    removed: [/^vous avez été supprimé de cette réunion\b/],
    denied: [/^désolé, mais vous avez été refusé/],
    ended_for_all: [/^réunion terminée\b/],
    lobby: [/^quelqu'un vous laissera bientôt entrer\b/, /^vous êtes dans la salle d'attente\b/],
  },
  labels: {
    onWeb: [/^(?:continuer|poursuivre) sur ce navigateur$/, /^rejoindre la réunion à partir de ce navigateur$/],
    join: [/^rejoindre maintenant$/],
    yourName: [/^(?:tapez|entrez) votre nom\b/],
    withoutDevices: [/^(?:poursuivre|continuer) sans audio ni vidéo$/],
    leave: [/^quitter\b/],
    chatBox: [/^(?:écrivez|tapez) un message\b/],
    guest: [/^invité$/],
    nobody: [/^(?:utilisateur inconnu|invité)$/],
  },
}
