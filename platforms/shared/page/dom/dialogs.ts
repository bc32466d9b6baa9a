/** Reads the open dialogs, with a number for each button by which the driver can press it. */

import type { DialogSnapshot } from '../types.ts'
import { reachableDocuments } from './documents.ts'
import { isVisible, visibleLines } from './visible-text.ts'

export type DialogReader = ReturnType<typeof createDialogReader>

/** `select` gives the platform's selectors; `icon` is text that does not count as wording. `inFrames`: of frames too. */
export function createDialogReader(
  select: (name: 'dialog' | 'clickable' | 'icon') => string,
  label: (element: Element) => string,
  inFrames = false,
) {
  const dialog = select('dialog')
  let references: Element[] = []
  return {
    /** The open dialogs, outermost ones only. Numbers of earlier snapshots become invalid. */
    read(): DialogSnapshot[] {
      references = []
      const documents = inFrames ? reachableDocuments() : [document]
      return documents
        .flatMap((place) => [...place.querySelectorAll(dialog)])
        .filter((found) => isVisible(found) && !found.parentElement?.closest(dialog))
        .map((found) => ({
          text: visibleLines(found, `${select('icon')}, button, [role="button"]`).join(' '),
          isModal: found.getAttribute('aria-modal') === 'true',
          isPersistent: found.getAttribute('data-is-persistent') === 'true',
          buttons: [...found.querySelectorAll(select('clickable'))].filter(isVisible).map((button) => ({
            label: label(button),
            action: button.getAttribute('data-mdc-dialog-action'),
            ref: references.push(button) - 1,
          })),
        }))
    },
    reference: (ref: number): Element | null => references[ref] ?? null,
  }
}

/** Smaller frames are the scoring frames that many pages have. Pixels. */
const CHALLENGE_WIDTH = 120
const CHALLENGE_HEIGHT = 40

/** A captcha that a person is asked to solve. */
export function hasVisibleCaptcha(selector: string): boolean {
  return [...document.querySelectorAll(selector)].some((frame) => {
    const { width, height } = frame.getBoundingClientRect()
    return width >= CHALLENGE_WIDTH && height >= CHALLENGE_HEIGHT && isVisible(frame)
  })
}
