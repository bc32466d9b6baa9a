/** The composition root: makes the real parts from a checked configuration, runs one bot and returns its exit code. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BotCommand } from '@standin/wire/commands.ts'
import type { BotEvent, NumberedEvent, Transcript } from '@standin/wire/events.ts'
import type { Job } from '@standin/wire/job.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { createLogger, logFile } from '../packages/core/logger.ts'
import { lookupFor } from '../packages/core/network/address-policy.ts'
import type { CommandAnswer } from '../packages/core/ports.ts'
import { addSecrets, registerSecrets } from '../packages/core/process/known-secrets.ts'
import { makeBotFolder } from '../packages/core/process/mkdirs.ts'
import { StopRequests } from '../packages/core/process/stop-requests.ts'
import { UncaughtErrors } from '../packages/core/process/uncaught-errors.ts'
import { createRecorder, takePicture } from '../recorder/index.ts'
import { createParticipantTracks } from '../recorder/tracks/participant-tracks.ts'
import type { BotConfig } from './job/config.ts'
import { botMachine } from './machine/look.ts'
import { writeReport } from './report/index.ts'
import { LOG_NAME, setAsideEarlier } from './run/artifacts.ts'
import { runBot } from './run/bot.ts'
import { offsetAt } from './run/recording-clock.ts'
import { openStorage } from './storage/index.ts'
import { asJobProblem } from './storage-problem.ts'
import { openBotUsage } from './usage/bot-usage.ts'
import { openVoice } from './voice/index.ts'
import { openAccount } from './wiring/account.ts'
import { openAgent } from './wiring/agent.ts'
import { openControl } from './wiring/control-link.ts'
import { meetingOpener, storedSession } from './wiring/driver.ts'
import { recoverEarlierBot } from './wiring/recovery.ts'
import { audioTapOf, openMouth, openStreaming, streams } from './wiring/streaming.ts'
import { checkEngine, openTranscription } from './wiring/transcription.ts'
import { openWords } from './wiring/words.ts'

/** Shows a running bot to a person or a program. */
export interface View {
  onEvent(event: NumberedEvent): void
  /** A transcript that may still change. */
  onPartial(partial: Transcript): void
  /** A note about the machine rather than the bot, such as where the log is. */
  note(text: string): void
  /** The last call: where the recording, or else the report, of the bot is. */
  end(place: string, hasRecorded: boolean): void
  close(): void
}

/** Requests of the person who watches. */
export interface ViewActions {
  command(command: BotCommand): Promise<CommandAnswer>
  interrupt(): void
}

export type OpenView = (actions: ViewActions) => View

/** Resolves with the exit code. Throws InvalidJob where the job's folder, storage or speech engine cannot be used. */
export async function runConfig(config: BotConfig, openView: OpenView): Promise<number> {
  checkEngine(config)
  const stops = new StopRequests()
  // Until the process is over: a signal that comes after the end of the bot must not replace its exit code.
  stops.listenToSignals()
  return runBotOf(config, openView, stops)
}

/** A bot's log lines are found by the trace of its service too. */
function traceOf({ traceparent }: Job): { traceId?: string } {
  return traceparent ? { traceId: traceparent.split('-')[1]! } : {}
}

