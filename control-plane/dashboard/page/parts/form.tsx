/** Forms with labeled fields. The service's problems are shown at their fields, in the words of the labels. */
import { type Signal, useSignal } from '@preact/signals'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { StandinApiError, sentenceOf } from '../api.ts'
import type { Action } from './action.tsx'
import { ask } from './dialog.tsx'

type Problems = Readonly<Record<string, string>>
const FormProblems = createContext<Signal<Problems> | null>(null)

interface FormProps {
  of: Action
  submit: string
  /** The person has to confirm this question first; null: none. */
  confirmation?: (fields: Record<string, string>) => string | null
  /** Gets the trimmed values by field name. The form is reset after a success. */
  onSubmit: (fields: Record<string, string>) => Promise<string | null>
  children: ComponentChildren
}

export function Form({ of, submit, confirmation, onSubmit, children }: FormProps) {
  const problems = useSignal<Problems>({})
  return (
    <form
      class="fields"
      onSubmit={async (event) => {
        event.preventDefault()
        const form = event.currentTarget
        const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]))
        const question = confirmation?.(fields) ?? null
        if (question !== null && !(await ask(question, submit))) return
        problems.value = {}
        void of.run(async () => {
          try {
            const text = await onSubmit(fields)
            form.reset()
            return text
          } catch (error) {
            const [found, rest] = inWordsOf(form, error)
            problems.value = found
            throw rest
          }
        })
      }}
    >
      <FormProblems.Provider value={problems}>{children}</FormProblems.Provider>
      <div class="actions">
        <button type="submit" class="main" disabled={of.isBusy.value}>
          {submit}
        </button>
      </div>
    </form>
  )
}

/** Problems by field name, and the error that remains for the whole form. Field names become the labels of the form. */
function inWordsOf(form: HTMLFormElement, error: unknown): [Problems, Error] {
  const labels = new Map<string, string>()
  for (const element of form.elements)
    if ('labels' in element && 'name' in element && element.name !== '')
      labels.set(String(element.name), (element.labels as NodeListOf<HTMLElement>)[0]?.firstChild?.textContent ?? '')
  const inWords = (text: string) => text.replace(/\b[a-z]+(?:_[a-z]+)*\b/g, (word) => worded(word, labels))
  if (!(error instanceof StandinApiError)) return [{}, error instanceof Error ? error : new Error(String(error))]
  const problems: Record<string, string> = {}
  const others: string[] = []
  for (const { path, message } of error.problems) {
    const name = path.split('/')[1] ?? ''
    if (labels.has(name)) problems[name] = sentence(inWords(message))
    else others.push(inWords(message))
  }
  const isAtFields = error.problems.length > 0 && others.length === 0
  return [
    problems,
    new Error(isAtFields ? 'Check the marked fields.' : others.join('; ') || inWords(sentenceOf(error))),
  ]
}

/** The label stands above it. */
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`.replace(/\.\.$/, '.')

/** Only names with an underscore are surely names and no words of the sentence. */
const worded = (word: string, labels: ReadonlyMap<string, string>) =>
  word.includes('_') && labels.has(word) ? `"${labels.get(word)}"` : word

/** A text area if it has rows, else an input. */
export function Field({ label, name, ...rest }: { label: string; name: string } & Record<string, unknown>) {
  const problem = useContext(FormProblems)?.value[name]
  const id = useId()
  const Input = (rest.rows === undefined ? 'input' : 'textarea') as 'input'
  const marks = problem !== undefined && { 'aria-invalid': true, 'aria-describedby': `${id}-problem` }
  return (
    <div class="field">
      <label for={id}>
        {label}
        <Input id={id} name={name} {...rest} {...marks} />
      </label>
      {problem !== undefined && (
        <p id={`${id}-problem`} class="problem">
          {problem}
        </p>
      )}
    </div>
  )
}

interface ChoiceProps {
  label: string
  name: string
  options: Readonly<Record<string, string>>
  /** Why an option cannot be chosen. */
  disabled?: Readonly<Record<string, string>>
  /** Chosen at first; the person's choice stays when the page is drawn again. Default: the first. */
  initial?: string | undefined
  value?: string
  onChange?: (value: string) => void
}

export function Choice({ label, name, options, disabled = {}, initial, value, onChange }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name} value={value} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {Object.entries(options).map(([key, text]) => (
          <option key={key} value={key} selected={key === initial || undefined} disabled={disabled[key] !== undefined}>
            {text}
            {disabled[key] !== undefined && `: ${disabled[key]}`}
          </option>
        ))}
      </select>
    </label>
  )
}
