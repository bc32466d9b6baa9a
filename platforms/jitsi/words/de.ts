import type { PartialJitsiWords } from '../words.ts'

export const GERMAN: PartialJitsiWords = {
  states: {
    removed: [/\bhat sie aus dem meeting geworfen\b/],
    reconnecting: [/^ihre verbindung ist getrennt worden\b/],
    reloading: [/^leider ist etwas schiefgegangen\b/],
  },
  dialogs: { password: [/^passwort erforderlich\b/] },
  labels: {
    microphoneOn: [/^mikrofon deaktivieren$/],
    microphoneOff: [/^stummschaltung aufheben$/],
    cameraOn: [/^kamera stoppen$/],
    cameraOff: [/^kamera einschalten$/],
    leave: [/^konferenz verlassen$/],
    leaveOnly: [/^konferenz verlassen$/],
    openChat: [/^chat öffnen$/, /^chatfenster öffnen \/ schließen$/],
    closeChat: [/^chat schließen$/, /^chatfenster öffnen \/ schließen$/],
    launchWeb: [/^im web öffnen$/],
  },
}
