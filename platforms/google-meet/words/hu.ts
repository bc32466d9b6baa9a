/** Hungarian wording of the page, as far as it was observed. */
import type { OtherWords } from '../words.ts'

export const HUNGARIAN: OtherWords = {
  labels: {
    join: [/^kérvényezés a csatlakozásra$/],
    yourName: [/^a neved$/],
    microphoneOn: [/^mikrofon kikapcsolása/],
    microphoneOff: [/^mikrofon bekapcsolása/],
    cameraOn: [/^kamera kikapcsolása/],
    cameraOff: [/^kamera bekapcsolása/],
  },
}
