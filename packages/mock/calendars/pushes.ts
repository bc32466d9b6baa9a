/** The notifications that the providers send to addresses that watch a calendar, and repeat until they arrive. */

export interface Push {
  address: string
  headers: Record<string, string>
  body: string | null
}

const TIMEOUT_MS = 10_000
const ATTEMPTS = 4
/** Before the first retry. It doubles with each retry. */
const RETRY_MS = 200

export class Pushes {
  /** How many were sent. */
  sent = 0
  private readonly inFlight = new Set<Promise<void>>()
  private readonly shouldRetry: (status: number) => boolean
  private isClosed = false

  constructor(shouldRetry: (status: number) => boolean) {
    this.shouldRetry = shouldRetry
  }

  /** Returns at once. */
  send(push: Push): void {
    const work = this.deliver(push).finally(() => this.inFlight.delete(work))
    this.inFlight.add(work)
  }

  /** Resolves when all pending notifications have arrived or were given up. */
  async settled(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight)
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.settled()
  }

  private async deliver(push: Push): Promise<void> {
    for (let attempt = 1; !this.isClosed; attempt++) {
      const status = await post(push)
      this.sent++
      if (attempt === ATTEMPTS || (status !== null && !this.shouldRetry(status))) return
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 2 ** (attempt - 1)))
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
