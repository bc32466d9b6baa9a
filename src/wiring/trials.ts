/** Opens what a bot opens on its machine, for `standin doctor`. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { silentLogger } from '../../packages/core/logger.ts'
import type { CaptureEnvironment } from '../../packages/core/ports.ts'
import { openBrowser } from '../../platforms/browser/browser.ts'
import { createRecorder } from '../../recorder/index.ts'

const WORDS = 'standin-doctor'

/** Each resolves with null, or with what went wrong. */
export interface BotTrials {
  openSound(): Promise<string | null>
  openDisplay(): Promise<string | null>
  /** Without a display, as most bots do. */
  openBrowser(): Promise<string | null>
  close(): Promise<void>
}

/** `folder` is empty and private. Servers run until `close`. */
export function botTrials(folder: string, chromium: string | null): BotTrials {
  const { signal } = new AbortController()
  const logger = silentLogger
  const common = {
    framesPerSecond: 25 as const,
    logger,
    clock: systemClock,
    grow: () => Promise.reject(new Error('Nothing is recorded')),
  }
  const [sound, display] = (['audio_only', 'speaker_view'] as const).map((mode) =>
    createRecorder({ ...common, mode, folder: `${folder}/${mode}` }),
  )
  let stage: CaptureEnvironment | null = null
  const attempt = (work: () => Promise<unknown>) => work().then(() => null, messageOf)
  return {
    openSound: () =>
      attempt(async () => {
        stage = await sound!.prepare(signal)
      }),
    openDisplay: () =>
      attempt(async () => {
        const { needDisplay } = await display!.prepare(signal)
        needDisplay?.()
        await display!.prepare(signal)
      }),
    openBrowser: () =>
      attempt(async () => {
        const environment = stage ?? {
          display: null,
          pulseServer: '/nowhere',
          pulseSink: 'meeting',
          width: 1280,
          height: 720,
        }
        const browser = await openBrowser(environment, { executablePath: chromium ?? undefined, logger }, signal)
        try {
          await browser.page.goto(`data:text/html,<p>${WORDS}</p>`)
          if ((await browser.page.textContent('p')) !== WORDS) throw new Error('the page is empty')
        } finally {
          await browser.close()
        }
      }),
    async close() {
      await Promise.all([sound!.close(), display!.close()])
    },
  }
}
