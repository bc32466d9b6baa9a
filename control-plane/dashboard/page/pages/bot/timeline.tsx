import { useSignal } from '@preact/signals'
import { sizeOf } from '../../../../../packages/page-parts/size.ts'
import type { TimelineStep } from '../../api.ts'
import { Time } from '../../parts/pieces.tsx'

/** Steps that other tabs show too. */
const IN_OTHER_TABS = /^(file_|webhook|delivery)/

/** Each step with its details. */
export function Timeline({ steps }: { steps: readonly TimelineStep[] }) {
  const isWhole = useSignal(false)
  const others = steps.filter(({ kind }) => IN_OTHER_TABS.test(kind)).length
  return (
    <>
      {others > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isWhole.value}
            onChange={(event) => {
              isWhole.value = event.currentTarget.checked
            }}
          />{' '}
          {`Show ${others} steps of files and webhooks`}
        </label>
      )}
      <ol class="timeline">
        {steps
          .filter(({ kind }) => isWhole.value || !IN_OTHER_TABS.test(kind))
          .map((step, place) => (
            <li key={place} class={KINDS[step.kind] ?? ''}>
              <Time at={step.at} isExact />
              <p>{step.sentence.replace(/(\d+) bytes/, (_whole, bytes: string) => sizeOf(Number(bytes)))}</p>
              {step.evidence !== null && Object.keys(step.evidence).length > 0 && (
                <details>
                  <summary>Details</summary>
                  <pre>{JSON.stringify(step.evidence, null, 2)}</pre>
                </details>
              )}
            </li>
          ))}
      </ol>
    </>
  )
}

/** Highlights the steps of a bot that failed during its meeting. */
const KINDS: Record<string, string> = { lost: 'lost', resumed: 'resumed', assembling: 'parts', assembled: 'parts' }
