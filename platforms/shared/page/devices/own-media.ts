/** The driver's calls for the media that the bot sends: its voice and its picture. */
import type { PageApi } from '../types.ts'
import type { VirtualDevices } from './virtual-devices.ts'

/** `devices`: null on a page that is not the meeting's. */
export function createOwnMedia(
  devices: VirtualDevices | null,
): Pick<PageApi, 'playSound' | 'clearSound' | 'showImage'> {
  return {
    playSound(pcm, sampleRate) {
      if (!devices) return 0
      const bytes = Uint8Array.from(atob(pcm), (letter) => letter.charCodeAt(0))
      return devices.playPcm(new Int16Array(bytes.buffer, 0, bytes.byteLength >> 1), sampleRate)
    },
    clearSound: () => devices?.clearPlayback(),
    showImage: async (dataUrl) => devices?.setImage(dataUrl),
  }
}
