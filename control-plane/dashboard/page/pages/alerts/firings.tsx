import { type Signal, useSignal } from '@preact/signals'
import { type AlertFiring, ask } from '../../api.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { Status, Time } from '../../parts/pieces.tsx'
import { TEXTS } from '../../texts.ts'

const FIRST = 20
const MOST = 100

/** The alerts that fired, where each was sent, and the responses. */
export function Firings({ looks }: { looks: Signal<number> }) {
  const texts = TEXTS.alerts
  const count = useSignal(FIRST)
  const firings = useLoaded(
    () => ask<AlertFiring[]>('GET', `/alert-firings?limit=${count.value}`),
    () => [looks.value, count.value],
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
            {count.value < MOST && list.length === count.value && (
              <button
                type="button"
                onClick={() => {
                  count.value = MOST
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

function Sending({ one }: { one: AlertFiring['sent'][number] }) {
  const words = one.last_error ?? one.last_answer ?? ''
  // The reply of a mail server begins with its status code.
  const status = words.includes(String(one.last_status)) ? null : one.last_status
  const answer = [status, words].filter((part) => part !== null && part !== '')
  return (
    <p>
      <Status of={one.state} texts={TEXTS.webhooks.states} /> {one.to}{' '}
      <span class="soft">
        {answer.join(' · ')} {one.attempts > 1 && TEXTS.alerts.tries(one.attempts)}{' '}
        {one.state === 'waiting' && one.attempts > 0 && (
          <>
            {TEXTS.alerts.again} <Time at={one.next_at} />
          </>
        )}
      </span>
    </p>
  )
}
