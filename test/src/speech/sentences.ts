/** What the people of the demo say in their stored sentences, and how much of it was recognized. */
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../../packages/mock/sentences')
const SAID = {
  'ann-welcome': 'good morning everybody and welcome to the weekly meeting let us begin with the numbers of last month',
  'bob-numbers':
    'thank you ann we had 40 new customers in october and most of them came from the north the costs stayed where they were',
  'cleo-plan': 'the numbers are in the notes i would like to talk about the plan for next year',
  'bob-picture': 'this is the picture that i promised the blue line shows the sales and the red line shows the costs',
  'dan-leaves': 'i have to go now thanks everybody and see you next week',
  'ann-end': 'that was all for today we meet again on monday have a good weekend',
} as const

export const SENTENCES = Object.entries(SAID).map(([name, text]) => ({ file: join(FOLDER, `${name}.ogg`), text }))

/** Words that are wrong, missing or too many, and all that were said. */
export function wrongWords(said: string, heard: string): { wrong: number; all: number } {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
  const from = wordsOf(said)
  return { wrong: distance(from, wordsOf(heard)), all: from.length }
}

/** Words that have to be changed, added or left out. */
function distance(from: readonly string[], to: readonly string[]): number {
  let row = to.map((_, index) => index + 1)
  for (const [at, word] of from.entries()) {
    let [corner, left] = [at, at + 1]
    row = to.map((other, index) => {
      const above = row[index]!
      const cost = Math.min(above + 1, left + 1, corner + (word === other ? 0 : 1))
      ;[corner, left] = [above, cost]
      return cost
    })
  }
  return row.at(-1) ?? from.length
}
