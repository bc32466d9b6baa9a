/**
 * The tokens that the mock Zoom has given out: each is bound to a user, and used up or expired at some time. Source:
 * docs/platform-notes/zoom.md#which-token-a-meeting-needs and #the-mock.
 */
import { randomBytes } from 'node:crypto'

interface Issued {
  kind: 'obf' | 'zak'
  /** The person of the meeting who authorized the app, or as whom the bot joins. */
  personId: string
  /** Only for this meeting; null for any. */
  meetingNumber: string | null
  /** UTC milliseconds. */
  expiresAt: number
  isUsed: boolean
}

const LIFE_MS = 7_200_000

export class Ledger {
  readonly #tokens = new Map<string, Issued>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** How many tokens were given out. */
  get size(): number {
    return this.#tokens.size
  }

  issue(
    kind: Issued['kind'],
    personId: string,
    { meetingNumber = null, lifeMs = LIFE_MS }: { meetingNumber?: string | null; lifeMs?: number } = {},
  ): string {
    const token = `${kind}.${randomBytes(24).toString('base64url')}`
    this.#tokens.set(token, { kind, personId, meetingNumber, expiresAt: this.#now() + lifeMs, isUsed: false })
    return token
  }

  /**
   * The public number with which an on-behalf-of token is refused, or the person behind it. A token serves one join:
   * it is used up even if its user is not there.
   */
  redeemObf(token: string, meetingNumber: string): { personId: string } | { problem: 4014 | 4015 } {
    const issued = this.#tokens.get(token)
    if (issued?.kind !== 'obf' || issued.isUsed || issued.expiresAt <= this.#now()) return { problem: 4014 }
    if (issued.meetingNumber !== null && issued.meetingNumber !== meetingNumber) return { problem: 4015 }
    issued.isUsed = true
    return { personId: issued.personId }
  }

  /** An access key may be used again until it expires. */
  acceptsZak(token: string): boolean {
    const issued = this.#tokens.get(token)
    return issued?.kind === 'zak' && issued.expiresAt > this.#now()
  }
}
