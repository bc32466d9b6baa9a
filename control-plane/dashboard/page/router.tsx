/** The path below /dashboard decides which page is shown; the query keeps the filters of that page. */
import { batch, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ROOT } from './place.ts'

const BASE = `${ROOT}/dashboard`
const pathNow = () => location.pathname.slice(BASE.length).replace(/\/$/, '') || '/'

export const path = signal(pathNow())
const query = signal(location.search)
/** How often a person went to a page, also to the same one. */
export const visits = signal(0)

function readAddress(): void {
  path.value = pathNow()
  query.value = location.search
}
function visit(): void {
  batch(() => {
    readAddress()
    visits.value++
  })
}
addEventListener('popstate', visit)

/** Empty if the address has no such value. */
export const queryValue = (name: string): string => new URLSearchParams(query.value).get(name) ?? ''

/** Empty values are removed. */
export function setQuery(values: Readonly<Record<string, string>>): void {
  const next = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(values)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  history.replaceState(null, '', `${location.pathname}${next.size > 0 ? `?${next}` : ''}`)
  readAddress()
}

export function navigate(to: string): void {
  history.pushState(null, '', BASE + to)
  visit()
  scrollTo(0, 0)
  // Moves screen readers and the keyboard to the new page.
  document.querySelector('main')?.focus()
}

interface LinkProps {
  to: string
  children: ComponentChildren
  class?: string
  title?: string
  'aria-current'?: 'false'
}

export function Link({ to, children, ...rest }: LinkProps) {
  const isAbove = to !== '/' && path.value.startsWith(`${to}/`)
  return (
    <a
      href={BASE + to}
      aria-current={path.value === to ? 'page' : isAbove ? 'true' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        navigate(to)
      }}
      {...rest}
    >
      {children}
    </a>
  )
}
