/** Access modes: how a meeting treats a bot that asks to join. A host switches them while the meeting is open. */
import type { Scenario } from './scenario.ts'

export type AccessModes<Settings> = Readonly<Record<string, { about: string; settings: Partial<Settings> }>>

/** Each access mode as a scenario, `access-` and its name. */
export function scenariosOf<Settings>(accessModes: AccessModes<Settings>): Record<string, Scenario<Settings>> {
  return Object.fromEntries(Object.entries(accessModes).map(([name, mode]) => [`access-${name}`, mode]))
}
