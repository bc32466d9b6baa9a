import type { IconNode } from 'lucide'
import { h } from 'preact'

/** An icon of Lucide beside its word. An icon without a word needs a label at its button or link. */
export function Icon({ of }: { of: IconNode }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], place) => h(tag, { ...attributes, key: place }))}
    </svg>
  )
}

/** The mark of the product: a participant beside the empty place of another one. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" />
      <path class="empty" d="M5 17.5a5 5 0 0 1 5-5M12 6.6a3 3 0 1 0-3.4 5" />
      <circle cx="14" cy="9.2" r="3" />
      <path d="M8.5 18.5a5.5 5.5 0 0 1 11 0z" />
    </svg>
  )
}
