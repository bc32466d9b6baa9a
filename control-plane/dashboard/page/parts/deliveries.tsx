/** Webhook deliveries, newest first. Each opens to its payload and the answers of its receiver. */
import { useSignal } from '@preact/signals'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { changes } from '../feed.ts'
import { Link } from '../router.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'
import { ActionButton, OutcomeLine, useAction } from './action.tsx'
import { Shown, useLoaded } from './load.tsx'
import { Json, Status, Time } from './pieces.tsx'

const answerText = (status: number | null, error: string | null, attempts: number) =>
  [status === null ? (error ?? 'no response') : `HTTP ${status}`, attempts > 1 && `${attempts} attempts`]
    .filter(Boolean)
    .join(', ')
const MAX = 100

interface Filter {
  bot_id?: string
  endpoint_id?: string
  event?: string
  state?: Answers['Delivery']['state']
}

export function Deliveries({ filter }: { filter: Filter }) {
  const deliveries = useLoaded(
    () => dataOf(dashboard.GET('/deliveries', { params: { query: { ...filter, limit: MAX } } })),
    () => changes.value,
    [filter.bot_id, filter.endpoint_id, filter.event, filter.state],
  )
  return (
    <Shown of={deliveries}>
      {(list) =>
        list.length === 0 ? (
          <p class="soft">There are no deliveries yet.</p>
        ) : (
          <>
            <ul class="deliveries">
              {list.map((row) => (
                <li key={row.delivery}>
                  <Delivery row={row} isOfBot={filter.bot_id !== undefined} reload={deliveries.reload} />
                </li>
              ))}
            </ul>
            {list.length === MAX && <p class="soft">{`Only the newest ${MAX} are shown.`}</p>}
          </>
        )
      }
    </Shown>
  )
}

interface DeliveryProps {
  row: Answers['Delivery']
  isOfBot: boolean
  reload: () => Promise<void>
}

function Delivery({ row, isOfBot, reload }: DeliveryProps) {
  const isOpen = useSignal(false)
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>
        <Status of={row.state} texts={TEXTS.deliveryStates} />
        <b>{row.event}</b>
        <span class="one-line">{row.url}</span>
        <span>{answerText(row.last_status, row.last_error, row.attempts)}</span>
        <Time at={row.created_at} />
      </summary>
      {isOpen.value && <Content row={row} isOfBot={isOfBot} reload={reload} />}
    </details>
  )
}

function Content({ row, isOfBot, reload }: DeliveryProps) {
  const action = useAction()
  const path = { delivery: String(row.delivery) }
  const content = useLoaded(() => dataOf(dashboard.GET('/deliveries/{delivery}', { params: { path } })), undefined, [
    row.attempts,
  ])
  const isDone = row.state !== 'waiting' && row.state !== 'sending'
  return (
    <div class="delivery">
      <OutcomeLine of={action} />
      <div class="actions">
        {may('member') && isDone && (
          <ActionButton
            of={action}
            work={async () => {
              const { deliveries } = await dataOf(dashboard.POST('/deliveries/{delivery}/replay', { params: { path } }))
              await reload()
              return TEXTS.replayed(deliveries)
            }}
          >
            Resend
          </ActionButton>
        )}
        {row.bot_id !== null && !isOfBot && <Link to={`/bots/${row.bot_id}`}>Open the meeting</Link>}
      </div>
      <Shown of={content}>
        {({ body, attempts }) => (
          <>
            <h3>Attempts</h3>
            {attempts.length === 0 && <p class="soft">It was not sent yet.</p>}
            <ol class="timeline">
              {attempts.map((attempt, place) => (
                <li key={place}>
                  <p>
                    <Time at={attempt.at} isExact /> · {answerText(attempt.status, attempt.error, 1)} ·{' '}
                    {attempt.duration_ms} ms
                  </p>
                  {attempt.answer && <pre>{attempt.answer}</pre>}
                </li>
              ))}
            </ol>
            <Json title="Payload" text={textOf(body)} />
          </>
        )}
      </Shown>
    </div>
  )
}

/** A stored body has placeholders for links, which are signed when it is sent. */
function textOf(body: unknown): string {
  const shown = (_name: string, value: unknown) =>
    typeof value === 'object' && value !== null && '$link' in value ? `(signed link to ${value.$link})` : value
  return JSON.stringify(body, shown, 2)
}
