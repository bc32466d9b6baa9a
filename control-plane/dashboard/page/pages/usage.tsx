import { useMemo } from 'preact/hooks'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { Chart } from '../parts/chart.tsx'
import { Choice } from '../parts/form.tsx'
import { number, signed } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Table, Time } from '../parts/pieces.tsx'
import { coreHours, costOf, gigabytes, memoryHours } from '../parts/resources.tsx'
import { Link, queryValue, setQuery } from '../router.tsx'
import { me } from '../session.ts'
import { TEXTS } from '../texts.ts'

const PLANS = { self_hosted: 'Self-hosted' } as Record<string, string>
const LEDGER = 'Ledger'
const EMPTY = 'There is no usage yet.'
const KINDS = {
  reserve: 'Reserved',
  release: 'Released',
  charge: 'Charged',
  grant: 'Granted',
  adjust: 'Adjusted',
} as Record<string, string>
const METERS = {
  recording: 'Recording',
  transcription: 'Transcription',
  byok_transcription: 'Transcription with your own key',
  streaming_input: 'Streaming to the bot',
  streaming_output: 'Streaming from the bot',
} as Record<string, string>
const DAYS = 'Usage per day'
const FIGURE_NAMES = { minutes: 'Recorded minutes', tokens: 'Tokens', bots: 'Bots', cores: 'Core hours' }
const RESOURCES = 'Resources of bots'

const TOKEN_COLUMNS = ['Recording', 'Transcription', 'Streaming', 'Tokens']

/** Else they are unlimited, and say nothing to the person. */
const paysTokens = () => me.value?.team.counts_tokens === true

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
  return (
    <>
      <h1>Usage</h1>
      <Shown of={usage}>
        {({ plan, balance, reserved, spent, days: used }) => (
          <>
            <section>
              <dl class="figures">
                {balance !== null && (
                  <>
                    <Figure name="Balance" value={number(balance)} />
                    <Figure name="Reserved" value={number(reserved)} />
                    <Figure name="Spent" value={number(spent)} />
                  </>
                )}
                <Figure name="Plan" value={PLANS[plan] ?? plan} />
              </dl>
            </section>
            <Days used={used} count={days} />
            <Resources ofDays={used} count={days} />
          </>
        )}
      </Shown>
      {paysTokens() && <Ledger />}
    </>
  )
}

function Ledger() {
  const ledger = useLoaded(() => dataOf(dashboard.GET('/ledger', { params: { query: { limit: 100 } } })))
  return (
    <section>
      <h2>{LEDGER}</h2>
      <Shown of={ledger}>
        {(entries) => (
          <Table
            texts={{ title: LEDGER, columns: ['Time', 'Type', 'Meter', 'Tokens', 'Bot'], empty: EMPTY }}
            entries={entries}
            numeric={[3]}
            keyOf={(entry) => entry.id}
            cells={(entry) => [
              <Time at={entry.at} />,
              KINDS[entry.kind] ?? entry.kind,
              entry.meter === null ? TEXTS.none : (METERS[entry.meter] ?? entry.meter),
              signed(TAKES.has(entry.kind) ? -Math.abs(entry.amount) : entry.amount),
              entry.bot_id === null ? TEXTS.none : <Link to={`/bots/${entry.bot_id}`}>{entry.bot_id.slice(0, 8)}</Link>,
            ]}
          />
        )}
      </Shown>
    </section>
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
  const { tokens, ...others } = FIGURE_NAMES
  const names: Record<string, string> = paysTokens() ? FIGURE_NAMES : others
  const figure = queryValue('figure') in names ? queryValue('figure') : 'minutes'
  const bars = useMemo(
    () => allDays(used, count).map((day) => [day.day, FIGURES[figure]!(day)] as const),
    [used, count, figure],
  )
  return (
    <section>
      <h2>{DAYS}</h2>
      <div class="actions filters">
        <Choice
          label="Figure"
          name="figure"
          options={names}
          value={figure}
          onChange={(value) => setQuery({ figure: value })}
        />
        <Choice
          label="Period"
          name="days"
          options={{ 7: '7 days', 30: '30 days', 90: '90 days' }}
          value={String(count)}
          onChange={(value) => setQuery({ days: value })}
        />
      </div>
      <Chart dayLabel="Day" label={names[figure]!} days={bars} />
      <details>
        <summary>As a table</summary>
        <Table
          texts={{
            title: DAYS,
            columns: ['Day (UTC)', 'Bots', 'Minutes', ...(paysTokens() ? TOKEN_COLUMNS : [])],
            empty: EMPTY,
          }}
          entries={[...used].reverse()}
          numeric={[1, 2, 3, 4, 5, 6]}
          keyOf={({ day }) => day}
          cells={(day) => [
            day.day,
            day.bots,
            number(Math.round(day.recorded_minutes * 10) / 10),
            ...(paysTokens()
              ? [
                  number(day.charged.recording ?? 0),
                  number((day.charged.transcription ?? 0) + (day.charged.byok_transcription ?? 0)),
                  number((day.charged.streaming_input ?? 0) + (day.charged.streaming_output ?? 0)),
                  number(totalOf(day)),
                ]
              : []),
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
      <h2>{RESOURCES}</h2>
      <div class="actions filters">
        <Choice
          label="Sums"
          name="per"
          options={{ day: 'by day', month: 'by month' }}
          value={per}
          onChange={(value) => setQuery({ per: value })}
        />
      </div>
      <Shown of={sums}>
        {(rows) => (
          <Table
            texts={{
              title: RESOURCES,
              columns: [
                'When (UTC)',
                'Core hours',
                'GB hours of memory',
                'GB received',
                'GB sent',
                'GB stored',
                'Cost',
              ],
              empty: 'No bot has reported its resources yet.',
            }}
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
