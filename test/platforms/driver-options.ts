import { silentLogger } from '../../packages/core/logger.ts'
import type { MockServer } from '../../packages/mock/types.ts'
import type { DriverOptions } from '../../platforms/shared/driver-options.ts'

/** A plain guest for mock meetings: sound alone, agrees to be recorded, says nothing. */
export function guestOptions(mock: Pick<MockServer, 'hosts' | 'address'>): DriverOptions {
  return {
    botName: 'Notes for Ann',
    botImages: [],
    recordingMode: 'audio_only',
    recordingConsent: 'accept',
    hostMap: mock.hosts.map((host) => ({ host, address: mock.address })),
    chromium: null,
    browserPlugins: [],
    logger: silentLogger,
  }
}
