import { type Signal, useSignal } from '@preact/signals'
import { type Answers, dashboard, dataOf } from '../../api.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { Status, Time } from '../../parts/pieces.tsx'
import { TEXTS } from '../../texts.ts'

const FIRST = 20
const MAX = 100

/** Triggered alerts, their receivers and the receivers' answers. */
export function Firings({ polls }: { polls: Signal<number> }) {
  const texts = TEXTS.alerts
  const count = useSignal(FIRST)
  const firings = useLoaded(
    () => dataOf(dashboard.GET('/alert-firings', { params: { query: { limit: count.value } } })),
    () => [polls.value, count.value],
  )
  return (
    <section>
      <h2>{texts.firings}</h2>
      <Shown of={firings}>
        {(list) => (
          <>
            {list.length === 0 && <p class="soft">{texts.noFirings}</p>}
            <ol class="timeline">
              {list.map((firing) => (
                <li key={firing.firing}>
                  <p>
                    <Time at={firing.triggered_at} />{' '}
                    <b>
                      <bdi>{firing.alert_rule_name}</bdi>
                    </b>
                  </p>
                  <p>{firing.message}</p>
                  {firing.sent.map((one) => (
                    <Sending key={one.delivery} one={one} />
                  ))}
                </li>
              ))}
            </ol>
            {count.value < MAX && list.length === count.value && (
              <button
                type="button"
                onClick={() => {
                  count.value = MAX
                }}
              >
                {TEXTS.more}
              </button>
            )}
          </>
        )}
      </Shown>
    </section>
  )
}

function Sending({ one }: { one: Answers['AlertFiring']['sent'][number] }) {
  const words = one.last_error ?? one.last_answer ?? ''
  // The answer of a mail server begins with the status.
  const status = words.includes(String(one.last_status)) ? null : one.last_status
  const answer = [status, words].filter((part) => part !== null && part !== '')
  return (
    <p>
      <Status of={one.state} texts={TEXTS.webhooks.states} /> {one.to}{' '}
      <span class="soft">
        {answer.join(' · ')} {one.attempts > 1 && TEXTS.alerts.attempts(one.attempts)}{' '}
        {one.state === 'waiting' && one.attempts > 0 && (
          <>
            {TEXTS.alerts.next} <Time at={one.next_at} />
          </>
        )}
      </span>
    </p>
  )
}
