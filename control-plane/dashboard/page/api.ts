/** Requests of the dashboard: the public API and the dashboard's own, both with the session cookie. */

import type { Schemas } from '@standin/client/index.ts'
import { answerOf, createStandinClient, StandinApiError } from '@standin/client/index.ts'

const HEADERS = { 'x-requested-by': 'dashboard' }

export const { v2 } = createStandinClient({ baseUrl: location.origin, headers: HEADERS })
export { answerOf, StandinApiError }

export type Bot = Schemas['Bot']
export type BotItem = Schemas['BotItem']
export type BotEvent = Schemas['BotEvent']
export type TimelineStep = Schemas['TimelineStep']
export type RawCalendar = Schemas['RawCalendar']
export type CalendarEventItem = Schemas['CalendarEventItem']

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed'])

/** The bot has ended and sends no more reports. */
export const hasEnded = ({ status }: Pick<Bot, 'status'>): boolean => ENDED.has(status)

/** The data of a success of `/dashboard/api`. Rejects with `StandinApiError`. */
export function ask<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const request = fetch(`/dashboard/api${path}`, {
    method,
    headers: { ...HEADERS, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).then(async (response) => {
    const answer = (await response.json().catch(() => ({}))) as { data?: T }
    return response.ok ? { data: answer, response } : { error: answer, response }
  })
  return answerOf<{ data?: T }>(request).then(({ data }) => data as T)
}

export interface Me {
  person_id: string
  name: string
  email: string | null
  role: Role
  team: { id: string; name: string; plan: string }
}
export type Role = 'owner' | 'member' | 'viewer'

export interface SignInWays {
  oidc: { name: string } | null
}

export interface PersonRow {
  person_id: string
  name: string
  email: string | null
  is_email_confirmed: boolean
  role: Role
  created_at: string
}

export interface KeyRow {
  key_id: string
  name: string
  prefix: string
  permission: 'full' | 'sending'
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
}

export interface EndpointRow {
  endpoint_id: string
  kind: string
  url: string
  events: string[] | null
  failing_since: string | null
  disabled_at: string | null
  disabled_reason: string | null
}

export interface DeliveryRow {
  delivery: number
  event: string
  url: string
  bot_id: string | null
  state: string
  attempts: number
  created_at: string
  last_status: number | null
  last_error: string | null
}

export interface AlertRule {
  alert_rule_id: string
  name: string
  alert_type: string
  category: 'operational' | 'threshold'
  operator: '>=' | '<='
  threshold: number
  cooldown_minutes: number
  is_enabled: boolean
  callback_url: string | null
  has_callback_secret: boolean
  emails: string[]
  last_fired_at: string | null
}

export interface AlertRules {
  rules: AlertRule[]
  mail: { is_configured: boolean }
}

export interface AlertFiring {
  firing: number
  alert_rule_name: string
  triggered_at: string
  message: string
  sent: {
    delivery: number
    to: string
    state: string
    attempts: number
    next_at: string
    last_status: number | null
    last_error: string | null
    last_answer: string | null
  }[]
}

export interface Usage {
  plan: string
  balance: number | null
  reserved: number
  spent: number
  days: { day: string; bots: number; charged: Record<string, number> }[]
}

export interface LedgerRow {
  id: number
  at: string
  kind: string
  meter: string | null
  amount: number
  bot_id: string | null
}

export interface System {
  version: string
  node: string
  postgres: string
  start_seconds: { median: number | null; p95: number | null; count: number }
  queued: { reason: string | null; count: number }[]
  running: number
  waiting_deliveries: number
  oldest_delivery_seconds: number
  latest_bot_seconds: number
  waiting_commands: number
  oldest_command_seconds: number
  failing_endpoints: number
  waiting_deletions: number
  migrations: { newest: string | null; known: number; missing: string[] }
  launchers: {
    launcher: string
    version: string
    image: string | null
    free?: number
    limit?: number
    reason?: string
  }[]
}

/** Picture, speaker and captions of one bot, for the live page. */
export interface LiveView {
  bot_id: string
  picture: { url: string; taken_at: string; age_seconds: number } | null
  no_picture: string | null
  no_picture_message: string | null
  speaker: string | null
  line: { speaker: string | null; text: string; at: string } | null
}

/** The parts of a recording whose bot was lost in its meeting, and what is missing in it. */
export interface Parts {
  state: 'resuming' | 'assembling' | null
  parts: { attempt: number; begins: number; seconds: number | null; reason: string | null }[]
  gaps: { at: number; seconds: number; is_between_parts: boolean }[]
}

/** A sentence for people. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
