/** The videos of a page that nobody sees: a sound-only bot has no screen, yet its browser would paint every frame. */
import type { Frame } from 'playwright'

/** Shows them again, for a screenshot. */
export const SEEN_VIDEOS = 'html video { opacity: 1 !important }'

/**
 * Makes the videos transparent. The browser does not paint what is transparent (a tenth of a core less with four cameras,
 * docs/benchmarks.md), while for the page, and for our own looks at it, they stay in place and go on playing. Rejects
 * where the frame is gone.
 */
export async function leaveVideosUnpainted(frame: Frame): Promise<void> {
  await frame.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('video { opacity: 0 !important }')
    document.adoptedStyleSheets.push(sheet)
  })
}
