/** Actions of a person: one request at a time, and a message about its outcome. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { sentenceOf } from '../api.ts'
import { ask } from './dialog.tsx'
import { toast } from './toasts.tsx'

interface Outcome {
  text: string
  isBad: boolean
}

export interface Action {
  isBusy: Signal<boolean>
  outcome: Signal<Outcome | null>
  run(work: () => Promise<string | null>): Promise<void>
}

/** `work` resolves with a message about its success, or null. The message is a toast unless the action shows it itself. */
export function useAction({ showsSuccess = false } = {}): Action {
  const isBusy = useSignal(false)
  const outcome = useSignal<Outcome | null>(null)
  return {
    isBusy,
    outcome,
    async run(work) {
      if (isBusy.value) return
      isBusy.value = true
      outcome.value = null
      try {
        const text = await work()
        if (text !== null && showsSuccess) outcome.value = { text, isBad: false }
        else if (text !== null) toast(text)
      } catch (error) {
        outcome.value = { text: sentenceOf(error), isBad: true }
      } finally {
        isBusy.value = false
      }
    },
  }
}

/** Shows why the action failed. Always in the document, so that screen readers announce its content. */
export function OutcomeLine({ of }: { of: Action }) {
  const outcome = of.outcome.value
  return (
    <div role="status" aria-live="polite">
      {outcome !== null && <p class={outcome.isBad ? 'notice bad' : 'notice'}>{outcome.text}</p>}
    </div>
  )
}

interface ActionButtonProps {
  of: Action
  work: () => Promise<string | null>
  /** The person has to confirm this question first. */
  confirmation?: string
  kind?: '' | 'main' | 'bad'
  children: ComponentChildren
}

export function ActionButton({ of, work, confirmation, kind = '', children }: ActionButtonProps) {
  return (
    <button
      type="button"
      class={kind}
      disabled={of.isBusy.value}
      onClick={async ({ currentTarget: { textContent } }) => {
        if (confirmation === undefined || (await ask(confirmation, textContent, kind === 'bad'))) void of.run(work)
      }}
    >
      {children}
    </button>
  )
}
