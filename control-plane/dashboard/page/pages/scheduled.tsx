import { CalendarClock } from 'lucide'
import { answerOf, v2 } from '../api.ts'
import { changes } from '../feed.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Empty, Platform, Status, Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'
import { ScheduledCancel } from './bot/scheduled.tsx'

const TITLE = 'Scheduled bots'
const EMPTY = 'No bot is scheduled.'

export function Scheduled() {
  const action = useAction()
  const bots = useLoaded(
    () => answerOf(v2.GET('/v2/bots/scheduled', { params: { query: { status: ['scheduled'], limit: 100 } } })),
    () => changes.value,
  )
  return (
    <>
      <h1>{TITLE}</h1>
      <OutcomeLine of={action} />
      <Shown of={bots}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={CalendarClock} text={EMPTY}>
              {may('member') && (
                <Link to="/send" class="button main">
                  {TEXTS.sendBot}
                </Link>
              )}
            </Empty>
          ) : (
            <Table
              texts={{ title: TITLE, columns: ['Bot', 'Meeting', 'Join time', 'Status', ''], empty: EMPTY }}
              entries={data}
              keyOf={(bot) => bot.bot_id}
              cells={(bot) => [
                <Link to={`/bots/${bot.bot_id}`} class="row-link">
                  <bdi>{bot.bot_name}</bdi>
                </Link>,
                <>
                  <Platform of={bot.meeting_platform} /> {bot.meeting_url.replace(/^https?:\/\//, '')}
                </>,
                <Time at={bot.join_at} />,
                <Status of={bot.status} />,
                may('member') && <ScheduledCancel of={action} bot={bot} reload={bots.reload} />,
              ]}
            />
          )
        }
      </Shown>
    </>
  )
}
