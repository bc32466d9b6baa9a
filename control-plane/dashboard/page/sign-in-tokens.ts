/** Tokens of sign-in links, which follow `#` in the address of the sign-in page. */
import { signal } from '@preact/signals'
import { path } from './router.tsx'

/** What the address offered last, until a person has used or refused it. */
export const offeredTokens = signal<readonly string[]>([])

/** A token can be used once, and must stay neither in the address nor in the history. */
function take(): void {
  if (path.value !== '/sign-in' || location.hash.length < 2) return
  offeredTokens.value = location.hash.slice(1).split('&')
  history.replaceState(null, '', location.pathname + location.search)
}

// A link that is pasted into a tab with this page changes only the part after `#`, and loads nothing.
addEventListener('hashchange', take)
take()
