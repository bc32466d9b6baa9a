/** Dialogs in front of the page, and questions that a person answers before something happens. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface DialogProps {
  label: string
  role?: 'alertdialog'
  /** `value`: of the button that closed it; empty for Escape, or a click outside. */
  onClose: (value: string) => void
  children: ComponentChildren
}

export function Dialog({ label, role, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      role={role}
      aria-label={label}
      onClose={({ currentTarget }) => onClose(currentTarget.returnValue)}
      onClick={(event) => {
        // Outside of its content.
        if (event.target === dialog.current) dialog.current?.close()
      }}
    >
      <div>{children}</div>
    </dialog>
  )
}

interface Question {
  text: string
  /** The word of the button that agrees. */
  action: string
  isBad: boolean
  answer: (isYes: boolean) => void
}

const asked = signal<Question | null>(null)

/** Whether the person agrees. */
export function ask(text: string, action: string, isBad = false): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (isYes: boolean) => {
      asked.value = null
      resolve(isYes)
    }
    asked.value = { text, action, isBad, answer }
  })
}

export function Questions() {
  if (asked.value === null) return null
  const { text, action, isBad, answer } = asked.value
  return (
    <Dialog role="alertdialog" label={text} onClose={(value) => answer(value === 'yes')}>
      <p>
        <bdi>{text}</bdi>
      </p>
      <form method="dialog" class="actions">
        <button type="submit" value="">
          Cancel
        </button>
        <button type="submit" value="yes" class={isBad ? 'main bad' : 'main'}>
          {action}
        </button>
      </form>
    </Dialog>
  )
}
