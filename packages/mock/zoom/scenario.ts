/** Helpers that the scenarios of Zoom share. */
import { admitAfter, type Scenario, type Step } from '../shared/scenario.ts'
import type { MockPerson } from '../types.ts'
import type { ScenarioSettings } from './settings.ts'

export type ZoomScenario = Scenario<ScenarioSettings>

export const OPEN: Partial<ScenarioSettings> = { afterJoin: 'call' }

/** A wait that a host ends after a while. */
export const ADMITTED: Step[] = [admitAfter(2000)]

export function crowd(count: number): MockPerson[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `p${index + 1}`,
    name: index === 0 ? 'Ann Host' : `Guest Number ${index + 1}`,
    isHost: index === 0,
    camera: index < 3,
    muted: index > 2,
  }))
}
