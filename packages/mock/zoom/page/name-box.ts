/**
 * A field that a framework controls: it accepts only text that real keys typed, character by character. Text that was
 * typed before the page has settled is lost (docs/platform-notes/zoom.md#pre-join-page).
 */
export interface TypedField {
  /** The field's text in the state of the page. */
  value(): string
}

export interface TypedFieldRules {
  /** Text set without keys counts, too. */
  lenient: boolean
  initial: string
  /** False while the page is still rendering. */
  isSettled(): boolean
  onChange(): void
}

/** Watches an input; the page's Join follows `value`, not what the box shows. */
export function typedField(input: HTMLInputElement, rules: TypedFieldRules): TypedField & { settle(): void } {
  let believed = rules.initial
  input.value = rules.initial
  input.addEventListener('input', (event) => {
    if (!rules.isSettled()) return
    // A value that a script set stays visible, but the framework ignores it. Later keys do not change that.
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
