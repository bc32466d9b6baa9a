/** What the host's page may ask for, checked. */
import { z } from 'zod'
import type { HostAction } from './page/host-protocol.ts'

const code = z.string().max(40)
const id = z.string().max(100)
const MOST_CHARACTERS = 500

export const hostActionSchema: z.ZodType<HostAction> = z.union([
  z.strictObject({ act: z.literal('open'), scenario: z.string().max(60), speed: z.number().min(0.1).max(100) }),
  z.strictObject({ act: z.enum(['admit', 'deny', 'remove', 'end', 'mute', 'lose', 'regain']), code }),
  z.strictObject({ act: z.literal('add'), code, name: z.string().trim().min(1).max(60), camera: z.boolean() }),
  z.strictObject({ act: z.literal('person'), code, id, what: z.enum(['speak', 'camera', 'share', 'leave']) }),
  z.strictObject({ act: z.literal('say'), code, id, text: z.string().trim().min(1).max(MOST_CHARACTERS) }),
  z.strictObject({ act: z.literal('chat'), code, enabled: z.boolean() }),
  z.strictObject({ act: z.literal('show'), code, what: z.string().max(40) }),
  z.strictObject({ act: z.literal('flash'), code, on: z.boolean() }),
])