async function runBotOf(config: BotConfig, openView: OpenView, stops: StopRequests): Promise<number> {
  const { job, workFolder } = config
  await asJobProblem(makeBotFolder(workFolder))
  // Names of selectors, such as that of the box for a passcode, are no secrets.
  registerSecrets({ ...job, words: null }, { url: config.target.url }, config.transcription, config.voice, config.agent)
  const log = await asJobProblem(Promise.try(() => logFile(join(workFolder, LOG_NAME))))
  const logger = createLogger(log, config.logLevel).child({ botId: job.bot_id, ...traceOf(job) })
  // Before the control link opens: its journal is in the same folder, and an earlier bot that still runs writes to it.
  const earlierNotices = await asJobProblem(recoverEarlierBot(config, logger, stops.signal))
  const earlier = await asJobProblem(setAsideEarlier(workFolder))
  if (earlier !== null) logger.warn('The files of an earlier bot of this id were set aside', { folder: earlier })
  const uncaughtErrors = new UncaughtErrors()
  const onRetry = (notice: object) => logger.warn('Storage request is retried', { ...notice })
  const freshKeys = async () => {
    const keys = await control.askForKeys().catch((error: unknown) => {
      logger.warn('The control plane gave no new keys of the storage', { error })
      throw error
    })
    addSecrets(keys)
    logger.info('New keys of the storage', { endAt: keys.keys_end_at })
    return keys
  }
  const storage = await asJobProblem(
    openStorage(
      job.storage,
      { botId: job.bot_id, workFolder },
      { onRetry, freshKeys, ...lookupFor(config, 'storage.endpoint') },
    ),
  )
  const usage = openBotUsage()
  let onReported: (event: BotEvent | Transcript) => void = () => {}
  const control = openControl(config, logger, usage, {
    onEvent(numbered) {
      view.onEvent(numbered)
      onReported(numbered.event)
    },
    onPartial(partial) {
      view.onPartial(partial)
      onReported(partial)
    },
  })
  const view = openView({
    command: (command) => control.submit(command),
    interrupt: () => stops.interrupt(),
  })
  for (const message of earlierNotices) control.report({ type: 'notice', level: 'warning', message })
  const refused = (message: string) => control.report({ type: 'notice', level: 'warning', message })
  const wordsVersion = await openWords(job.words, config.words, logger, refused)
  const session = storedSession(config)
  const account = openAccount({
    ...{ job, platform: config.target.platform, stored: session, control, clock: systemClock },
    ...{ logger: logger.child({ part: 'account' }), keepSecret: addSecrets },
  })
  try {
    const recorder = createRecorder({
      mode: job.recording_mode,
      framesPerSecond: job.frame_rate,
      folder: workFolder,
      grow: (file) => storage.grow(file, new AbortController().signal),
      longestSeconds: job.timeout_config.recording_timeout,
      logger: logger.child({ part: 'recorder' }),
      clock: systemClock,
      // Neither a stream nor an agent hears the bot itself.
      withVoice: streams(job) || Boolean(job.agent),
      isHeardLive: Boolean(job.streaming?.output) || job.separate_tracks || Boolean(job.agent),
    })
    const mouth = openMouth(config, logger)
    const agent = openAgent(config, mouth, control, logger)
    const streaming = openStreaming(config, mouth, control, logger)
    recorder.watch((event) => {
      if (event.type === 'sound') streaming?.noteCapture(event.isAudible, event.at)
    })
    const participantTracks = job.separate_tracks
      ? createParticipantTracks({
          folder: workFolder,
          offsetAt: (at) => offsetAt(recorder.spans(), at),
          logger: logger.child({ part: 'participant-tracks' }),
        })
      : null
    const audioTap = audioTapOf(streaming, config)
    const { report, exitCode } = await runBot(job, config.target, {
      clock: systemClock,
      logger,
      wordsVersion,
      workFolder,
      storage,
      streaming,
      mouth,
      agent,
      voice: openVoice(config.voice, mouth.sampleRate),
      participantTracks,
      ...openTranscription(config, control, logger, (words) => agent?.onWords(words)),
      writeReport,
      takePicture,
      control,
      usage,
      recorder,
      machine: botMachine({ chromium: config.chromium, workFolder }),
      openMeeting: meetingOpener(config, control, logger, usage, account, audioTap),
      onStopRequest: (listener) => stops.listen(listener),
      onReported: (listener) => {
        onReported = listener
      },
      onDefect: (listener) => uncaughtErrors.listen(listener),
    })
    view.close()
    // Files that could not be uploaded are still in the work folder.
    const place = existsSync(workFolder) ? workFolder : storage.location()
    view.end(place, report.duration_seconds !== null)
    return exitCode
  } finally {
    view.close()
    uncaughtErrors.stop()
    usage.close()
    await session.dispose()
  }
}
