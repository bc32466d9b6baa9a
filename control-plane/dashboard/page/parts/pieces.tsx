/** Small components of several pages. */
import type { ComponentChildren } from 'preact'
import { STATUS_TEXTS, TEXTS } from '../texts.ts'
import { exactTime } from './format.ts'

const GOOD = new Set(['in_call_recording', 'recording_resumed', 'completed', 'delivered', 'active'])
const BAD = new Set(['failed', 'dropped', 'error', 'revoked', 'permission_denied', 'invalid'])

export function Status({ of, texts = STATUS_TEXTS }: { of: string; texts?: Readonly<Record<string, string>> }) {
  const kind = GOOD.has(of) ? 'good' : BAD.has(of) ? 'bad' : 'wait'
  return <span class={`status ${kind}`}>{texts[of] ?? of}</span>
}

export function Time({ at }: { at: string | null }) {
  return at === null ? TEXTS.none : <time dateTime={at}>{exactTime(at)}</time>
}

interface TableProps<T> {
  texts: { title: string; columns: readonly string[]; empty?: string }
  entries: readonly T[]
  /** Places of the columns with numbers. */
  numeric?: readonly number[]
  keyOf: (entry: T) => string | number
  cells: (entry: T) => ComponentChildren[]
}

/** A row for each entry, or a sentence if there are none. */
export function Table<T>({ texts: { title, columns, empty }, entries, numeric = [], keyOf, cells }: TableProps<T>) {
  if (entries.length === 0 && empty !== undefined) return <p class="soft">{empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <th key={place} scope="col">
                {column || <span class="unseen">{TEXTS.actions}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={keyOf(entry)}>
              {cells(entry).map((cell, place) => (
                <td key={place} class={numeric.includes(place) ? 'number' : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A key or a secret that is shown once. */
export function Secret({ title, value }: { title: string; value: string }) {
  return (
    <p class="notice" role="status">
      {title} {TEXTS.shownOnce}
      <br />
      <span class="secret">{value}</span>
    </p>
  )
}
