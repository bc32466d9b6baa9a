import type { Io } from '@standin/wire/process/command-io.ts'
import { type BotConfig, InvalidJob, readConfig, type Settings } from '../job/config.ts'
import { runConfig } from '../main.ts'
import { downloadedJob, inTypedWords, jobFrom, typedFields } from './job-options.ts'
import type { JoinOptions } from './join-options.ts'
import { viewOpener } from './open-view.ts'

export interface JoinFlags extends JoinOptions {
  mapHost?: string[]
  jitsiHost?: string[]
  words?: string
  json?: boolean
}

/** `standin join`: one bot, one meeting. Resolves with the exit code; throws InvalidJob. */
export async function join(meetingUrl: string | undefined, flags: JoinFlags, io: Io): Promise<number> {
  const downloaded = await downloadedJob(flags, io.environment)
  const job = jobFrom(meetingUrl, flags, io.environment, undefined, downloaded)
  const settings = {
    job,
    hostMap: flags.mapHost ?? [],
    jitsiHosts: flags.jitsiHost ?? [],
    words: flags.words,
    environment: io.environment,
    typed: typedFields(flags),
  }
  return runConfig(configOf(settings, flags), viewOpener(io, flags.json ?? false))
}

function configOf(settings: Settings, flags: JoinFlags): BotConfig {
  try {
    return readConfig(settings)
  } catch (error) {
    throw error instanceof InvalidJob ? new InvalidJob(inTypedWords(error.problems, flags)) : error
  }
}
