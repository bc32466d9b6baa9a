/** Forms with labeled fields. */
import type { ComponentChildren } from 'preact'
import type { Action } from './action.tsx'

interface FormProps {
  of: Action
  submit: string
  /** Gets the trimmed values by field name. The form is reset after a success. */
  onSubmit: (fields: Record<string, string>) => Promise<string | null>
  children: ComponentChildren
}

export function Form({ of, submit, onSubmit, children }: FormProps) {
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]))
        void of.run(async () => {
          const text = await onSubmit(fields)
          form.reset()
          return text
        })
      }}
    >
      {children}
      <div class="actions">
        <button type="submit" class="main" disabled={of.isBusy.value}>
          {submit}
        </button>
      </div>
    </form>
  )
}

export function Field({ label, name, ...rest }: { label: string; name: string } & Record<string, unknown>) {
  return (
    <label>
      {label}
      <input name={name} {...rest} />
    </label>
  )
}

interface ChoiceProps {
  label: string
  name: string
  options: Readonly<Record<string, string>>
  value?: string
  onChange?: (value: string) => void
}

export function Choice({ label, name, options, value, onChange }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name} value={value} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {Object.entries(options).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
