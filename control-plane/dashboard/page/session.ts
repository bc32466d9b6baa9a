/** The person who is signed in. */
import { signal } from '@preact/signals'
import { type Answers, dashboard, dataOf, type Role, StandinApiError } from './api.ts'
import { ROOT } from './place.ts'

/** `undefined` until it is loaded; null if no person is signed in. */
export const me = signal<Answers['Me'] | null | undefined>(undefined)

export async function loadMe(): Promise<void> {
  try {
    me.value = await dataOf(dashboard.GET('/me'))
  } catch (error) {
    if (error instanceof StandinApiError && error.status === 401) me.value = null
    else throw error
  }
}

/** Other tabs of the browser share the session. */
const tabs = new BroadcastChannel('standin-team')
tabs.onmessage = () => location.assign(`${ROOT}/dashboard`)

/** Acts for another person of the same sign-in. Every page starts again. */
export async function changeTeam(personId: string): Promise<void> {
  await dataOf(dashboard.POST('/change-team', { body: { person_id: personId } }))
  startAgain()
}

/** Another person acts in all tabs from now on. */
export function startAgain(): void {
  tabs.postMessage(null)
  location.assign(`${ROOT}/dashboard`)
}

const RANKS: Record<Role, number> = { viewer: 0, member: 1, owner: 2 }

export function may(role: Role | 'operator'): boolean {
  if (me.value == null) return false
  return role === 'operator' ? me.value.is_operator : RANKS[me.value.role] >= RANKS[role]
}
