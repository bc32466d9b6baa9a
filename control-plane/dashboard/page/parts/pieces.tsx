/** Small components of several pages. */

import { PLATFORM_TITLES, type PlatformName } from '@standin/wire/platforms.ts'
import { ArrowDown, ArrowUp, Copy, type IconNode } from 'lucide'
import type { ComponentChildren } from 'preact'
import { ROOT } from '../place.ts'
import { TEXTS } from '../texts.ts'
import { dateTime, exactTime, utcTime } from './format.ts'
import { Icon } from './icon.tsx'
import { toast } from './toasts.tsx'

export const STATUS_TEXTS: Record<string, string> = {
  queued: 'Waiting to start',
  joining_call: 'Joining',
  in_waiting_room: 'In the waiting room',
  in_call_not_recording: 'In the meeting',
  in_call_recording: 'Recording',
  recording_paused: 'Paused',
  recording_resumed: 'Recording',
  transcribing: 'Transcribing',
  assembling: 'Merging the parts',
  completed: 'Completed',
  failed: 'Failed',
  scheduled: 'Scheduled',
  cancelled: 'Cancelled',
}

const GOOD = new Set(['in_call_recording', 'recording_resumed', 'completed', 'delivered', 'active'])
const BAD = new Set(['failed', 'dropped', 'error', 'revoked', 'permission_denied', 'invalid', 'failing'])

export function Status({ of, texts = STATUS_TEXTS }: { of: string; texts?: Readonly<Record<string, string>> }) {
  const kind = GOOD.has(of) ? 'good' : BAD.has(of) ? 'bad' : 'wait'
  return <span class={`status ${kind}`}>{texts[of] ?? of}</span>
}

/** In the reader's zone; UTC on hover. */
export function Time({ at, isExact = false }: { at: string | null; isExact?: boolean }) {
  if (at === null) return <>{TEXTS.none}</>
  return (
    <time dateTime={at} title={utcTime(at)}>
      {isExact ? exactTime(at) : dateTime(at)}
    </time>
  )
}

/** The platform's initial in its color, and its name if that is not said beside it. */
export function Platform({ of, isNamed = false }: { of: string; isNamed?: boolean }) {
  const name = PLATFORM_TITLES[of as PlatformName] ?? of
  return (
    <span class="platform">
      <span class={`initial ${of}`} aria-hidden="true" title={name}>
        {(of[0] ?? '').toUpperCase()}
      </span>
      <span class={isNamed ? undefined : 'unseen'}>{name}</span>
    </span>
  )
}

export function MeetingLink({ of: address }: { of: string }) {
  if (!/^https?:\/\//.test(address)) return <span class="one-line">{address}</span>
  return (
    <a class="one-line" href={address} target="_blank" rel="noopener noreferrer">
      {address.replace(/^https?:\/\//, '')}
    </a>
  )
}

/** Words between backticks are shown as code. */
export function Marked({ text }: { text: string }) {
  return <>{text.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}</>
}

/** An explanation, with a link to its page of the documentation. */
export function Help({ text, page }: { text: string; page: string }) {
  return (
    <p class="soft">
      {text} <a href={`${ROOT}/help/${page}`}>Documentation</a>
    </p>
  )
}

/** A list without entries: what would be here, and what to do about it. */
export function Empty({ icon, text, children }: { icon: IconNode; text: string; children?: ComponentChildren }) {
  return (
    <div class="nothing">
      <Icon of={icon} />
      <p>{text}</p>
      {children}
    </div>
  )
}

export async function copy(text: string, message = 'Copied.'): Promise<void> {
  if (navigator.clipboard) await navigator.clipboard.writeText(text)
  else copyOverHttp(text)
  toast(message)
}

/** A page that came without TLS, as in a local network, has no clipboard of its own. */
function copyOverHttp(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <button type="button" class="bare" aria-label={label} title={label} onClick={() => void copy(text)}>
      <Icon of={Copy} />
    </button>
  )
}

/** A value as text, with a button that copies it. */
export function Json({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h3>
        {title} <CopyButton text={text} label={TEXTS.copyOf(title)} />
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
      <section class="json" tabIndex={0} aria-label={title}>
        <pre>{text}</pre>
      </section>
    </>
  )
}

interface Sort {
  /** Of each column; null: it does not sort. */
  keys: readonly (string | null)[]
  /** The key, after `-` if the largest comes first. */
  value: string
  onChange: (value: string) => void
}

interface TableProps<T> {
  texts: { title: string; columns: readonly string[]; empty?: string }
  entries: readonly T[]
  /** Places of the columns with numbers. */
  numeric?: readonly number[]
  sort?: Sort
  keyOf: (entry: T) => string | number
  cells: (entry: T) => ComponentChildren[]
}

/**
 * A row for each entry, or a sentence if there are none. A link with the class `row-link` covers its whole row. On narrow
 * windows each row is a card.
 */
export function Table<T>({ texts, entries, numeric = [], sort, keyOf, cells }: TableProps<T>) {
  const { title, columns, empty } = texts
  if (entries.length === 0 && empty !== undefined) return <p class="soft">{empty}</p>
  const classOf = (place: number) => (numeric.includes(place) ? 'number' : undefined)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            {columns.map((column, place) => {
              const key = sort?.keys[place] ?? null
              return (
                <th
                  key={place}
                  scope="col"
                  class={classOf(place)}
                  aria-sort={key === null ? undefined : order(sort!, key)}
                >
                  {key === null ? (
                    column || <span class="unseen">Actions</span>
                  ) : (
                    <SortButton sort={sort!} of={key}>
                      {column}
                    </SortButton>
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={keyOf(entry)}>
              {cells(entry).map((cell, place) => (
                <td key={place} class={classOf(place)} data-column={columns[place] || undefined}>
                  {asOne(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function order({ value }: Sort, key: string): 'ascending' | 'descending' | 'none' {
  return value === key ? 'ascending' : value === `-${key}` ? 'descending' : 'none'
}

/** The largest first, then the smallest, then as the service lists them. */
function SortButton({ sort, of: key, children }: { sort: Sort; of: string; children: ComponentChildren }) {
  const next = { none: `-${key}`, descending: key, ascending: '' }[order(sort, key)]
  const icon = { none: null, descending: ArrowDown, ascending: ArrowUp }[order(sort, key)]
  return (
    <button type="button" class="bare" onClick={() => sort.onChange(next)}>
      {children}
      {icon && <Icon of={icon} />}
    </button>
  )
}

/** A cell is a grid on narrow windows, so its content has to be one child. */
const asOne = (cell: ComponentChildren) => (cell === null || cell === false ? null : <div>{cell}</div>)

/** A key or a secret that is shown once. */
export function Secret({ title, value }: { title: string; value: string }) {
  return (
    <p class="notice" role="status">
      {title} Copy it now. It is shown only once.
      <br />
      <span class="secret">{value}</span> <CopyButton text={value} label="Copy" />
    </p>
  )
}
