/**
 * Hides the videos of a page from painting: a sound-only bot has no screen, yet its browser would paint every frame.
 */
import type { Frame } from 'playwright'

/** Shows the videos again, for a screenshot. */
export const SEEN_VIDEOS = 'html video { visibility: inherit !important }'

/**
 * Hides the videos from the browser's drawing, which then neither paints nor even hands over their frames (transparent
 * ones are handed over, bench/notes/2026-11-22-ways-to-capture.md). For the page they stay in place, with their size,
 * and keep playing. Rejects if the frame is gone.
 */
export async function leaveVideosUnpainted(frame: Frame): Promise<void> {
  await frame.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('video { visibility: hidden !important }')
    document.adoptedStyleSheets.push(sheet)
  })
}
