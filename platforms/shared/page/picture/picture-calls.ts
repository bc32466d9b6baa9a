import type { RecordingMode } from '@standin/wire/codes.ts'
import type { PageApi } from '../types.ts'
import type { Composite } from './composite.ts'

type PictureCalls = Pick<
  PageApi,
  'openFrames' | 'closeFrames' | 'framesFault' | 'paintAhead' | 'showComposite' | 'setDegradationStep' | 'compositePng'
>

/** The driver's calls about the recorded picture. `look` gives the composite the present state of the page. */
export function pictureCalls(composite: Composite | null, mode: RecordingMode, look: () => void): PictureCalls {
  return {
    openFrames: async (painter, size) => (await composite?.openFrames(painter, size)) ?? null,
    closeFrames: () => composite?.closeFrames(),
    framesFault: () => composite?.fault ?? null,
    async paintAhead() {
      if (!composite || mode === 'audio_only') return
      look()
      composite.paintAhead(mode)
      await composite.painted()
    },
    async showComposite() {
      if (!composite || mode === 'audio_only') return
      look()
      composite.show(mode)
      await composite.painted()
    },
    setDegradationStep: (step) => composite?.setStep(step),
    compositePng: async () => (await composite?.png()) ?? null,
  }
}
