/**
 * The notifications that the providers send to addresses that watch a calendar. A test can lose, double, delay and
 * repeat them.
 */

export interface Push {
  address: string
  headers: Record<string, string>
  body: string | null
}

export interface SentPush extends Push {
  /** Null if there was no answer, or it was lost on purpose. */
  status: number | null
  isLost: boolean
}

const TIMEOUT_MS = 10_000
const ATTEMPTS = 4

export class Pushes {
  /** Everything that was sent or lost, oldest first. */
  readonly sent: SentPush[] = []
  /** The number of next notifications that are lost. */
  losing = 0
  /** Each one is sent twice at once. */
  doubles = false
  /** Milliseconds before the first retry. It doubles with each retry. */
  retryMs = 200
  private readonly inFlight = new Set<Promise<void>>()
  private readonly shouldRetry: (status: number) => boolean
  private isClosed = false

  constructor(shouldRetry: (status: number) => boolean) {
    this.shouldRetry = shouldRetry
  }

  /** Returns at once. */
  send(push: Push): void {
    if (this.losing > 0) {
      this.losing--
      this.sent.push({ ...push, status: null, isLost: true })
      return
    }
    this.start(push)
    if (this.doubles) this.start(push)
  }

  /** Resolves when all pending notifications have arrived or were given up. */
  async settled(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight)
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.settled()
  }

  private start(push: Push): void {
    const work = this.deliver(push).finally(() => this.inFlight.delete(work))
    this.inFlight.add(work)
  }

  private async deliver(push: Push): Promise<void> {
    for (let attempt = 1; !this.isClosed; attempt++) {
      const status = await post(push)
      this.sent.push({ ...push, status, isLost: false })
      if (attempt === ATTEMPTS || (status !== null && !this.shouldRetry(status))) return
      await new Promise((resolve) => setTimeout(resolve, this.retryMs * 2 ** (attempt - 1)))
    }
  }
}

async function post({ address, headers, body }: Push): Promise<number | null> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return response.status
  } catch {
    return null
  }
}
