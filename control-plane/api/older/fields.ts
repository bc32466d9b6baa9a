/** Building blocks of the older generation's schemas. Bounds come first. */
import {
  chatText,
  problemOfCallerData,
  imageAddress as wireImageAddress,
  webSocketAddress as wireWebSocketAddress,
} from '@standin/wire/bot-fields.ts'
import { z } from 'zod'
import { blankAsNull } from '../v2/bots/schema.ts'

const MAX_ADDRESS_LENGTH = 2048
const MAX_SECRET_LENGTH = 4096

export const text = (maxLength: number) => z.string().max(maxLength)

const address = (protocols: readonly string[]) =>
  text(MAX_ADDRESS_LENGTH).refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })

/** Whether it may be requested is judged with the service's settings, by the guarded client. */
export const webAddress = address(['https:', 'http:'])
/** As the worker reads them, so that no accepted request makes an invalid job. */
export const webSocketAddress = wireWebSocketAddress.max(MAX_ADDRESS_LENGTH)
export const imageAddress = wireImageAddress.max(MAX_ADDRESS_LENGTH)
export const entryMessage = blankAsNull(chatText.nullable())

/** Visible ASCII, which is what a header can carry. */
export const secret = z
  .string()
  .min(1)
  .max(MAX_SECRET_LENGTH)
  .refine((value) => /^[!-~]*$/.test(value), { error: 'must not contain spaces or characters beyond ASCII' })

/** Clients send `""` for what they leave out. */
export const orEmpty = <T extends z.ZodType>(schema: T) => z.union([schema, z.literal('')]).nullish()

/** Any JSON of the caller, given back as it is. */
export const callerJson = z.unknown().superRefine((value, context) => {
  const problem = value === undefined ? null : problemOfCallerData(value)
  if (problem !== null) context.addIssue({ code: 'custom', message: problem })
})
