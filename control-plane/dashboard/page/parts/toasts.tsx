/** Short messages about what a person did, at the edge of the window. */
import { signal } from '@preact/signals'
import { CircleCheck, X } from 'lucide'
import { Icon } from './icon.tsx'

const SHOWN_MS = 8000

const shown = signal<readonly { id: number; text: string }[]>([])
let last = 0

export function toast(text: string): void {
  last++
  const id = last
  shown.value = [...shown.value, { id, text }]
  setTimeout(remove, SHOWN_MS, id)
}

function remove(id: number): void {
  shown.value = shown.value.filter((one) => one.id !== id)
}

/** Always in the document, so that screen readers announce its content. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ id, text }) => (
        <div key={id} class="toast">
          <Icon of={CircleCheck} />
          <span>{text}</span>
          <button type="button" class="bare" aria-label="Dismiss" onClick={() => remove(id)}>
            <Icon of={X} />
          </button>
        </div>
      ))}
    </div>
  )
}
