import { useRef } from 'preact/hooks'
import { answerOf, type Bot as BotDetails, StandinApiError, v2 } from '../../api.ts'
import { changes } from '../../feed.ts'
import { clock, dateTime, number } from '../../parts/format.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { Status } from '../../parts/pieces.tsx'
import { REASON_TEXTS, TEXTS } from '../../texts.ts'
import { Chat } from './chat.tsx'
import { Controls } from './controls.tsx'
import { Player } from './player.tsx'
import { Timeline } from './timeline.tsx'
import { Transcript } from './transcript.tsx'

/** One bot: what it does, what it recorded, and everything that happened to it. */
export function Bot({ id }: { id: string }) {
  const media = useRef<HTMLMediaElement>(null)
  const isOurs = () => changes.value.bots === 'all' || changes.value.bots.has(id)
  const counted = useRef(0)
  const bot = useLoaded(() =>
    answerOf(v2.GET('/v2/bots/{bot_id}', { params: { path: { bot_id: id } } })).catch((error: unknown) => {
      throw error instanceof StandinApiError && error.status === 404 ? new Error(TEXTS.bot.notFound) : error
    }), () => {
    if (isOurs()) counted.current = changes.value.count
    return counted.current
  }, [id])
  const seek = (seconds: number) => {
    if (media.current === null) return
    media.current.currentTime = seconds
    void media.current.play().catch(() => {})
  }
  return (
    <Shown of={bot}>
      {({ data }) => (
        <>
          <h1>
            {data.bot_name} <Status of={data.status} />
          </h1>
          {data.error_code !== null && (
            <p class="notice bad">
              {REASON_TEXTS[data.error_code] ?? data.error_code} {data.error_message}
            </p>
          )}
          <Controls bot={data as BotDetails} reload={bot.reload} />
          <section>
            <Facts bot={data as BotDetails} />
          </section>
          <div class="columns">
            <div>
              <section>
                <h2>{TEXTS.bot.recording}</h2>
                <Player bot={data as BotDetails} media={media} />
              </section>
              <section class="last">
                <h2>{TEXTS.bot.timeline}</h2>
                <Timeline id={id} version={bot.value} />
              </section>
            </div>
            <div>
              <section>
                <h2>{TEXTS.bot.transcript}</h2>
                <Transcript bot={data as BotDetails} seek={seek} />
              </section>
              <section>
                <h2>{TEXTS.bot.chat}</h2>
                <Chat bot={data as BotDetails} />
              </section>
              <section>
                <h2>{TEXTS.bot.people}</h2>
                <p>{data.participants.map(({ name }) => name).join(', ') || TEXTS.none}</p>
              </section>
            </div>
          </div>
        </>
      )}
    </Shown>
  )
}

function Facts({ bot }: { bot: BotDetails }) {
  const { facts } = TEXTS.bot
  const rows = [
    [facts.platform, bot.meeting_platform],
    [facts.created, dateTime(bot.created_at)],
    [facts.joined, dateTime(bot.joined_at)],
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
