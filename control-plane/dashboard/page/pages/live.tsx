import { answerOf, type BotItem, v2 } from '../api.ts'
import { changes, isConnected } from '../feed.ts'
import { dateTime } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Status } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

const OPEN =
  'queued,joining_call,in_waiting_room,in_call_not_recording,in_call_recording,recording_paused,recording_resumed'

interface LiveBot {
  bot: BotItem
  shot: string | null
  speaker: string | null
}

/** The live state of a bot: its last screenshot and last speaker. */
async function look(bot: BotItem): Promise<LiveBot> {
  const path = { bot_id: bot.bot_id }
  const [shots, events] = await Promise.all([
    answerOf(v2.GET('/v2/bots/{bot_id}/screenshots', { params: { path } })).catch(() => null),
    answerOf(v2.GET('/v2/bots/{bot_id}/events', { params: { path, query: { types: 'speaker', limit: '500' } } })).catch(
      () => null,
    ),
  ])
  const last = events?.data.at(-1)?.data as { participant?: { name?: string }; is_speaking?: boolean } | undefined
  return {
    bot,
    shot: shots?.data.at(-1)?.url ?? null,
    speaker: last?.is_speaking ? (last.participant?.name ?? null) : null,
  }
}

export function Live() {
  const bots = useLoaded(
    async () => {
      const { data } = await answerOf(v2.GET('/v2/bots', { params: { query: { status: OPEN, limit: '50' } } }))
      return Promise.all(data.map(look))
    },
    () => changes.value,
  )
  return (
    <>
      <h1>{TEXTS.live.title}</h1>
      <div class="actions">
        {may('member') && (
          <Link to="/send" class="button main">
            {TEXTS.nav.send}
          </Link>
        )}
        <span class="soft" role="status">
          {isConnected.value ? TEXTS.live.connection.live : TEXTS.live.connection.lost}
        </span>
      </div>
      <Shown of={bots}>
        {(list) =>
          list.length === 0 ? (
            <p class="soft">{TEXTS.live.empty}</p>
          ) : (
            <ul class="cards">
              {list.map(({ bot, shot, speaker }) => (
                <li key={bot.bot_id} class="card">
                  {shot !== null && <img class="shot" src={shot} alt={TEXTS.live.shot} loading="lazy" />}
                  <Link to={`/bots/${bot.bot_id}`}>
                    <h2>{bot.bot_name}</h2>
                    <Status of={bot.status} />
                    {speaker !== null && <p>{speaker}</p>}
                    <p>{bot.meeting_url}</p>
                    <p>{dateTime(bot.joined_at ?? bot.created_at)}</p>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  )
}
