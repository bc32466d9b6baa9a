import type { Signal } from '@preact/signals'
import { answerOf, type TimelineStep, v2 } from '../../api.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { Time } from '../../parts/pieces.tsx'
import { TEXTS } from '../../texts.ts'

/** Each step with its details. Reloaded with the bot. */
export function Timeline({ id, version }: { id: string; version: Signal<unknown> }) {
  const steps = useLoaded(
    () =>
      answerOf(v2.GET('/v2/bots/{bot_id}/timeline', { params: { path: { bot_id: id } } })) as Promise<{
        data: TimelineStep[]
      }>,
    () => version.value,
    [id],
  )
  return (
    <Shown of={steps}>
      {({ data }) => (
        <ol class="timeline">
          {data.map((step, place) => (
            <li key={place} class={KINDS[step.kind] ?? ''}>
              <Time at={step.at} />
              <p>{step.sentence}</p>
              {step.evidence !== null && Object.keys(step.evidence).length > 0 && (
                <details>
                  <summary>{TEXTS.bot.evidence}</summary>
                  <pre>{JSON.stringify(step.evidence, null, 2)}</pre>
                </details>
              )}
            </li>
          ))}
        </ol>
      )}
    </Shown>
  )
}

/** Highlights the steps of a bot that failed during its meeting. */
const KINDS: Record<string, string> = { lost: 'lost', resumed: 'resumed', assembling: 'parts', assembled: 'parts' }
