/**
 * Keys that end within hours, for the files of one bot only. The control plane gives new ones before they end, and after
 * a server has refused them.
 */
import type { StorageKeys } from '@standin/wire/job.ts'
import type { Clock } from '../../../packages/core/ports.ts'

/** The SDK asks in the last five minutes. */
const RENEW_MS = 6 * 60_000
/** New keys are not asked for more often, even if the server refuses them. */
const PAUSE_MS = 60_000

export class RenewedKeys {
  #keys: StorageKeys
  readonly #renew: () => Promise<StorageKeys>
  readonly #clock: Clock
  #renewedAt: number
  #isRefused = false
  #renewing: Promise<void> | null = null

  /** `renew` may reject: then the old keys are tried on. */
  constructor(first: StorageKeys, renew: () => Promise<StorageKeys>, clock: Clock) {
    this.#keys = first
    this.#renew = renew
    this.#clock = clock
    this.#renewedAt = clock.now()
  }

  /** Whether new keys can be had, which the server may let through. */
  get mayChange(): boolean {
    return this.#clock.now() - this.#renewedAt >= PAUSE_MS
  }

  /** Asks for new ones at the next request. */
  refused(): void {
    this.#isRefused = true
  }

  /** As the SDK wants them. Never rejects: it is the server that says when keys are over. */
  async identity() {
    const isOld = this.#isRefused || Date.parse(this.#keys.keys_end_at) - this.#clock.now() < RENEW_MS
    if (isOld && this.mayChange) {
      this.#renewing ??= this.#change()
      await this.#renewing
    }
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = this.#keys
    return { accessKeyId, secretAccessKey, sessionToken, expiration: new Date(this.#keys.keys_end_at) }
  }

  async #change(): Promise<void> {
    try {
      this.#keys = await this.#renew()
      this.#renewedAt = this.#clock.now()
      this.#isRefused = false
    } catch {
      // The link to the control plane is down; the next request asks again.
    } finally {
      this.#renewing = null
    }
  }
}
