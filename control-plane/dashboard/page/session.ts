/** Who is signed in. */
import { signal } from '@preact/signals'
import { ask, type Me, type Role, StandinApiError } from './api.ts'

/** `undefined`: not known yet; null: not signed in. */
export const me = signal<Me | null | undefined>(undefined)

export async function loadMe(): Promise<void> {
  try {
    me.value = await ask<Me>('GET', '/me')
  } catch (error) {
    if (error instanceof StandinApiError && error.status === 401) me.value = null
    else throw error
  }
}

const RANKS: Record<Role, number> = { viewer: 0, member: 1, owner: 2 }

export function may(role: Role): boolean {
  return me.value != null && RANKS[me.value.role] >= RANKS[role]
}
