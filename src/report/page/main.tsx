/** Runs inside report.html. Preact renders names and messages as text only. */
import { render } from 'preact'
import { clock } from '../../../packages/page-parts/clock.ts'
import { Lanes } from '../../../packages/page-parts/lanes.tsx'
import { Lines } from '../../../packages/page-parts/lines.tsx'
import { usePlayback } from '../../../packages/page-parts/playback.ts'
import { Player } from '../../../packages/page-parts/player.tsx'
import { sizeOf } from '../../../packages/page-parts/size.ts'
import type { ReportData, ReportMessage } from './data.ts'
import { linesOf } from './moments.ts'
import { People } from './people.tsx'

const SAFE_PROTOCOL = /^(?:https?|mailto):$/

function Report({ data, began }: { data: ReportData; began: string }) {
  const { media, turns, signs, gaps, seconds } = data
  const playback = usePlayback()
  return (
    <>
      <header>
        <h1>{data.meeting}</h1>
        <p class="soft">{[began, clock(seconds), data.end].filter(Boolean).join(' · ')}</p>
      </header>
      <main class="columns">
        <div>
          <section aria-label="Recording">
            {media === null ? (
              <p class="soft">Nothing was recorded.</p>
            ) : (
              <Player kind={media.kind} src={media.file} poster={data.poster} playback={playback} />
            )}
          </section>
          <section>
            <h2>Who spoke when</h2>
            {turns.length === 0 || seconds <= 0 ? (
              <p class="soft">No participant spoke.</p>
            ) : (
              <Lanes turns={turns} signs={signs} gaps={gaps} length={seconds} playback={playback} />
            )}
          </section>
          <section class="last">
            <h2>Participants</h2>
            <People data={data} />
          </section>
          <section class="last">
            <h2>Recording quality</h2>
            <dl>
              {data.quality.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </section>
        </div>
        <div>
          <section>
            <h2>Transcript and chat</h2>
            <Lines
              lines={linesOf(data, attachmentsOf)}
              label="Transcript and chat"
              searchLabel="Search names and words"
              empty="Nothing was said or written."
              playback={playback}
            />
          </section>
        </div>
      </main>
    </>
  )
}

const data = JSON.parse(document.querySelector('#data')?.textContent ?? '{}') as ReportData
const day = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const
const style = { ...day, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
const began = data.startedAt === null ? '' : new Date(data.startedAt).toLocaleString(undefined, style)
document.title = `${data.meeting} – ${began || 'recording'}`
render(<Report data={data} began={began} />, document.querySelector('#app')!)

/** Addresses are shown as they are, so that a link's text cannot hide where it leads. */
function attachmentsOf({ answers, isCut, links, files, reactions }: ReportMessage) {
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
