/** Looks at the operator's own test meetings, so that a changed page is found before a bot needs it. */
import { execFile } from 'node:child_process'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { type PageCheck, pageCheckSchema } from '@standin/wire/page-check.ts'
import { jsonOrNull } from '@standin/wire/text/json-text.ts'
import type { Meters } from '../../platform/meters.ts'
import type { Log } from '../../platform/ports.ts'

/** A browser starts, and the page may take a minute to show its form. */
const MAX_MS = 300_000
const MAX_OUTPUT_BYTES = 1024 * 1024

export interface PageCheckSettings {
  links: readonly string[]
  jitsiHosts: readonly string[]
  /** Program and arguments, such as `bin/standin check`. */
  command: readonly string[]
  environment: Readonly<Record<string, string>>
  /** A file; null: the built-in ones. */
  words: string | null
  log: Log
  meters: Pick<Meters, 'count'>
}

/** One after the other, since each takes a processor. Resolves with the number of meetings by state. */
export async function checkPages(settings: PageCheckSettings, signal: AbortSignal): Promise<Record<string, number>> {
  const { links, jitsiHosts, words, log, meters } = settings
  const counts: Record<string, number> = { good: 0, changed: 0, failed: 0 }
  for (const link of links) {
    if (signal.aborted) break
    const target = readMeeting(link, { jitsiHosts })
    if ('problem' in target) {
      log.warn({ error: target.problem }, 'A link of STANDIN_CHECK_LINKS is no meeting')
      continue
    }
    const options = [link, '--json', ...(words === null ? [] : ['--words', words])]
    const result = await run(settings, options, signal)
    const { platform } = target
    const state = typeof result === 'string' ? 'failed' : result.state
    counts[state] = (counts[state] ?? 0) + 1
    meters.count('page_checks', { platform, state })
    if (typeof result === 'string') log.warn({ platform, error: result }, 'A page could not be checked')
    else if (state === 'good') log.info({ platform, words: result.words_version }, 'The page of a platform is as known')
    else log.warn({ platform, ...pick(result) }, 'The page of a platform has changed, or could not be judged')
  }
  return counts
}

const pick = ({ state, reached, missing, pages, error, words_version: words }: PageCheck) => ({
  ...{ state, reached, missing, pages, words },
  ...(error !== null && { code: error.code, reason: error.reason }),
})

/** The result, or a sentence on why there is none. */
function run({ command, environment }: PageCheckSettings, options: string[], signal: AbortSignal) {
  const [program, ...start] = command
  return new Promise<PageCheck | string>((resolve) => {
    const limits = { env: environment, signal, timeout: MAX_MS, maxBuffer: MAX_OUTPUT_BYTES }
    execFile(program!, [...start, ...options], limits, (error, output, errors) => {
      const { data } = pageCheckSchema.safeParse(jsonOrNull(output))
      resolve(data ?? `${error?.message.split('\n')[0] ?? ''} ${errors}`.replace(/\s+/g, ' ').trim().slice(0, 1000))
    })
  })
}
