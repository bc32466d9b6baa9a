/** `standin check`: looks at a real meeting's page, and says which signs of it are there. */
import { randomUUID } from 'node:crypto'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { CheckState, PageCheck } from '@standin/wire/page-check.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { createOutput, table } from '@standin/wire/process/command-output.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { silentLogger } from '../../packages/core/logger.ts'
import { readConfig } from '../job/config.ts'
import { checkMeeting } from '../wiring/check.ts'

export interface CheckFlags {
  /** Whether the bot asks to join, and stays for half a minute. */
  join?: boolean
  seconds: number
  out?: string
  json?: boolean
  mapHost?: string[]
  jitsiHost?: string[]
  words?: string
}

const EXIT_CODES: Record<CheckState, number> = { good: 0, changed: 1, failed: 3 }
const SENTENCES: Record<CheckState, string> = {
  good: 'The page is as Standin knows it.',
  changed: 'The page has changed: signs are missing.',
  failed: 'The page could not be judged.',
}

/** Resolves with the exit code. Throws InvalidJob for a link that no platform knows, and for wrong settings. */
export async function check(link: string, flags: CheckFlags, io: Io): Promise<number> {
  const config = readConfig({
    job: {
      bot_id: randomUUID(),
      meeting_url: link,
      bot_name: 'Standin check',
      recording_mode: 'audio_only',
      storage: { type: 'folder', path: tmpdir() },
    },
    hostMap: flags.mapHost ?? [],
    jitsiHosts: flags.jitsiHost ?? [],
    words: flags.words,
    environment: io.environment,
  })
  const name = flags.out ?? (flags.json ? null : `standin-check-${config.target.platform}.json`)
  // Opened first: the user of bots may have no right to make it.
  await using file = name === null ? null : await open(name, 'a')
  await io.leaveRoot?.({ reads: config.words === null ? [] : [resolve(config.words)] })
  const plan = { joins: flags.join ?? false, limitMs: flags.seconds * 1000 }
  let result: PageCheck
  try {
    result = await checkMeeting(config, plan, silentLogger)
  } catch (error) {
    io.errors.write(`The check could not be made: ${messageOf(error)}\n`)
    return EXIT_CODES.failed
  }
  createOutput(io.output, flags.json ?? false).answer(result, linesOf(result))
  if (file !== null) {
    await file.truncate()
    await file.writeFile(`${JSON.stringify(result, null, 2)}\n`)
    io.errors.write(`${name} holds the result, without content of people.\n`)
  }
  return EXIT_CODES[result.state]
}

function linesOf({ state, reached, missing, found, not_found, pages, signals, error, ...rest }: PageCheck): string[] {
  const answered = Object.entries(signals).map(([name, polls]) => [name, 'signal', polls > 0 ? `${polls} times` : 'no'])
  const named = (names: readonly string[], seen: string) =>
    names.map((name) => [name, name.startsWith('selectors.') ? 'selector' : 'words', seen])
  const lacking = missing.map((name) => [name, 'has to be there', 'MISSING'])
  const rows = [...lacking, ...answered, ...named(found, 'yes'), ...named(not_found, 'no')]
  return [
    ...table(['sign', 'kind', 'seen'], rows, 'No sign is known.'),
    '',
    `${rest.platform}, words ${rest.words_version}, Standin ${rest.program_version}`,
    `Pages: ${pages.join(', ') || 'none'}; reached: ${reached}`,
    `${SENTENCES[state]}${missing.length > 0 ? ` Missing: ${missing.join(', ')}.` : ''}${error ? ` ${error.code}${error.reason ? ` (${error.reason})` : ''}.` : ''}`,
  ]
}
