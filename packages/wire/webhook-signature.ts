/** Signatures of Standard Webhooks 1.0: HMAC-SHA256 over `<id>.<timestamp>.<body>`. */
import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/** Headers in both naming sets. Each secret signs; `timestamp` is in Unix seconds, of this attempt. */
export function signatureHeaders(
  id: string,
  timestamp: number,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const signature = secrets.map((secret) => `v1,${signed(secret, `${id}.${timestamp}.${body}`)}`).join(' ')
  const values = { id, timestamp: String(timestamp), signature }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [`webhook-${name}`, value],
      [`svix-${name}`, value],
    ]),
  )
}

function signed(secret: string, content: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64')
  return createHmac('sha256', key).update(content).digest('base64')
}
