/** Runs what a page shows, poll by poll, through both pieces that read captions. */
import { CaptionRows } from '../../../platforms/shared/page/chat/caption-rows.ts'
import { CaptionAssembler } from '../../../src/transcription/captions.ts'

/** Element, name, text. */
export type ShownRow = readonly [string, string, string]
/** From this millisecond on, the page shows these rows. */
export type Poll = readonly [number, readonly ShownRow[]]

/** The final utterances, in order. */
export function utterancesFrom(polls: readonly Poll[]): { speaker: string; text: string }[] {
  const said: { speaker: string; text: string }[] = []
  const elements = new Map<string, Element>()
  const elementOf = (id: string) => {
    const element = elements.get(id) ?? ({ id } as Element)
    elements.set(id, element)
    return element
  }
  const captions = new CaptionAssembler(({ isFinal, speaker, words }) => {
    if (isFinal) said.push({ speaker, text: words.map(({ word }) => word).join(' ') })
  })
  const rows = new CaptionRows(({ name, ...row }) => captions.onUpdate({ ...row, speaker: name }))
  let next = 0
  let shown: { element: Element; name: string; text: string }[] = []
  for (let at = 0; at <= polls.at(-1)![0] + 15_000; at += 250) {
    for (; next < polls.length && polls[next]![0] <= at; next++)
      shown = polls[next]![1].map(([id, name, text]) => ({ element: elementOf(id), name, text }))
    rows.update(shown, at)
    if (at % 500 === 0) captions.tick(at)
  }
  captions.finish()
  return said
}
