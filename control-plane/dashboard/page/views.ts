/** Saved views of the list of meetings. */
import { signal } from '@preact/signals'
import { type Answers, dashboard, dataOf } from './api.ts'

type View = Answers['SavedView']

export const views = signal<readonly View[]>([])

export async function loadViews(): Promise<void> {
  views.value = await dataOf(dashboard.GET('/views'))
}

export const FILTERS = ['name', 'status', 'platform', 'since'] as const

/** In one order, so that equal views have equal addresses. */
export function addressOf({ filters }: Pick<View, 'filters'>): string {
  const values = [...FILTERS, 'sort' as const].map((name) => [name, filters[name] ?? ''])
  return `/bots?${new URLSearchParams(values.filter(([, value]) => value !== ''))}`
}
