/** The platform's driver with everything that the job says about the browser, the account and the bot's images. */

import { imagesOf } from '@standin/wire/job.ts'
import { problemOfPagesOn } from '@standin/wire/platforms.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { confCredentialsOf } from '../../packages/core/conf-credentials.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { lookupFor } from '../../packages/core/network/address-policy.ts'
import { fetchPublic } from '../../packages/core/network/safe-fetch.ts'
import type { ControlPlane, OpenMeeting, UsageMeter } from '../../packages/core/ports.ts'
import { prepareBrowser } from '../../platforms/browser/browser.ts'
import { openSessionOnce, type SessionOnce } from '../../platforms/browser/session.ts'
import type { ReadObject } from '../../platforms/browser/state.ts'
import { openDriver } from '../../platforms/index.ts'
import type { CommandedControlPlane } from '../control-link/local.ts'
import { loadBotImage } from '../job/bot-image.ts'
import type { BotConfig } from '../job/config.ts'
import { freshTokensOf, teamsTokenOf, withFreshTokens } from '../job/fresh-tokens.ts'
import { loadBucket, parseS3Address } from '../storage/index.ts'
import type { BotAccount } from './account.ts'
import type { MeetingAudioTap } from './streaming.ts'

const TOKEN_FIELDS = [
  'conf_config.obf_token_url',
  'conf_config.zak_token_url',
  'conf_obf_token_url',
  'conf_access_token_url',
] as const

/** The stored session that the job names. The first attempt to join reads it, after stop requests and the control link work. */
export function storedSession(config: BotConfig): SessionOnce {
  const { job } = config
  /** Reads with the credentials of the job's storage, or those of the environment. */
  const readObject: ReadObject = async (address, maxBytes, signal) => {
    const { bucket, prefix: key } = parseS3Address(address)
    const place = job.storage.type === 's3' ? job.storage : { type: 's3' as const }
    const { readS3Object } = await loadBucket()
    return readS3Object({ ...place, bucket }, key, maxBytes, signal, lookupFor(config, 'storage.endpoint'))
  }
  return openSessionOnce(job.browser_state ?? null, readObject)
}

export function meetingOpener(
  config: BotConfig,
  control: CommandedControlPlane,
  logger: Logger,
  usage: Pick<UsageMeter, 'noteTraffic'>,
  account: BotAccount,
  audioTap: MeetingAudioTap | null,
): OpenMeeting {
  const { job } = config
  const freshTokens = freshTokensOf(job, () => control.askForToken())
  const teamsToken = teamsTokenOf(
    job,
    () => control.askForToken(),
    (level, message) => control.report({ type: 'notice', level, message }),
  )
  let botImages: Promise<(string | null)[]> | null = null
  return async (target, starting, signal, onVoice) => {
    botImages ??= shownImages(config, control)
    const [environment, browserState, images] = await Promise.all([
      starting,
      account.load(signal),
      botImages,
      prepareBrowser(config.chromium),
    ])
    const open = openDriver({
      botName: job.bot_name,
      botImages: images,
      recordingMode: job.recording_mode,
      playout: job.streaming?.output || job.agent ? 'live' : 'even',
      talks: Boolean(job.agent ?? job.output_media),
      audioTap: audioTap && { ...audioTap, onParticipantAudio: onVoice },
      captions: config.transcription?.access.provider === 'captions',
      recordingConsent: job.recording_consent,
      hostMap: config.hostMap,
      chromium: config.chromium,
      browserPlugins: config.browserPlugins,
      mayReachPrivate: config.mayReachPrivate,
      mayShow: problemOfPagesOn(config.target.platform) === null ? config.mayShow : undefined,
      browserState,
      egress: job.egress ?? null,
      account,
      conf: withFreshTokens(confCredentialsOf(job), freshTokens),
      teamsToken,
      fetchToken: (address, limits) =>
        fetchPublic(
          address,
          limits,
          TOKEN_FIELDS.some((field) => config.permitted.has(field)),
        ),
      onTraffic: (received, sent) => usage.noteTraffic(received, sent),
      logger: logger.child({ part: 'driver' }),
    })
    return open(target, environment, signal)
  }
}

/** An image that cannot be loaded becomes null: the bot joins without it. */
function shownImages({ job, permitted }: BotConfig, control: ControlPlane): Promise<(string | null)[]> {
  return Promise.all(
    imagesOf(job).map((image) =>
      loadBotImage(image, permitted.has('bot_image')).catch((error) => {
        const reason = messageOf(error)
        control.report({ type: 'notice', level: 'warning', message: `bot_image is not shown: ${reason}` })
        return null
      }),
    ),
  )
}
