/** Everything that has a time, in order: what was said and what was written. */
import type { ComponentChildren } from 'preact'
import { clock } from '../../../packages/page-parts/clock.ts'
import type { Line } from '../../../packages/page-parts/lines.tsx'
import type { ReportData, ReportMessage } from './data.ts'

/**
 * The utterances replace the turns if there is a transcript. Messages before the recording come first. `attachments` are
 * shown below their message.
 */
export function linesOf(
  { utterances, turns, chat, signs }: Pick<ReportData, 'utterances' | 'turns' | 'chat' | 'signs'>,
  attachments: (message: ReportMessage) => ComponentChildren,
): Line[] {
  const spoken: Line[] =
    utterances.length > 0
      ? utterances.map(({ from, to, name, text }) => ({ at: from, until: to, name, text }))
      : turns.map(({ from, to, name }) => {
          const text = `spoke for ${clock(Math.max(1, to - from))}`
          return { at: from, until: to, name, text, isOwnText: true }
        })
  const signed = signs.map(({ at, name, text }) => {
    return { at: at ?? 0, until: at ?? 0, name, text, isOwnText: true }
  })
  return [...spoken, ...chat.map((message) => lineOf(message, attachments(message))), ...signed].sort(
    (one, other) => one.at - other.at,
  )
}

function lineOf(message: ReportMessage, content: ComponentChildren): Line {
  const { at, name, text, isDirect, isEdited, isDeleted, links, files } = message
  const marks = ['chat', isDirect && 'direct', isDeleted ? 'deleted' : isEdited && 'edited'].filter(Boolean)
  return {
    at: at ?? 0,
    until: at ?? 0,
    name,
    note: ` (${marks.join(', ')})`,
    text: isDeleted ? 'The message was deleted.' : text,
    isOwnText: isDeleted,
    more: {
      words: [...links.flatMap((link) => [link.text, link.url]), ...files.map((file) => file.name)].join('\n'),
      content,
    },
  }
}
