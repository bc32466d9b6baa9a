import { useMemo } from 'preact/hooks'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { Chart } from '../parts/chart.tsx'
import { Choice } from '../parts/form.tsx'
import { number, signed } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Table, Time } from '../parts/pieces.tsx'
import { coreHours, costOf, gigabytes, memoryHours } from '../parts/resources.tsx'
import { Link, queryValue, setQuery } from '../router.tsx'
import { TEXTS } from '../texts.ts'

const texts = TEXTS.usage
type Day = Answers['Usage']['days'][number]

const totalOf = ({ charged }: Day) => Object.values(charged).reduce((sum, amount) => sum + amount, 0)

/** Entries that lower the balance. */
const TAKES: ReadonlySet<string> = new Set(['charge', 'reserve'])

/** The figures that the chart can show. */
const FIGURES: Record<string, (day: Day) => number> = {
  minutes: (day) => day.recorded_minutes,
  tokens: totalOf,
  bots: (day) => day.bots,
  cores: ({ resources }) => (resources?.core_seconds ?? 0) / 3600,
}

export function Usage() {
  const days = Number(queryValue('days')) || 30
  const usage = useLoaded(() => dataOf(dashboard.GET('/usage', { params: { query: { days } } })), undefined, [days])
  const ledger = useLoaded(() => dataOf(dashboard.GET('/ledger', { params: { query: { limit: 100 } } })))
  return (
    <>
      <h1>{texts.title}</h1>
      <Shown of={usage}>
        {({ plan, balance, reserved, spent, days: used }) => (
          <>
            <section>
              <dl class="figures">
                <Figure name={texts.balance} value={balance === null ? texts.unlimited : number(balance)} />
                <Figure name={texts.reserved} value={number(reserved)} />
                <Figure name={texts.spent} value={number(spent)} />
                <Figure name={texts.plan} value={texts.plans[plan] ?? plan} />
              </dl>
            </section>
            <Days used={used} count={days} />
            <Resources ofDays={used} count={days} />
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
                texts.kinds[entry.kind] ?? entry.kind,
                entry.meter === null ? TEXTS.none : (texts.meters[entry.meter] ?? entry.meter),
                signed(TAKES.has(entry.kind) ? -Math.abs(entry.amount) : entry.amount),
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

const DAY_MS = 86_400_000

/** The last days including today, also those without usage, oldest first. */
function allDays(used: readonly Day[], count: number): Day[] {
  const byDay = new Map(used.map((day) => [day.day, day]))
  const today = Date.now()
  return Array.from({ length: count }, (_, place) => {
    const day = new Date(today - (count - 1 - place) * DAY_MS).toISOString().slice(0, 10)
    return byDay.get(day) ?? { day, bots: 0, recorded_minutes: 0, charged: {}, resources: null }
  })
}

function Days({ used, count }: { used: readonly Day[]; count: number }) {
  const figure = queryValue('figure') in FIGURES ? queryValue('figure') : 'minutes'
  const bars = useMemo(
    () => allDays(used, count).map((day) => [day.day, FIGURES[figure]!(day)] as const),
    [used, count, figure],
  )
  return (
    <section>
      <h2>{texts.days}</h2>
      <div class="actions filters">
        <Choice
          label={texts.figure}
          name="figure"
          options={texts.figures}
          value={figure}
          onChange={(value) => setQuery({ figure: value })}
        />
        <Choice
          label={texts.period}
          name="days"
          options={texts.periods}
          value={String(count)}
          onChange={(value) => setQuery({ days: value })}
        />
      </div>
      <Chart dayLabel={texts.day} label={texts.figures[figure as keyof typeof texts.figures]} days={bars} />
      <details>
        <summary>{texts.table}</summary>
        <Table
          texts={{ title: texts.days, columns: texts.dayColumns, empty: texts.empty }}
          entries={[...used].reverse()}
          numeric={[1, 2, 3, 4, 5, 6]}
          keyOf={({ day }) => day}
          cells={(day) => [
            day.day,
            day.bots,
            number(Math.round(day.recorded_minutes * 10) / 10),
            number(day.charged.recording ?? 0),
            number((day.charged.transcription ?? 0) + (day.charged.byok_transcription ?? 0)),
            number((day.charged.streaming_input ?? 0) + (day.charged.streaming_output ?? 0)),
            number(totalOf(day)),
          ]}
        />
      </details>
    </section>
  )
}

/** Sums by day or by month, newest first. */
function Resources({ ofDays, count }: { ofDays: readonly Day[]; count: number }) {
  const per = queryValue('per') === 'month' ? 'month' : 'day'
  const sums = useLoaded(
    async () =>
      per === 'day'
        ? ofDays
        : (await dataOf(dashboard.GET('/usage', { params: { query: { days: count, per } } }))).days,
    undefined,
    [per, count, ofDays],
  )
  return (
    <section>
      <h2>{texts.resources}</h2>
      <div class="actions filters">
        <Choice
          label={texts.per}
          name="per"
          options={texts.pers}
          value={per}
          onChange={(value) => setQuery({ per: value })}
        />
      </div>
      <Shown of={sums}>
        {(rows) => (
          <Table
            texts={{ title: texts.resources, columns: texts.resourceColumns, empty: texts.noResources }}
            entries={rows.flatMap(({ day, resources }) => (resources === null ? [] : [{ day, resources }])).reverse()}
            numeric={[1, 2, 3, 4, 5, 6]}
            keyOf={({ day }) => day}
            cells={({ day, resources }) => [
              day,
              coreHours(resources),
              memoryHours(resources),
              gigabytes(resources.bytes_received),
              gigabytes(resources.bytes_sent),
              gigabytes(resources.bytes_stored),
              costOf(resources),
            ]}
          />
        )}
      </Shown>
    </section>
  )
}
