/** Short forms of names for places if there is no picture. */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A sign that a person would read as the first of a word: a letter, a digit or a pictograph. */
const READABLE = /[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u
const IN_BRACKETS = /\([^)]*\)|\[[^\]]*\]/gu
/** Signs without a shape: controls, format signs such as bidi overrides, unassigned and private ones. */
const SHAPELESS = /^[\p{C}\p{Z}]*$/u
/** Letters that join their neighbor; two initials of them would read as one word. */
const JOINING = /\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Mongolian}/u
const ZERO_WIDTH_NON_JOINER = '\u200c'

/**
 * One or two graphemes: of the first and the last word, as far as they are readable; `?` for a name without readable
 * ones.
 */
export function initialsOf(name: string): string {
  const outside = signsOf(name.replaceAll(IN_BRACKETS, ' '))
  const signs = outside.length > 0 ? outside : signsOf(name)
  const first = signs[0]
  const last = signs.at(-1)
  if (first === undefined || last === undefined) return '?'
  if (signs.length === 1) return first
  return JOINING.test(first + last) ? `${first}${ZERO_WIDTH_NON_JOINER}${last}` : first + last
}

/** The name for a label: as given, or `Unknown` where it has no visible sign. */
export function labelOf(name: string): string {
  return SHAPELESS.test(name) ? 'Unknown' : name
}

/** The first readable grapheme of every word that has one. */
function signsOf(text: string): string[] {
  const signs: string[] = []
  for (const word of text.split(/[\s\p{Z}_.]+/u)) {
    for (const { segment } of graphemes.segment(word.slice(0, 200))) {
      if (!READABLE.test(segment)) continue
      signs.push(shorten(upper(segment)))
      break
    }
  }
  return signs
}

/** Upper case where that stays one sign (the German sharp s would become two). */
function upper(sign: string): string {
  const raised = sign.toLocaleUpperCase('en')
  return [...graphemes.segment(raised)].length === 1 ? raised : sign
}

/** Stacks of combining marks are cut to two; joiners of pictographs stay. */
function shorten(sign: string): string {
  return sign.replace(/(\p{L}\p{M}{2})\p{M}+/u, '$1')
}
