import { ask, type System as Figures } from '../api.ts'
import { changes } from '../feed.ts'
import { Shown, useLoaded } from '../parts/load.tsx'
import { TEXTS } from '../texts.ts'

export function System() {
  const texts = TEXTS.system
  const figures = useLoaded(
    () => ask<Figures>('GET', '/system'),
    () => changes.value,
  )
  return (
    <>
      <h1>{texts.title}</h1>
      <Shown of={figures}>
        {(system) => (
          <>
            <section>
              <dl class="figures">
                {[
                  [texts.running, String(system.running)],
                  [texts.queued, String(system.queued.reduce((sum, { count }) => sum + count, 0))],
                  [texts.late, texts.seconds(system.latest_bot_seconds)],
                  [texts.start, texts.seconds(system.start_seconds.median)],
                  [texts.start95, texts.seconds(system.start_seconds.p95)],
                  [texts.deliveries, String(system.waiting_deliveries)],
                  [texts.oldest, texts.seconds(system.oldest_delivery_seconds)],
                  [texts.version, `${system.version} (Node ${system.node}, PostgreSQL ${system.postgres})`],
                ].map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
            </section>
            <section>
              <h2>{texts.reasons}</h2>
              {system.queued.length === 0 ? (
                <p class="soft">{texts.noReasons}</p>
              ) : (
                <ul>
                  {system.queued.map(({ reason, count }) => (
                    <li key={reason}>
                      {count}: {reason ?? TEXTS.none}
                    </li>
                  ))}
                </ul>
              )}
            </section>
          </>
        )}
      </Shown>
    </>
  )
}
