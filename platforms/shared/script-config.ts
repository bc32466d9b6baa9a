import type { Stage } from '../../src/ports.ts'
import type { DriverOptions } from './driver-options.ts'
import type { CommonConfig } from './page/types.ts'

/** What every platform's page script is told of the bot, and of the stage that it plays on. */
export function scriptConfig(
  {
    botName,
    botImage,
    recordingMode,
    playout = 'even',
    captions = false,
    ears,
  }: Pick<DriverOptions, 'botName' | 'botImage' | 'recordingMode' | 'playout' | 'captions' | 'ears'>,
  { soundAheadMs }: Pick<Stage, 'soundAheadMs'>,
) {
  return {
    botName,
    botImage,
    recordingMode,
    playout,
    soundAheadMs,
    captions,
    ...(ears ? { ears: { mixRate: ears.mixRate, voices: ears.wantsVoices } } : {}),
  } satisfies Partial<CommonConfig>
}
