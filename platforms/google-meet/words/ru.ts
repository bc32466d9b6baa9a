/** Russian wording of the page, as far as it was observed. */
import type { OtherWords } from '../words.ts'

export const RUSSIAN: OtherWords = {
  labels: {
    join: [/^присоединиться$/],
    cameraOn: [/^выключить камеру/],
    cameraOff: [/^включить камеру/],
  },
}
