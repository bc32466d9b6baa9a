import { type Answers, dashboard, dataOf } from '../api.ts'
import { changes } from '../feed.ts'
import { number } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Table } from '../parts/pieces.tsx'
import { TEXTS } from '../texts.ts'

const secondsText = (value: number | null) => (value === null ? '–' : `${value.toFixed(value < 10 ? 1 : 0)} s`)
const CAPACITY = 'Capacity'
const FREE = 'Free slots, at most'
const ENGINE = 'decided by the engine'

type Figures = Answers['System']
/** Name, value and explanation. */
type Figure = readonly [string, string, string]

export function System() {
  const figures = useLoaded(
    () => dataOf(dashboard.GET('/system')),
    () => changes.value,
  )
  return (
    <>
      <h1>System</h1>
      <Shown of={figures}>
        {(system) => (
          <>
            <Section
              title="Delays"
              figures={[
                [
                  'Longest delay of a bot',
                  secondsText(system.latest_bot_seconds),
                  'How late the most delayed bot is now. A few seconds are normal.',
                ],
                [
                  'Start time of a bot, median',
                  secondsText(system.start_seconds.median),
                  'From the launch request until the process runs, over the last 100 launches.',
                ],
                [
                  'Start time of a bot, 95th percentile',
                  secondsText(system.start_seconds.p95),
                  'One launch in twenty takes longer. Bots are launched earlier by about this time.',
                ],
              ]}
            />
            <section>
              <h2>Queues</h2>
              <FigureList figures={queuesOf(system)} />
              <h3>Why bots wait</h3>
              {system.queued.length === 0 ? (
                <p class="soft">No bots are waiting.</p>
              ) : (
                <ul>
                  {system.queued.map(({ reason, count }) => (
                    <li key={reason}>
                      {number(count)}: {reason ?? 'no reason yet'}
                    </li>
                  ))}
                </ul>
              )}
            </section>
            <section>
              <h2>{CAPACITY}</h2>
              <FigureList
                figures={[
                  [
                    'Running bots',
                    number(system.running),
                    'On all machines, from the launch to the end of the transcription.',
                  ],
                  [
                    FREE,
                    freeOf(system),
                    'Bots of sound only that can be launched now, over all launchers with a known limit. A picture takes more.',
                  ],
                ]}
              />
              <Launchers of={system} />
            </section>
            <Section
              title="Versions"
              figures={[
                ['This service', system.version, 'The version of the process that serves this page.'],
                ['Node.js', system.node, 'The runtime of the service.'],
                ['PostgreSQL', system.postgres, 'The database server.'],
                ['Newest migration', system.migrations.newest ?? TEXTS.none, migrationsOf(system)],
              ]}
            />
          </>
        )}
      </Shown>
    </>
  )
}

function Section({ title, figures }: { title: string; figures: readonly Figure[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <FigureList figures={figures} />
    </section>
  )
}

function FigureList({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="figures explained">
      {figures.map(([name, value, meaning]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd class="meaning">{meaning}</dd>
        </div>
      ))}
    </dl>
  )
}

function Launchers({ of: { launchers, version } }: { of: Figures }) {
  if (launchers.length === 0)
    return <p class="notice bad">No launcher is running. Start a process with the role launcher.</p>
  return (
    <>
      {launchers.some((one) => one.version !== version) && (
        <p class="notice">Some launchers run another version than this service. This is normal during an upgrade.</p>
      )}
      <Table
        texts={{ title: CAPACITY, columns: ['Launcher', FREE, 'Limit', 'Bot image', 'Version'] }}
        entries={launchers}
        keyOf={(one) => launchers.indexOf(one)}
        cells={(one) => [
          one.launcher,
          <>
            {one.free === undefined ? ENGINE : number(one.free)} {one.reason && <span>({one.reason})</span>}
          </>,
          one.limit === undefined ? TEXTS.none : number(one.limit),
          one.image ?? 'none: local processes',
          one.version,
        ]}
      />
    </>
  )
}

function queuesOf(system: Figures): Figure[] {
  const waiting = system.queued.reduce((sum, { count }) => sum + count, 0)
  const commands =
    system.waiting_commands === 0
      ? '0'
      : `${number(system.waiting_commands)} (${secondsText(system.oldest_command_seconds)})`
  return [
    ['Waiting bots', number(waiting), 'Due, but not started yet. The reasons are listed below.'],
    [
      'Pending webhooks',
      number(system.waiting_deliveries),
      'Not delivered yet, including those that wait for their next attempt.',
    ],
    [
      'Oldest pending webhook',
      secondsText(system.oldest_delivery_seconds),
      'How late it is. More than a minute means that an endpoint or the dispatcher is slow.',
    ],
    [
      'Failing endpoints',
      number(system.failing_endpoints),
      'Endpoints of all teams that currently do not accept webhooks.',
    ],
    ['Pending commands', commands, 'For bots that are not connected. In parentheses: the age of the oldest.'],
    [
      'Pending deletions',
      number(system.waiting_deletions),
      'Deleted data whose files are not yet verified as removed.',
    ],
  ]
}

/** Total over the launchers that have a limit. */
function freeOf({ launchers }: Figures): string {
  const known = launchers.filter(({ free }) => free !== undefined)
  if (known.length === 0) return launchers.length === 0 ? '0' : ENGINE
  return number(known.reduce((sum, { free = 0 }) => sum + free, 0))
}

function migrationsOf({ migrations: { known, missing } }: Figures): string {
  return missing.length === 0
    ? `All ${known} migrations of this version are applied.`
    : `Migrations of this version are missing: ${missing.join(', ')}. Restart the service.`
}
