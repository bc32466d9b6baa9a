import { type Answers, dashboard, dataOf } from '../api.ts'
import { changes } from '../feed.ts'
import { number } from '../parts/format.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Table } from '../parts/pieces.tsx'
import { TEXTS } from '../texts.ts'

const texts = TEXTS.system

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
      <h1>{texts.title}</h1>
      <Shown of={figures}>
        {(system) => (
          <>
            <Section
              title={texts.lateness}
              figures={[
                [texts.late, texts.seconds(system.latest_bot_seconds), texts.lateHelp],
                [texts.start, texts.seconds(system.start_seconds.median), texts.startHelp],
                [texts.start95, texts.seconds(system.start_seconds.p95), texts.start95Help],
              ]}
            />
            <section>
              <h2>{texts.queues}</h2>
              <FigureList figures={queuesOf(system)} />
              <h3>{texts.reasons}</h3>
              {system.queued.length === 0 ? (
                <p class="soft">{texts.noReasons}</p>
              ) : (
                <ul>
                  {system.queued.map(({ reason, count }) => (
                    <li key={reason}>
                      {number(count)}: {reason ?? texts.noReason}
                    </li>
                  ))}
                </ul>
              )}
            </section>
            <section>
              <h2>{texts.capacity}</h2>
              <FigureList
                figures={[
                  [texts.running, number(system.running), texts.runningHelp],
                  [texts.free, freeOf(system), texts.freeHelp],
                ]}
              />
              <Launchers of={system} />
            </section>
            <Section
              title={texts.versions}
              figures={[
                [texts.version, system.version, texts.versionHelp],
                [texts.node, system.node, texts.nodeHelp],
                [texts.postgres, system.postgres, texts.postgresHelp],
                [texts.migrations, system.migrations.newest ?? TEXTS.none, migrationsOf(system)],
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
  if (launchers.length === 0) return <p class="notice bad">{texts.noLaunchers}</p>
  return (
    <>
      {launchers.some((one) => one.version !== version) && <p class="notice">{texts.mixed}</p>}
      <Table
        texts={{ title: texts.capacity, columns: texts.launcherColumns }}
        entries={launchers}
        keyOf={(one) => launchers.indexOf(one)}
        cells={(one) => [
          one.launcher,
          <>
            {one.free === undefined ? texts.engine : number(one.free)} {one.reason && <span>({one.reason})</span>}
          </>,
          one.limit === undefined ? TEXTS.none : number(one.limit),
          one.image ?? texts.sameProgram,
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
      : `${number(system.waiting_commands)} (${texts.seconds(system.oldest_command_seconds)})`
  return [
    [texts.queued, number(waiting), texts.queuedHelp],
    [texts.deliveries, number(system.waiting_deliveries), texts.deliveriesHelp],
    [texts.oldest, texts.seconds(system.oldest_delivery_seconds), texts.oldestHelp],
    [texts.endpoints, number(system.failing_endpoints), texts.endpointsHelp],
    [texts.commands, commands, texts.commandsHelp],
    [texts.deletions, number(system.waiting_deletions), texts.deletionsHelp],
  ]
}

/** Total over the launchers that have a limit. */
function freeOf({ launchers }: Figures): string {
  const known = launchers.filter(({ free }) => free !== undefined)
  if (known.length === 0) return launchers.length === 0 ? '0' : texts.engine
  return number(known.reduce((sum, { free = 0 }) => sum + free, 0))
}

function migrationsOf({ migrations: { known, missing } }: Figures): string {
  return missing.length === 0 ? texts.migrationsFine(known) : texts.migrationsMissing(missing.join(', '))
}
