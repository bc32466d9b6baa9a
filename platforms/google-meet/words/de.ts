/** German wording of the page, as far as it was observed. */
import type { OtherWords } from '../words.ts'

export const GERMAN: OtherWords = {
  states: {
    request_timed_out: [/^niemand hat auf ihre teilnahmeanfrage geantwortet/],
    lobby: [/^bitte warten sie, bis sie vom organisator/, /^teilnahmeanfrage wird/],
    left: [/^sie haben die videokonferenz verlassen/],
  },
  labels: {
    join: [/^teilnahme erbitten$/, /^jetzt teilnehmen$/, /^trotzdem teilnehmen$/],
    leave: [/^anruf verlassen$/],
    people: [/^personen\b/],
    withoutDevices: [/^ohne mikrofon und kamera fortfahren$/],
    microphoneOn: [/^mikrofon ausschalten\b/],
    microphoneOff: [/^mikrofon einschalten\b/],
    microphoneProblem: [/^mikrofonproblem\b/],
    cameraOn: [/^kamera ausschalten\b/],
    cameraOff: [/^kamera einschalten\b/],
    cameraProblem: [/^kameraproblem\b/],
  },
}
