/**
 * Pure rules that decide which person is on which stream, because a meeting has more people than the page has streams.
 * A person who is already placed does not move without need.
 */

export interface VideoSource {
  personId: string
  kind: 'camera' | 'screen'
}

/** How many CSRCs fit into an RTP header. */
const MAX_CSRCS = 15

const same = (a: VideoSource, b: VideoSource) => a.personId === b.personId && a.kind === b.kind

/** Places the sources on the slots; shared screens come first and may take a camera's slot. */
export function placeVideo(
  slots: readonly (VideoSource | null)[],
  sources: readonly VideoSource[],
): (VideoSource | null)[] {
  const placed = slots.map((slot) => sources.find((source) => slot !== null && same(slot, source)) ?? null)
  const waiting = sources.filter((source) => !placed.some((slot) => slot !== null && same(slot, source)))
  for (const source of [...waiting].sort((a, b) => Number(b.kind === 'screen') - Number(a.kind === 'screen'))) {
    const free = placed.indexOf(null)
    if (free !== -1) placed[free] = source
    else if (source.kind === 'screen') {
      const camera = placed.findLastIndex((slot) => slot?.kind === 'camera')
      if (camera !== -1) placed[camera] = source
    }
  }
  return placed
}

/**
 * Places the speakers, in the order in which they began. With several streams each carries one voice; a single stream
 * carries the mix of all.
 */
export function placeVoices(slots: readonly (readonly string[])[], speakers: readonly string[]): string[][] {
  if (slots.length === 1) return [speakers.slice(0, MAX_CSRCS)]
  const placed = slots.map((slot) => slot.filter((id) => speakers.includes(id)).slice(0, 1))
  for (const id of speakers) {
    if (placed.some((slot) => slot.includes(id))) continue
    const free = placed.findIndex((slot) => slot.length === 0)
    if (free === -1) break
    placed[free] = [id]
  }
  return placed
}
