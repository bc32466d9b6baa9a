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
          {(entries) => (
            <Table
              texts={{ title: texts.ledger, columns: texts.columns, empty: texts.empty }}
              entries={entries}
              numeric={[3]}
              keyOf={(entry) => entry.id}
              cells={(entry) => [
                <Time at={entry.at} />,
                entry.kind,
                entry.meter ?? TEXTS.none,
                number(entry.amount),
                entry.bot_id === null ? (
                  TEXTS.none
                ) : (
                  <Link to={`/bots/${entry.bot_id}`}>{entry.bot_id.slice(0, 8)}</Link>
                ),
              ]}
            />
          )}
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
      <Table
        texts={{ title: TEXTS.usage.days, columns: TEXTS.usage.dayColumns }}
        entries={[...days].reverse()}
        numeric={[1, 2, 3, 4, 5]}
        keyOf={({ day }) => day}
        cells={({ day, bots, charged }) => [
          day,
          bots,
          number(charged.recording ?? 0),
          number((charged.transcription ?? 0) + (charged.byok_transcription ?? 0)),
          number((charged.streaming_input ?? 0) + (charged.streaming_output ?? 0)),
          number(totalOf(charged)),
        ]}
      />
    </>
  )
}
