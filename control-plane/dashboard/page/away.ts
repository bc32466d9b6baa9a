/** Whether the service answers. While it does not, it is asked again and again; when it is back, every page reads again. */

import { signal } from '@preact/signals'
import { ROOT } from './place.ts'

const RETRY_MS = 3000
/** Answers of a proxy in front of a service that does not run. */
const PROXY_STATUSES: ReadonlySet<number> = new Set([502, 504])

export const isAway = signal(false)
/** How often the service came back. */
export const returns = signal(0)

let timer: ReturnType<typeof setTimeout> | undefined

/** `fetch` of every request of the page. */
export async function watchedFetch(request: Request): Promise<Response> {
  try {
    const response = await fetch(request)
    note(!PROXY_STATUSES.has(response.status))
    return response
  } catch (error) {
    note(false)
    throw error
  }
}

export async function askAgain(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  await watchedFetch(new Request(`${ROOT}/dashboard/api/sign-in-ways`)).catch(() => {})
}

function note(answers: boolean): void {
  if (!answers) timer ??= setTimeout(askAgain, RETRY_MS)
  if (answers && isAway.value) returns.value++
  isAway.value = !answers
}
