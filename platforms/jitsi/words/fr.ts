import type { PartialJitsiWords } from '../words.ts'

export const FRENCH: PartialJitsiWords = {
  labels: {
    microphoneOn: [/^couper votre micro$/],
    microphoneOff: [/^activer votre micro$/],
    cameraOn: [/^couper votre vidéo$/],
    cameraOff: [/^activer votre vidéo$/],
    leave: [/^quitter la conversation$/, /^quitter$/],
    leaveOnly: [/^quitter la réunion$/],
    openChat: [/^ouvrir le chat$/, /^afficher \/ masquer la discussion instantanée$/],
    closeChat: [
      /^fermer la discussion instantanée$/,
      /^fermer le chat$/,
      /^afficher \/ masquer la discussion instantanée$/,
    ],
  },
}
