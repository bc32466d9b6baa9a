/** One check of a meeting's page, with a browser and sound servers as a bot has them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PageCheck } from '@standin/wire/page-check.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { openDriver } from '../../platforms/index.ts'
import { createRecorder } from '../../recorder/index.ts'
import type { BotConfig } from '../job/config.ts'
import { botMachine } from '../machine/look.ts'
import { type CheckPlan, checkPage } from '../run/check.ts'
import { chooseWords, programVersion } from './words.ts'

const STAY_MS = 30_000

/** Rejects if the browser or a program that it needs does not start, or the words cannot be used. */
export async function checkMeeting(
  config: BotConfig,
  { joins, limitMs }: Pick<CheckPlan, 'joins' | 'limitMs'>,
  logger: Logger,
): Promise<PageCheck> {
  const { job, target, hostMap, chromium, browserPlugins } = config
  const pageWords = await chooseWords(null, config.words)
  const { expected, selectors, words } = pageWords.platforms[target.platform]
  const folder = await mkdtemp(join(tmpdir(), 'standin-check-'))
  const recorder = createRecorder({
    ...{ mode: 'audio_only', framesPerSecond: 25, folder, logger, clock: systemClock },
    grow: () => Promise.reject(new Error('A check records nothing')),
  })
  try {
    await botMachine({ chromium, workFolder: folder }).look()
    const { signal } = new AbortController()
    const open = openDriver({
      ...{ botName: job.bot_name, botImages: [], recordingMode: 'audio_only', recordingConsent: 'accept' },
      ...{ hostMap, chromium, browserPlugins, logger },
    })
    const driver = await open(target, await recorder.prepare(signal), signal)
    const findings = await checkPage(driver, { ...expected, joins, limitMs, stayMs: STAY_MS }, systemClock)
    const tables = Object.entries(words.en).flatMap(([table, names]) =>
      Object.keys(names).map((name) => `${table}.${name}`),
    )
    const all = [...Object.keys(selectors).map((name) => `selectors.${name}`), ...tables]
    return {
      platform: target.platform,
      checked_at: new Date().toISOString(),
      program_version: programVersion(),
      words_version: pageWords.version,
      ...findings,
      not_found: all.filter((name) => !findings.found.includes(name)).sort(),
    }
  } finally {
    await recorder.close()
    await rm(folder, { recursive: true, force: true })
  }
}
