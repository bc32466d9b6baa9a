/** Captions as the page shows them. Their rows have initials and no names, so no participant is named. */
import { CaptionRows } from '../../shared/page/chat/caption-rows.ts'
import type { PageEvent } from '../../shared/page/types.ts'
import type { Elements } from './elements.ts'

export interface CaptionEvents {
  read(at: number): void
}

export function createCaptionEvents({ all }: Pick<Elements, 'all'>, emit: (event: PageEvent) => void): CaptionEvents {
  const rows = new CaptionRows((row) => {
    emit({ type: 'caption', participantId: null, ...row })
  })
  return {
    read(at) {
      const shown = all('captionText').map((element) => ({ element, name: '', text: element.textContent ?? '' }))
      rows.update(shown, at)
    },
  }
}
