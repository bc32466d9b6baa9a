import type { JoinStep } from '../../platforms/shared/page-state.ts'

/**
 * Rows of a table of outcomes: the row's name, the snapshot of a page, its state, the step of the join, the code before
 * admission, and whether a fresh attempt may help. A key of the table is `<state> <step> <code or -> [retry]`.
 */
export function outcomeRows<Snapshot, Kind extends string>(
  table: Readonly<Record<string, Readonly<Record<string, Partial<Snapshot>>>>>,
): [string, Partial<Snapshot>, Kind, JoinStep, string | null, boolean][] {
  return Object.entries(table).flatMap(([outcome, rows]) => {
    const [kind, step, code, retry] = outcome.split(' ') as [Kind, JoinStep, string, string?]
    return Object.entries(rows).map(
      ([row, shown]): [string, Partial<Snapshot>, Kind, JoinStep, string | null, boolean] => [
        row,
        shown,
        kind,
        step,
        code === '-' ? null : code,
        retry !== undefined,
      ],
    )
  })
}
