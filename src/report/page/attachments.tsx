import { sizeOf } from '../../../packages/page-parts/size.ts'
import type { ReportMessage } from './data.ts'

const SAFE_PROTOCOL = /^(?:https?|mailto):$/

/** Addresses are shown as they are, so that a link's text cannot hide where it leads. */
export function attachmentsOf({ answers, isCut, links, files, reactions }: ReportMessage) {
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
