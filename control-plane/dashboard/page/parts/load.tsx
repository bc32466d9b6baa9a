/** Data that a page loads: loading, failed with a retry button, or loaded. */
import { effect, type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect } from 'preact/hooks'
import { sentenceOf } from '../api.ts'
import { returns } from '../away.ts'
import { useAction } from './action.tsx'

export interface Loaded<T> {
  value: Signal<T | undefined>
  error: Signal<string | null>
  reload(): Promise<void>
}

/**
 * `read` runs at once, and again when one of the keys or a signal that `when` reads changes, or the service came back.
 * Keeps the current content during a reload.
 */
export function useLoaded<T>(
  read: () => Promise<T>,
  when: () => unknown = () => null,
  keys: unknown[] = [],
): Loaded<T> {
  const value = useSignal<T | undefined>(undefined)
  const error = useSignal<string | null>(null)
  const asked = useSignal(0)
  const reload = useCallback(async () => {
    const turn = asked.peek() + 1
    asked.value = turn
    try {
      const fresh = await read()
      // A later request has already replaced this one.
      if (asked.peek() !== turn) return
      value.value = fresh
      error.value = null
    } catch (thrown) {
      if (asked.peek() === turn) error.value = sentenceOf(thrown)
    }
  }, keys)
  useEffect(
    () =>
      effect(() => {
        when()
        returns.value
        void reload()
      }),
    [reload],
  )
  return { value, error, reload }
}

export function Shown<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  const value = of.value.value
  return (
    <>
      {of.error.value !== null && (
        <p class="notice bad" role="alert">
          This could not be loaded. {of.error.value}{' '}
          <button type="button" onClick={() => of.reload()}>
            Try again
          </button>
        </p>
      )}
      {value === undefined ? of.error.value === null && <Skeleton /> : children(value)}
    </>
  )
}

/** The place of content that is being loaded. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading …</span>
      <div />
      <div />
      <div />
    </div>
  )
}

interface Page<T> {
  data: T[]
  /** Of the next page; null at the end. */
  cursor: string | null
}

/** A list in pages. It begins again when a signal that `when` reads changes. */
export function Pages<T>({
  read,
  when,
  empty,
  children,
}: {
  read: (cursor: string | null) => Promise<Page<T>>
  when: () => unknown
  empty: ComponentChildren
  /** `isAll`: there are no more pages. */
  children: (rows: T[], isAll: boolean) => ComponentChildren
}) {
  const more = useSignal<Page<T> | null>(null)
  const action = useAction()
  const first = useLoaded(async () => {
    const page = await read(null)
    more.value = null
    return page
  }, when)
  return (
    <Shown of={first}>
      {({ data, cursor }) => {
        const rows = [...data, ...(more.value?.data ?? [])]
        const next = more.value === null ? cursor : more.value.cursor
        return (
          <>
            {rows.length > 0 ? (
              children(rows, next === null)
            ) : next === null && typeof empty !== 'string' ? (
              empty
            ) : (
              <p class="soft">{next === null ? empty : 'Nothing was found so far.'}</p>
            )}
            {next !== null && (
              <button
                type="button"
                disabled={action.isBusy.value}
                onClick={() =>
                  action.run(async () => {
                    const page = await read(next)
                    more.value = { data: [...(more.value?.data ?? []), ...page.data], cursor: page.cursor }
                    return null
                  })
                }
              >
                Show more
              </button>
            )}
          </>
        )
      }}
    </Shown>
  )
}
