/** The Zoom harness, for drivers that join through the stub of the Meeting SDK. */

import type { ConfCredentials } from '../../../../packages/core/conf-credentials.ts'
import type { BotError } from '../../../../packages/core/errors.ts'
import { ledgerOf, STUB_BASE } from '../../../../packages/mock/zoom/sdk/index.ts'
import type { ZoomSdkOptions } from '../../../../platforms/zoom/meeting-sdk/driver.ts'
import type { FetchToken } from '../../../../platforms/zoom/meeting-sdk/tokens.ts'
import { type Attempt, type AttemptOptions, SPEED, zoomHarness } from '../harness.ts'
import { CONF } from './conf.ts'

/** Tokens of people of the mock are fetched from here, in the place of the public internet. */
export const TOKEN_URL = 'https://tokens.example/token'

export interface SdkAttemptOptions extends Omit<AttemptOptions, 'driver'> {
  conf?: Partial<ConfCredentials>
  driver?: Partial<ZoomSdkOptions>
}

export function sdkHarness() {
  const harness = zoomHarness()
  const ledger = () => ledgerOf(harness.mock())
  return {
    mock: harness.mock,
    ledger,
    /** An address that gives a fresh token of Ann's each time it is asked. */
    tokensOf(kind: 'obf' | 'zak', asked: string[] = []): FetchToken {
      return async (address) => {
        const token = ledger().issue(kind, 'ann')
        asked.push(address)
        return Buffer.from(token)
      }
    },
    attempt(scenario: string, { conf, driver, ...options }: SdkAttemptOptions = {}): Promise<Attempt> {
      const speed = options.speed ?? SPEED
      const sdk: Partial<ZoomSdkOptions> = {
        conf: { ...CONF, ...conf },
        sdkBase: STUB_BASE,
        sdkWaits: {
          userAgainMs: 5000 / speed,
          hostAgainMs: 15_000 / speed,
          captureStartMs: 45_000 / speed,
          askAgainMs: 60_000 / speed,
          noHostMs: 3000 / speed,
        },
        ...driver,
      }
      return harness.attempt(scenario, { ...options, driver: sdk })
    },
  }
}

/** The joins that the mock saw, oldest first: Zoom's number and the kind of token. */
export function joinsOf({ meeting }: Attempt): { code: number; token: string | null }[] {
  return meeting.log.filter(({ target }) => target === 'sdk-join').map(({ detail }) => JSON.parse(detail ?? ''))
}

/** The error that ended a wait. */
export async function failureOf(work: Promise<unknown>): Promise<BotError> {
  try {
    await work
  } catch (error) {
    return error as BotError
  }
  throw new Error('It did not fail')
}
