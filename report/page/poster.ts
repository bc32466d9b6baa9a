/** Until it plays, the player shows the first speaker instead of a black picture. */
import type { ReportData } from './data.ts'

/** A tile changes and a mark appears some moments after the first word. Seconds. */
const INTO_TURN = 1

/** The place in the recording whose picture stands for it. Seconds. Pure. */
export function posterAt({ turns, seconds }: Pick<ReportData, 'turns' | 'seconds'>): number {
  const [first] = [...turns].sort((one, other) => one.from - other.from)
  if (!first) return seconds / 2
  return Math.max(0, Math.min(first.from + Math.min(INTO_TURN, (first.to - first.from) / 2), seconds))
}

export interface Poster {
  /** The player only shows its poster; it will play from the beginning. */
  readonly isShown: boolean
  /** The viewer has chosen a position. */
  end(): void
}

export function showPoster(player: HTMLVideoElement, at: number): Poster {
  let isShown = true
  const end = () => {
    isShown = false
  }
  const show = () => {
    if (isShown) player.currentTime = at
  }
  if (player.readyState >= HTMLMediaElement.HAVE_METADATA) show()
  else player.addEventListener('loadedmetadata', show, { once: true })
  // A place that is chosen with the player's own controls.
  player.addEventListener('seeking', () => {
    if (Math.abs(player.currentTime - at) > 0.05) end()
  })
  player.addEventListener('play', () => {
    if (!isShown) return
    end()
    player.currentTime = 0
  })
  return {
    get isShown() {
      return isShown
    },
    end,
  }
}
