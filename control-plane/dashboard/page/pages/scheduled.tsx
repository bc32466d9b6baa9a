import { CalendarClock } from 'lucide'
import { answerOf, v2 } from '../api.ts'
import { changes } from '../feed.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Empty, Status, Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

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
                bot.bot_name,
                bot.meeting_url,
                <Time at={bot.join_at} />,
                <Status of={bot.status} />,
                may('member') && (
                  <ActionButton
                    of={action}
                    confirmation="Cancel this bot?"
                    work={async () => {
                      const options = { params: { path: { bot_id: bot.bot_id } } }
                      await answerOf(v2.DELETE('/v2/bots/scheduled/{bot_id}', options))
                      await bots.reload()
                      return null
                    }}
                  >
                    Cancel
                  </ActionButton>
                ),
              ]}
            />
          )
        }
      </Shown>
    </>
  )
}
