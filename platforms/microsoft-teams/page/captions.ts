/** Reads the captions on the page: a person whose text grew is speaking. */
import type { ShownCaption } from '../../shared/page/chat/caption-rows.ts'
import { plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import type { PageConfig } from './types.ts'

export function createCaptionReader(selectors: PageConfig['selectors']) {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const window = () => document.querySelector(select('captions'))
  let last: { author: string; text: string } | null = null
  /** Names and texts are separate leaves, paired by their order. */
  function rows(): ShownCaption[] {
    const shown = window()
    if (!shown) return []
    const authors = [...shown.querySelectorAll(select('captionAuthor'))]
    const texts = [...shown.querySelectorAll(select('captionText'))]
    return texts.slice(0, authors.length).map((element, index) => ({
      element,
      name: plain(textWithout(authors[index]!, select('icon'))),
      text: element.textContent ?? '',
    }))
  }

  return {
    /** All rows of the window. */
    rows,
    /** Names of people whose caption is new or grew since the last poll. */
    read(): string[] {
      const newest = rows().at(-1)
      if (!newest) return []
      const { name: author, text } = newest
      const hasGrown = last === null || last.author !== author || last.text !== text
      last = { author, text }
      return hasGrown && author !== '' ? [author] : []
    },
  }
}
