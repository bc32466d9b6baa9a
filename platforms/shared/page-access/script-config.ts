import type { CaptureEnvironment } from '../../../packages/core/ports.ts'
import type { DriverOptions } from '../driver-options.ts'
import type { Device } from '../join/device-toggles.ts'
import type { CommonConfig } from '../page/types.ts'

/** The picture at the start; null keeps the camera off. */
function firstImage({ botImages }: Pick<DriverOptions, 'botImages'>): string | null {
  return botImages.find((image) => image !== null) ?? null
}

/** Microphone and camera at the start. */
export function devicesAtStart(options: Pick<DriverOptions, 'botImages' | 'microphone'>): Record<Device, 'on' | 'off'> {
  return { camera: firstImage(options) === null ? 'off' : 'on', microphone: options.microphone ?? 'off' }
}

/** Configuration of every platform's page script, about the bot and the capture environment. */
export function scriptConfig(
  {
    botName,
    botImages,
    recordingMode,
    playout = 'even',
    captions = false,
    talks,
    audioTap,
  }: Pick<DriverOptions, 'botName' | 'botImages' | 'recordingMode' | 'playout' | 'captions' | 'talks' | 'audioTap'>,
  { soundAheadMs }: Pick<CaptureEnvironment, 'soundAheadMs'>,
) {
  return {
    botName,
    botImage: firstImage({ botImages }),
    recordingMode,
    playout,
    soundAheadMs,
    captions,
    ...(talks && { talks }),
    audioTap: audioTap ? { mixRate: audioTap.mixRate, participantTracks: audioTap.wantsParticipantTracks } : undefined,
  } satisfies Partial<CommonConfig>
}
