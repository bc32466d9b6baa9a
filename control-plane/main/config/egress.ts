/** Which proxy the browsers of which bots use: STANDIN_EGRESS, a JSON document or the path of one. */
import { type Egress, egressSchema } from '@standin/wire/egress.ts'
import { problemsOf } from '@standin/wire/job.ts'
import { MEETING_PLATFORMS, type PlatformName } from '@standin/wire/platforms.ts'
import { z } from 'zod'
import { documentOf } from './document.ts'
import { kind } from './kind.ts'

const MAX_RULES = 1000

const ruleSchema = z.strictObject({
  team: z.uuid().optional(),
  platform: z.enum(MEETING_PLATFORMS).optional(),
  proxy: egressSchema.shape.proxy.nullable(),
  media: egressSchema.shape.media,
})
export type EgressRule = z.infer<typeof ruleSchema>

/** Proxies have passwords, so no message repeats a value. */
export const egressRules = kind(
  'Write rules as JSON, or the absolute path of a file with them: [{"team": "<id>", "platform": "teams", "proxy": "socks5://user:password@host:port"}]',
  (text): EgressRule[] => {
    const { data, error } = z.array(ruleSchema).max(MAX_RULES).safeParse(documentOf(text))
    if (data !== undefined) return data
    const { path, message } = problemsOf(error)[0]!
    throw new Error(`${path === '' ? 'the document' : `rule ${path}`}: ${message}`)
  },
)

/** That of the first rule that fits; null: the bot's browser uses none. */
export function egressOf(rules: readonly EgressRule[], team: string, platform: PlatformName): Egress | null {
  const { proxy = null, media = 'proxy' } =
    rules.find((rule) => (rule.team ?? team) === team && (rule.platform ?? platform) === platform) ?? {}
  return proxy === null ? null : { proxy, media }
}
