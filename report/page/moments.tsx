/** Everything that has a time, in order: what was said and what was written. */
import type { ReportData, ReportMessage } from './data.ts'
import { clock } from './parts/clock.ts'
import type { Line } from './parts/lines.tsx'

const SAFE_PROTOCOL = /^(?:https?|mailto):$/

/** The utterances replace the turns if there is a transcript. Messages before the recording come first. */
export function linesOf({
  utterances,
  turns,
  chat,
  signs,
}: Pick<ReportData, 'utterances' | 'turns' | 'chat' | 'signs'>): Line[] {
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
  return [...spoken, ...chat.map(lineOf), ...signed].sort((one, other) => one.at - other.at)
}

function lineOf(message: ReportMessage): Line {
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
      content: <Attachments of={message} />,
    },
  }
}

/** Addresses are shown as they are, so that a link's text cannot hide where it leads. */
function Attachments({ of: { answers, isCut, links, files, reactions } }: { of: ReportMessage }) {
  const safe = links.filter(({ url }) => URL.canParse(url) && SAFE_PROTOCOL.test(new URL(url).protocol))
  return (
    <div class="attachments">
      {answers !== null && <p class="quote">In reply to {answers}</p>}
      {isCut && <p class="quote">The message is longer; it is cut here.</p>}
      {safe.map(({ text, url }, place) => (
        <p key={place}>
          {text !== url && text !== '' && `${text}: `}
          <a href={url} rel="noopener noreferrer" target="_blank">
            {url}
          </a>
        </p>
      ))}
      {files.map(({ name, bytes }, place) => (
        <p key={place}>
          File: {name}
          {bytes !== null && ` (${sizeOf(bytes)})`}
        </p>
      ))}
      {reactions.length > 0 && (
        <p class="reactions">
          {reactions.map((reaction, place) => (
            <span key={place}>{reaction}</span>
          ))}
        </p>
      )}
    </div>
  )
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
