/** Transcripts with the provider that the job names. */

import type { Transcript } from '@standin/wire/events.ts'
import { problemOfLanguage, type SpeechAccess } from '@standin/wire/speech-access.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { ControlPlane, LiveTranscript, Transcribe } from '../../packages/core/ports.ts'
import { hasSoundInTracks } from '../../platforms/index.ts'
import { type BotConfig, InvalidJob } from '../job/config.ts'
import { localSpeech } from '../speech/child.ts'
import { builtInModel, findModel, languagesOf, problemOfModel } from '../speech/model.ts'
import { speakerModelIn, tellApartBy } from '../speech/voice-prints.ts'
import { captureSink } from '../streaming/index.ts'
import {
  createAssemblyAi,
  createDeepgram,
  createLocal,
  createOpenAiCompatible,
  finishTranscript,
  LiveTranscription,
  problemOfAnswer,
  readSpoken,
  type SpeechProvider,
  transcribe,
  writeLiveTranscript,
} from '../transcription/index.ts'

export function openTranscription(
  { job, target, transcription: plan, speakers, workFolder }: BotConfig,
  control: ControlPlane,
  logger: Logger,
  /** Also gets all live words. */
  onWords: (words: Transcript) => void,
): { liveTranscript: LiveTranscript | null; transcribe: Transcribe | null } {
  if (plan === null) return { liveTranscript: null, transcribe: null }
  const { access, isLive, isAfterwards } = plan
  const provider = speechProvider(access, job.transcription?.custom_params ?? {})
  const notice = (message: string) => control.report({ type: 'notice', level: 'warning', message })
  const live = isLive
    ? new LiveTranscription({
        recognition: provider.live,
        capture: captureSink,
        hearsVoices: job.separate_tracks && hasSoundInTracks(target.platform),
        folder: workFolder,
        clock: systemClock,
        logger: logger.child({ part: 'transcription' }),
        notice,
        emit(words) {
          if (words.is_final) control.report({ ...words, is_final: true })
          else control.show(words)
          onWords(words)
        },
      })
    : null
  return {
    liveTranscript: live,
    async transcribe(folder, signal) {
      const heard = live?.result() ?? null
      const { key } = access
      const tellApart = speakers === null ? null : tellApartBy(speakers, notice)
      const options = { provider, key, live: heard, isAfterwards, notice, signal, tellApart }
      await finishTranscript(folder, { botId: job.bot_id, ...options })
    },
  }
}

/** Why the recognizer of this machine cannot make this transcript, in one sentence; null if it can, as far as is known without starting it. */
function problemOfSpeech(
  { engine, models }: Extract<SpeechAccess, { provider: 'local' }>,
  customParams: Readonly<Record<string, unknown>>,
): string | null {
  const folder = models ?? builtInModel
  const problem = problemOfModel({ engine, models: folder })
  if (problem !== null || engine !== 'sherpa-onnx-node') return problem
  return problemOfLanguage(customParams, languagesOf(findModel(folder)))
}

/**
 * Throws InvalidJob if the recognizer of this machine or its model is missing, or does not know the language, and if the
 * caller's parameters ask a service for an answer that is no transcript.
 */
export function checkEngine({ job, transcription, speakers }: BotConfig): void {
  if (transcription === null) return
  checkSpeakers(speakers)
  const { access, isAfterwards } = transcription
  const customParams = job.transcription?.custom_params ?? {}
  const refuse = (path: string, message: string | null) => {
    if (message !== null) throw new InvalidJob([{ path, message }])
  }
  if (access.provider === 'local') refuse('transcription', problemOfSpeech(access, customParams))
  if (access.provider === 'Default' && isAfterwards)
    refuse('transcription.custom_params', problemOfAnswer(customParams))
}

function checkSpeakers(folder: string | null): void {
  try {
    if (folder !== null) speakerModelIn(folder)
  } catch (error) {
    throw new InvalidJob([{ path: 'STANDIN_SPEAKER_MODEL', message: messageOf(error) }])
  }
}

function speechProvider(access: SpeechAccess, customParams: Readonly<Record<string, unknown>>): SpeechProvider {
  switch (access.provider) {
    case 'Default':
      return createOpenAiCompatible({ ...access, customParams })
    case 'local':
      return createLocal({
        name: access.name,
        open: localSpeech({ engine: access.engine, models: access.models ?? builtInModel }),
        customParams,
      })
    case 'deepgram':
      return createDeepgram({ ...access, customParams })
    case 'assemblyai':
      return createAssemblyAi({ ...access, customParams })
    case 'captions':
      return { name: 'captions', afterwards: null, live: null }
  }
}

/** Makes the transcript of a recording's folder. Resolves with the number of utterances. Rejects with InvalidJob as `checkEngine` does. */
export async function transcribeFolder(
  folder: string,
  options: {
    botId: string
    access: SpeechAccess
    customParams: Record<string, unknown>
    /** The folder of a model of voices, or null. */
    speakers: string | null
    /** Takes a sentence about what the transcript lacks. */
    notice(message: string): void
    signal: AbortSignal
  },
): Promise<number> {
  const { botId, access, customParams, speakers, notice, signal } = options
  checkSpeakers(speakers)
  const problem = access.provider === 'local' ? problemOfSpeech(access, customParams) : null
  if (problem !== null) throw new InvalidJob([{ path: 'transcription', message: problem }])
  const { key } = access
  const provider = speechProvider(access, customParams)
  const tellApart = speakers === null ? null : tellApartBy(speakers, notice)
  if (provider.afterwards !== null) return transcribe(folder, { botId, provider, key, notice, signal, tellApart })
  const live = await readSpoken(folder)
  return writeLiveTranscript(folder, { botId, provider: provider.name, key, live, signal, tellApart })
}
