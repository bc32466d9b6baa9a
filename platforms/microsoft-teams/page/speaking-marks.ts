/**
 * The page's marks of a speaking participant. There are several, they change from build to build, and one alone failed
 * for a whole meeting (docs/platform-notes/microsoft-teams.md#signs-of-speech). So all are read, and a mark that never
 * goes out is ignored.
 */
import type { SeenTile } from './tiles.ts'

type Mark = 'class' | 'attribute' | 'before' | 'after' | 'ring' | 'label'

export function createMarkReader(says: (label: string, text: string) => boolean) {
  /** Marks that were off on some tile: only a mark that can be off is a sign when it is on. */
  const telling = new Set<Mark>()
  return {
    /** The tiles that are marked now. */
    read(tiles: readonly SeenTile[]): SeenTile[] {
      return tiles.filter((tile) => {
        if (tile.isScreen || tile.isSelf) return false
        const marks = marksOf(tile, says)
        for (const [mark, isOn] of marks) if (!isOn) telling.add(mark)
        return marks.some(([mark, isOn]) => isOn && telling.has(mark))
      })
    },
  }
}

function marksOf({ outline, label }: SeenTile, says: (label: string, text: string) => boolean): [Mark, boolean][] {
  const spoken: [Mark, boolean][] = [['label', says('speaking', label)]]
  if (!outline) return spoken
  const after = getComputedStyle(outline, '::after')
  const isRing = outline.getAttribute('data-tid') === 'participant-speaker-ring'
  return [
    ...spoken,
    ['class', outline.classList.contains('vdi-frame-occlusion')],
    ['attribute', outline.getAttribute('data-is-speaking') === 'true'],
    ['before', isBlueFrame(getComputedStyle(outline, '::before'))],
    ['after', after.content !== 'none' && Number(after.opacity) > 0],
    ...(isRing ? ([['ring', getComputedStyle(outline).opacity === '1']] as [Mark, boolean][]) : []),
  ]
}

function isBlueFrame({ content, opacity, borderTopColor, borderTopWidth }: CSSStyleDeclaration): boolean {
  if (content === 'none' || Number(opacity) < 0.5 || Number.parseFloat(borderTopWidth) === 0) return false
  const [red = 0, green = 0, blue = 0] = (borderTopColor.match(/[\d.]+/g) ?? []).map(Number)
  return blue > 180 && blue > red + 40 && blue > green + 40
}

/** Calls `moved` for every outline that moves by its own style: a meter without any of the marks. */
export function watchMotion(outline: string, moved: (outline: Element) => void): void {
  const observer = new MutationObserver((mutations) => {
    const elements = mutations.flatMap(({ target, oldValue }) =>
      target instanceof Element && target.matches(outline) && oldValue !== target.getAttribute('style') ? [target] : [],
    )
    for (const element of new Set(elements)) moved(element)
  })
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['style'], attributeOldValue: true })
}
