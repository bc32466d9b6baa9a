/**
 * The token by which a registered bot identifies itself: a JSON Web Token, which the stand-in of Microsoft's sign-in signs and
 * the mock meeting checks. The key is public, so that two processes need not share one.
 */
import { createHmac, randomUUID } from 'node:crypto'

export const BOT_SCOPE = 'https://ic3.teams.office.com/.default'
export const BOT_TOKEN_SECONDS = 3599
const AUDIENCE = 'https://ic3.teams.office.com'
const KEY = 'the key of the stand-in'

export type BotTokenState = 'valid' | 'expired' | 'foreign'

export function newBotToken(app: { tenant: string; clientId: string }, now = Date.now(), key = KEY): string {
  const issuedAt = Math.floor(now / 1000)
  const claims = { aud: AUDIENCE, tid: app.tenant, appid: app.clientId, iat: issuedAt, jti: randomUUID() }
  const text = [
    { typ: 'JWT', alg: 'HS256' },
    { ...claims, exp: issuedAt + BOT_TOKEN_SECONDS },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${signatureOf(text, key)}`
}

export function stateOfBotToken(token: string): BotTokenState {
  const [head = '', claims = '', signature] = token.split('.')
  if (signature !== signatureOf(`${head}.${claims}`, KEY)) return 'foreign'
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number }
  return exp * 1000 <= Date.now() ? 'expired' : 'valid'
}

function signatureOf(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
