/** Reports once each participant whose camera is seen: a participant with a camera is a person, with any name. */
import type { CompositeTile } from '../picture/composite.ts'
import type { PageEvent } from '../types.ts'

export function createCameras(emit: (event: PageEvent) => void) {
  const reported = new Set<string>()
  return {
    update(tiles: readonly CompositeTile[], at: number): void {
      for (const { id: participantId, stream, isScreen } of tiles) {
        if (isScreen || stream === null || reported.has(participantId)) continue
        reported.add(participantId)
        emit({ type: 'camera', participantId, at })
      }
    },
  }
}
