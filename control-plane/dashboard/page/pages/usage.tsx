import { type Answers, dashboard, dataOf } from '../api.ts'
import { number } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { TEXTS } from '../texts.ts'

export function Usage() {
  const texts = TEXTS.usage
  const usage = useLoaded(() => dataOf(dashboard.GET('/usage', { params: { query: { days: 30 } } })))
  const ledger = useLoaded(() => dataOf(dashboard.GET('/ledger', { params: { query: { limit: 100 } } })))
  return (
    <>
      <h1>{texts.title}</h1>
      <Shown of={usage}>
        {({ plan, balance, reserved, spent, days }) => (
          <>
            <section>
              <dl class="figures">
                <Figure name={texts.balance} value={balance === null ? texts.unlimited : number(balance)} />
                <Figure name={texts.reserved} value={number(reserved)} />
                <Figure name={texts.spent} value={number(spent)} />
                <Figure name={texts.plan} value={plan} />
              </dl>
            </section>
            <section>
              <h2>{texts.days}</h2>
              {days.length === 0 ? <p class="soft">{texts.empty}</p> : <Days days={days} />}
            </section>
          </>
        )}
      </Shown>
      <section>
        <h2>{texts.ledger}</h2>
        <Shown of={ledger}>
          {(entries) =>
            entries.length === 0 ? (
              <p class="soft">{texts.empty}</p>
            ) : (
              <Table columns={texts.columns} label={texts.ledger}>
                {entries.map((entry) => (
                  <tr key={entry.id}>
                    <td>
                      <Time at={entry.at} />
                    </td>
                    <td>{entry.kind}</td>
                    <td>{entry.meter ?? TEXTS.none}</td>
                    <td class="number">{number(entry.amount)}</td>
                    <td>
                      {entry.bot_id === null ? (
                        TEXTS.none
                      ) : (
                        <Link to={`/bots/${entry.bot_id}`}>{entry.bot_id.slice(0, 8)}</Link>
                      )}
                    </td>
                  </tr>
                ))}
              </Table>
            )
          }
        </Shown>
      </section>
    </>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

const totalOf = (charged: Record<string, number>) => Object.values(charged).reduce((sum, amount) => sum + amount, 0)

function Days({ days }: { days: Answers['Usage']['days'] }) {
  const most = Math.max(...days.map(({ charged }) => totalOf(charged)), Number.MIN_VALUE)
  return (
    <>
      <svg class="bars" viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true" width="100%" height="9rem">
        {days.map(({ day, charged }, place) => {
          const height = (totalOf(charged) / most) * 40
          const width = 100 / days.length
          return (
            <rect
              key={day}
              x={place * width + 0.2}
              y={40 - height}
              width={width - 0.4}
              height={height}
              fill="var(--accent)"
            />
          )
        })}
      </svg>
      <Table columns={TEXTS.usage.dayColumns} label={TEXTS.usage.days}>
        {[...days].reverse().map(({ day, bots, charged }) => (
          <tr key={day}>
            <td>{day}</td>
            <td class="number">{bots}</td>
            <td class="number">{number(charged.recording ?? 0)}</td>
            <td class="number">{number((charged.transcription ?? 0) + (charged.byok_transcription ?? 0))}</td>
            <td class="number">{number((charged.streaming_input ?? 0) + (charged.streaming_output ?? 0))}</td>
            <td class="number">{number(totalOf(charged))}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}
