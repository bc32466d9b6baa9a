/** Who the captions say is speaking: only that a text grew, never what it says. */
import { plain, textWithout } from '../../shared/page/visible-text.ts'
import type { PageConfig } from './types.ts'

export interface CaptionReader {
  /** Names of those whose caption is new or grew since the last look. */
  read(): string[]
  readonly areShown: boolean
}

export function createCaptionReader(selectors: PageConfig['selectors']): CaptionReader {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const window = () => document.querySelector(select('captions'))
  let last: { author: string; text: string } | null = null
  return {
    get areShown() {
      return window() !== null
    },
    read() {
      const shown = window()
      if (!shown) return []
      // Names and texts are leaves of their own, paired by their order.
      const authors = [...shown.querySelectorAll(select('captionAuthor'))]
      const texts = [...shown.querySelectorAll(select('captionText'))]
      const newest = Math.min(authors.length, texts.length) - 1
      if (newest < 0) return []
      const author = plain(textWithout(authors[newest]!, select('icon')))
      const text = texts[newest]!.textContent ?? ''
      const hasGrown = last === null || last.author !== author || last.text !== text
      last = { author, text }
      return hasGrown && author !== '' ? [author] : []
    },
  }
}
