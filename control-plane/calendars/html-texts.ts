/** Takes the texts that can hold web addresses out of untrusted HTML. Pure; time grows with the length alone. */
import { IN_BRACKETS, withoutBreaks } from '@standin/wire/meeting-links/text.ts'
import { Parser } from 'htmlparser2'

/** Longer descriptions are read up to here; those of both providers are shorter. */
const MAX_TEXT = 200_000
const MAX_LINKS = 500

/** Targets of links first, then the text that people see, then addresses in angle brackets, which look like tags. */
export function textsOfHtml(html: string): string[] {
  const read = html.slice(0, MAX_TEXT)
  const targets: string[] = []
  const texts: string[] = []
  /** A tag ends a word, and with it an address, unless it is only a place where a line may break. */
  const endWord = (name: string) => void (name !== 'wbr' && texts.push(' '))
  const parser = new Parser(
    {
      onopentag(name, { href }) {
        // Invisible characters may stand before the scheme.
        if (href && /^[\s\p{Cf}]*[a-z]+:/iu.test(href) && targets.length < MAX_LINKS)
          targets.push(withoutBreaks(href.trim()))
        endWord(name)
      },
      ontext: (text) => void texts.push(text),
      onclosetag: endWord,
    },
    { decodeEntities: true },
  )
  parser.end(read)
  const inBrackets = [...read.matchAll(IN_BRACKETS)].map(([, link]) => withoutBreaks(link!))
  return [...targets, texts.join(''), inBrackets.join(' ')]
}
