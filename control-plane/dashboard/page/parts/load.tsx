/** Data that a page loads: loading, failed with a retry button, or loaded. */
import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useCallback } from 'preact/hooks'
import { sentenceOf } from '../api.ts'
import { TEXTS } from '../texts.ts'

export interface Loaded<T> {
  value: Signal<T | undefined>
  error: Signal<string | null>
  reload(): Promise<void>
}

/** `read` runs at once, and again when a signal that `when` reads changes. Keeps the current content during a reload. */
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
  useSignalEffect(() => {
    when()
    void reload()
  })
  return { value, error, reload }
}

export function Shown<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  const value = of.value.value
  return (
    <>
      {of.error.value !== null && (
        <p class="notice bad" role="alert">
          {TEXTS.failed} {of.error.value}{' '}
          <button type="button" onClick={() => of.reload()}>
            {TEXTS.retry}
          </button>
        </p>
      )}
      {value === undefined ? of.error.value === null && <p class="soft">{TEXTS.loading}</p> : children(value)}
    </>
  )
}
