/** The path below /dashboard decides which page is shown. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

const BASE = '/dashboard'
const pathNow = () => location.pathname.slice(BASE.length).replace(/\/$/, '') || '/'

export const path = signal(pathNow())
addEventListener('popstate', () => {
  path.value = pathNow()
})

export function navigate(to: string): void {
  history.pushState(null, '', BASE + to)
  path.value = pathNow()
  scrollTo(0, 0)
  // Moves screen readers and the keyboard to the new page.
  document.querySelector('main')?.focus()
}

export function Link({ to, children, ...rest }: { to: string; children: ComponentChildren; class?: string }) {
  const isCurrent = path.value === to
  return (
    <a
      href={BASE + to}
      aria-current={isCurrent ? 'page' : undefined}
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
