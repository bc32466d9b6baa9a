/**
 * A field that a framework holds: it believes only what real keys typed, character by character, and what was typed before the page had settled
 * is lost (docs/platform-notes/zoom.md#pre-join-page).
 */
export interface TypedField {
  /** The field's text in the state of the page. */
  value(): string
}

export interface TypedFieldRules {
  /** Text set without keys counts, too. */
  lenient: boolean
  initial: string
  /** False while the page is still drawing itself. */
  isSettled(): boolean
  onChange(): void
}

/** Watches an input; the page's Join follows `value`, not what the box shows. */
export function typedField(input: HTMLInputElement, rules: TypedFieldRules): TypedField & { settle(): void } {
  let believed = rules.initial
  input.value = rules.initial
  input.addEventListener('input', (event) => {
    if (!rules.isSettled()) return
    // A value that was put there stays on show but is not known; keys typed behind it do not mend that.
    if (rules.lenient || (event.isTrusted && isOneKey(believed, input.value))) believed = input.value
    rules.onChange()
  })
  return {
    value: () => (believed === input.value ? believed : ''),
    settle() {
      if (input.value === believed) return
      input.value = believed
      rules.onChange()
    },
  }
}

/** One key adds a single character (two units for an emoji); clearing a marked text is one key, too. */
function isOneKey(before: string, after: string): boolean {
  return after.length - before.length <= 2
}
