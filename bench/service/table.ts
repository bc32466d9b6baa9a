/** Figures of the service as a table in Markdown. */
import { markdown } from '../shared/table.ts'
import type { Figure, Goal } from './measure.ts'

export function tableOf(figures: readonly Figure[]): string[] {
  const head = ['measure', 'service', 'plainest program', 'ratio', 'goal', 'reached']
  return markdown(
    head,
    figures.map((figure) => {
      const { measure, value, unit, plain, goal } = figure
      const isReached = reaches(figure)
      return [
        measure,
        `${shown(value)} ${unit}`,
        plain === null ? '–' : `${shown(plain)} ${unit}`,
        plain === null || plain === 0 ? '–' : (value / plain).toFixed(2),
        goal === null ? '–' : shownGoal(goal, unit),
        isReached === null ? '–' : isReached ? 'yes' : '**no**',
      ]
    }),
  )
}

/** Null without a goal. A figure that is not a number misses its goal. */
export function reaches({ value, plain, goal }: Figure): boolean | null {
  if (goal === null) return null
  if ('atMost' in goal) return value <= goal.atMost
  if ('atLeast' in goal) return value >= goal.atLeast
  if (plain === null) return null
  return 'ratioAtMost' in goal ? value / plain <= goal.ratioAtMost : value / plain >= goal.ratioAtLeast
}

function shownGoal(goal: Goal, unit: string): string {
  if ('atMost' in goal) return `≤ ${shown(goal.atMost)} ${unit}`
  if ('atLeast' in goal) return `≥ ${shown(goal.atLeast)} ${unit}`
  return 'ratioAtMost' in goal ? `≤ ${goal.ratioAtMost} of it` : `≥ ${goal.ratioAtLeast} of it`
}

/** Three significant digits. */
function shown(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}
