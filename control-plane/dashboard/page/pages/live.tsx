import { STATUSES } from '@standin/wire/codes.ts'
import { Radio } from 'lucide'
import { type Answers, answerOf, type BotItem, hasEnded, v2 } from '../api.ts'
import { changes, isConnected } from '../feed.ts'
import { LivePicture } from '../parts/live-picture.tsx'
import { useLiveViews } from '../parts/live-view.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Empty, Platform, Status, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'
import { FirstSteps } from './first-steps.tsx'

const OPEN: BotItem['status'][] = ['queued', ...STATUSES.filter((status) => !hasEnded({ status }))]
const MAX_BOTS = 250

export function Live() {
  const bots = useLoaded(
    async () => {
      const query = { status: OPEN, limit: MAX_BOTS }
      return (await answerOf(v2.GET('/v2/bots', { params: { query } }))).data
    },
    () => changes.value,
  )
  const views = useLiveViews()
  return (
    <>
      <div class="heading">
        <h1>Bots in meetings</h1>
        <span class={isConnected.value ? 'connection' : 'connection lost'} role="status">
          {isConnected.value ? 'Live updates' : 'Connection lost. Reconnecting …'}
        </span>
      </div>
      <FirstSteps />
      <Shown of={bots}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={Radio} text="No bot is in a meeting now.">
              {may('member') && (
                <Link to="/send" class="button">
                  {TEXTS.sendBot}
                </Link>
              )}
            </Empty>
          ) : (
            <>
              <ul class="cards">
                {inMeetingFirst(list).map((bot) => (
                  <Card key={bot.bot_id} bot={bot} view={views.value.get(bot.bot_id)} />
                ))}
              </ul>
              {list.length === MAX_BOTS && <p class="soft">{`Only the ${MAX_BOTS} newest bots are shown.`}</p>}
            </>
          )
        }
      </Shown>
    </>
  )
}

const NOT_INSIDE: ReadonlySet<string> = new Set(['queued', 'joining_call', 'in_waiting_room'])

/** Bots in meetings first. Each group keeps the order of the API: newest first. */
function inMeetingFirst(list: readonly BotItem[]): BotItem[] {
  const isInside = ({ status }: BotItem) => !NOT_INSIDE.has(status)
  return [...list.filter(isInside), ...list.filter((bot) => !isInside(bot))]
}

function Card({ bot, view }: { bot: BotItem; view: Answers['LiveView'] | undefined }) {
  return (
    <li class="card">
      <LivePicture botId={bot.bot_id} name={bot.bot_name} view={view} />
      <Link to={`/bots/${bot.bot_id}`}>
        <h2>
          <bdi>{bot.bot_name}</bdi>
        </h2>
        <Status of={bot.status} />
        <p class="captions">
          <Captions view={view} />
        </p>
        <p class="one-line">
          <Platform of={bot.meeting_platform} /> {bot.meeting_url.replace(/^https:\/\//, '')}
        </p>
        <p>
          <Time at={bot.joined_at ?? bot.created_at} />
        </p>
      </Link>
    </li>
  )
}

/** The last line of captions with its speaker; without captions, the active speaker. */
function Captions({ view }: { view: Answers['LiveView'] | undefined }) {
  if (view?.line)
    return (
      <>
        <b>
          <bdi>{view.line.speaker ?? TEXTS.unknown}</bdi>
        </b>{' '}
        <bdi>{view.line.text}</bdi>
      </>
    )
  return <>{view?.speaker && <bdi>{`${view.speaker} is speaking`}</bdi>}</>
}
