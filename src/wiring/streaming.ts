/** Live streaming and separate tracks: who receives audio that is captured in the meeting's page. */

import { systemClock } from '@standin/base/deadline.ts'
import type { Job } from '@standin/wire/job.ts'
import type { Logger } from '../../core/logger.ts'
import { lookupFor } from '../../core/network/address-policy.ts'
import type { AudioTap, ControlPlane, ParticipantTracks } from '../../core/ports.ts'
import { hasSoundInTracks } from '../../platforms/index.ts'
import { createStreaming, type HearingStreaming } from '../../streaming/index.ts'
import type { BotConfig } from '../job/config.ts'

export function streams(job: Job): job is Job & { streaming: NonNullable<Job['streaming']> } {
  return Boolean(job.streaming?.input || job.streaming?.output)
}

/** The receiver of audio from the meeting's page; null where the job needs none. */
export function audioTapOf(
  streaming: HearingStreaming | null,
  participantTracks: ParticipantTracks | null,
  { job, target }: BotConfig,
): AudioTap | null {
  const mixRate =
    streaming && job.streaming?.output && hasSoundInTracks(target.platform) ? job.streaming.audio_frequency : null
  if (mixRate === null && participantTracks === null) return null
  return {
    mixRate,
    wantsParticipantTracks: participantTracks !== null,
    onMix: (sound) => streaming?.onMix(sound),
    onParticipantAudio: (voice) => participantTracks?.write(voice),
  }
}

export function openStreaming(config: BotConfig, control: ControlPlane, logger: Logger): HearingStreaming | null {
  const { job, target, workFolder } = config
  if (!streams(job)) return null
  const { input, output, audio_frequency: sampleRate, set_up_timeout: setUpSeconds } = job.streaming
  return createStreaming({
    input: input ?? null,
    output: output ?? null,
    sampleRate,
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
