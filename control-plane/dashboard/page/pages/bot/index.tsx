import { useRef } from 'preact/hooks'
import { clock } from '../../../../../report/page/parts/clock.ts'
import { usePlayback } from '../../../../../report/page/parts/playback.ts'
import {
  answerOf,
  type Bot as BotDetails,
  dashboard,
  dataOf,
  hasEnded,
  type Parts,
  StandinApiError,
  v2,
} from '../../api.ts'
import { changes } from '../../feed.ts'
import { dateTime, number } from '../../parts/format.ts'
import { LivePicture } from '../../parts/live-picture.tsx'
import { useLiveViews } from '../../parts/live-view.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { Status } from '../../parts/pieces.tsx'
import { PLATFORM_TEXTS, REASON_TEXTS, TEXTS } from '../../texts.ts'
import { Chat } from './chat.tsx'
import { Controls } from './controls.tsx'
import { Recording } from './recording.tsx'
import { Timeline } from './timeline.tsx'
import { Transcript } from './transcript.tsx'

const NO_PARTS: Parts = { waiting_room_seconds: 0, state: null, parts: [], gaps: [] }

/** One bot: its status, its recording and its timeline. */
export function Bot({ id }: { id: string }) {
  const playback = usePlayback()
  const isOurs = () => changes.value.bots === 'all' || changes.value.bots.has(id)
  const counted = useRef(0)
  const bot = useLoaded(() => readBot(id), () => {
    if (isOurs()) counted.current = changes.value.count
    return counted.current
  }, [id])
  return (
    <Shown of={bot}>
      {({ data, parts }) => (
        <>
          <h1>
            <bdi>{data.bot_name}</bdi> <Status of={parts.state === 'assembling' ? 'assembling' : data.status} />
          </h1>
          {parts.state !== null && (
            <p class="notice" role="status">
              {TEXTS.bot[parts.state]}
            </p>
          )}
          {data.error_code !== null && (
            <p class="notice bad">
              {REASON_TEXTS[data.error_code] ?? data.error_code} {data.error_message}
            </p>
          )}
          {parts.state !== 'assembling' && <Controls bot={data} reload={bot.reload} />}
          <section>
            <Facts bot={data} />
          </section>
          <div class="columns">
            <div>
              <section>
                <h2>{TEXTS.bot.recording}</h2>
                <Recording bot={data} parts={parts} playback={playback} />
                {!hasEnded(data) && data.status !== 'transcribing' && parts.state !== 'assembling' && (
                  <LiveSection bot={data} />
                )}
              </section>
              <section class="last">
                <h2>{TEXTS.bot.timeline}</h2>
                <Timeline id={id} version={bot.value} />
              </section>
            </div>
            <div>
              <section>
                <h2>{TEXTS.bot.transcript}</h2>
                <Transcript bot={data} parts={parts} playback={playback} />
              </section>
              <section>
                <h2>{TEXTS.bot.chat}</h2>
                <Chat bot={data} />
              </section>
              <section>
                <h2>{TEXTS.bot.people}</h2>
                <People bot={data} />
              </section>
            </div>
          </div>
        </>
      )}
    </Shown>
  )
}

async function readBot(id: string): Promise<{ data: BotDetails; parts: Parts }> {
  const [{ data }, parts] = await Promise.all([
    answerOf(v2.GET('/v2/bots/{bot_id}', { params: { path: { bot_id: id } } })).catch((error: unknown) => {
      throw error instanceof StandinApiError && error.status === 404 ? new Error(TEXTS.bot.notFound) : error
    }),
    dataOf(dashboard.GET('/bots/{bot_id}/parts', { params: { path: { bot_id: id } } })).catch(() => NO_PARTS),
  ])
  return { data: data as BotDetails, parts }
}

function LiveSection({ bot }: { bot: BotDetails }) {
  const views = useLiveViews()
  return (
    <div class="live-section">
      <LivePicture botId={bot.bot_id} name={bot.bot_name} view={views.value.get(bot.bot_id)} />
    </div>
  )
}

function People({ bot: { participants } }: { bot: BotDetails }) {
  if (participants.length === 0) return <p>{TEXTS.none}</p>
  return (
    <ul class="people">
      {participants.map(({ name }, place) => (
        <li key={place}>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  )
}

function Facts({ bot }: { bot: BotDetails }) {
  const { facts } = TEXTS.bot
  const rows = [
    [facts.platform, PLATFORM_TEXTS[bot.meeting_platform] ?? bot.meeting_platform],
    [facts.created, dateTime(bot.created_at)],
    [facts.joined, bot.joined_at === null ? TEXTS.none : dateTime(bot.joined_at)],
    [facts.length, bot.duration_seconds === null ? TEXTS.none : clock(bot.duration_seconds)],
    [facts.tokens, bot.tokens === null ? TEXTS.none : number(bot.tokens.total)],
  ]
  return (
    <>
      <p class="soft">{bot.meeting_url}</p>
      <dl class="figures">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
