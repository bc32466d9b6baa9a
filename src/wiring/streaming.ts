/** Live streaming and separate tracks: who receives audio that is captured in the meeting's page. */

import type { Job } from '@standin/wire/job.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { lookupFor } from '../../packages/core/network/address-policy.ts'
import type { AudioTap, ControlPlane, Mouth } from '../../packages/core/ports.ts'
import { hasSoundInTracks } from '../../platforms/index.ts'
import type { BotConfig } from '../job/config.ts'
import { createMouth, createStreaming, type HearingStreaming } from '../streaming/index.ts'

export function streams(job: Job): job is Job & { streaming: NonNullable<Job['streaming']> } {
  return Boolean(job.streaming?.input || job.streaming?.output)
}

export type MeetingAudioTap = Omit<AudioTap, 'onParticipantAudio'>

/** The receiver of audio from the meeting's page; null if the job needs none. The run receives participants' tracks. */
export function audioTapOf(streaming: HearingStreaming | null, { job, target }: BotConfig): MeetingAudioTap | null {
  const mixRate =
    streaming && job.streaming?.output && hasSoundInTracks(target.platform) ? job.streaming.audio_frequency : null
  if (mixRate === null && !job.separate_tracks) return null
  return { mixRate, wantsParticipantTracks: job.separate_tracks, onMix: (sound) => streaming?.onMix(sound) }
}

/** Hertz of what a bot says that streams nothing. */
const SPEECH_RATE = 24_000

export function openMouth({ job, workFolder: folder }: BotConfig, logger: Logger): Mouth {
  const sampleRate = streams(job) ? job.streaming.audio_frequency : SPEECH_RATE
  return createMouth({ sampleRate, folder, clock: systemClock, logger: logger.child({ part: 'mouth' }) })
}

export function openStreaming(
  config: BotConfig,
  mouth: Mouth,
  control: ControlPlane,
  logger: Logger,
): HearingStreaming | null {
  const { job, target, workFolder } = config
  if (!streams(job)) return null
  const { input, output, audio_frequency: sampleRate, set_up_timeout: setUpSeconds } = job.streaming
  return createStreaming({
    input: input ?? null,
    output: output ?? null,
    sampleRate,
    mouth,
    hearsPage: hasSoundInTracks(target.platform),
    setUpMs: setUpSeconds * 1000,
    isRequired: job.streaming.is_required,
    botId: job.bot_id,
    folder: workFolder,
    clock: systemClock,
    logger: logger.child({ part: 'streaming' }),
    dialing: lookupFor(config, 'streaming.input', 'streaming.output'),
    notice: (message) => control.report({ type: 'notice', level: 'warning', message }),
  })
}
