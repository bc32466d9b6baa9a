/** Resources that bots used, and their cost. */
import type { Schemas } from '../api.ts'
import { TEXTS } from '../texts.ts'
import { number } from './format.ts'

const PHASES = {
  starting: 'starting',
  joining: 'joining',
  waiting_room: 'in the waiting room',
  in_call: 'in the meeting',
  recording: 'recording',
  paused: 'paused',
  finishing: 'finishing',
  transcribing: 'transcribing',
} as Record<string, string>

type Resources = NonNullable<Schemas['Bot']['usage']>

const GB = 1e9
const rounded = (value: number, decimals: number) => number(Math.round(value * 10 ** decimals) / 10 ** decimals)

/** Such as `EUR 0.0123`; a hyphen without a price list. */
export const costOf = ({ cost }: Pick<Resources, 'cost'>): string =>
  cost === null ? TEXTS.none : `${cost.currency} ${number(Number(cost.amount))}`

export const coreHours = ({ core_seconds: seconds }: Resources): string => rounded(seconds / 3600, 3)
export const memoryHours = ({ memory_gb_hours: hours }: Resources): string => rounded(hours, 3)
export const gigabytes = (bytes: number): string => rounded(bytes / GB, 3)

export function ResourceFacts({ of: used }: { of: Resources }) {
  const seconds = Object.values(used.phase_seconds).reduce((sum, one) => sum + one, 0)
  const phases = Object.entries(used.phase_seconds).filter(([, one]) => one > 0)
  return (
    <details>
      <summary>
        Resources: {rounded(used.core_seconds, 1)} core seconds
        {used.cost !== null && `, ${costOf(used)}`}
      </summary>
      <ul>
        {used.peak_memory_bytes !== null && <li>Highest memory {gigabytes(used.peak_memory_bytes)} GB</li>}
        <li>
          Received {gigabytes(used.bytes_received)} GB, sent {gigabytes(used.bytes_sent)} GB, stored{' '}
          {gigabytes(used.bytes_stored)} GB
        </li>
        <li>
          Lived {rounded(seconds, 1)} s:{' '}
          {phases.map(([phase, one]) => `${PHASES[phase] ?? phase} ${rounded(one, 1)} s`).join(', ')}
        </li>
        {used.cost !== null && (
          <li>
            Cost {costOf(used)} (by the price list of {used.cost.prices_as_of})
          </li>
        )}
      </ul>
    </details>
  )
}
