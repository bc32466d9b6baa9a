/** How the text of a setting becomes its value. */
import { isAbsolute } from 'node:path'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { z } from 'zod'

/** Messages of the schema have no subject: they follow the name of the setting. */
export interface Kind<T> {
  schema: z.ZodType<T, string>
  /** How the operator corrects a wrong text. */
  cure: string
}

/** The typed text, safe for a terminal. */
export const shown = (text: string): string => `"${text.replace(/[^\P{C}]/gu, '?').slice(0, 100)}"`

/** `read` throws the message. */
export function kind<T>(cure: string, read: (text: string) => T): Kind<T> {
  const schema = z.string().transform((text, context): T => {
    try {
      return read(text)
    } catch (error) {
      const message = messageOf(error)
      context.addIssue(message.charAt(0).toLowerCase() + message.slice(1))
      return z.NEVER
    }
  })
  return { schema, cure }
}

export const anyText: Kind<string> = { schema: z.string().min(1, 'is empty'), cure: 'Write a text, or leave it out' }

export function oneOf<const T extends string>(...words: readonly [T, ...T[]]): Kind<T> {
  return {
    schema: z.enum(words, { error: ({ input }) => `${shown(String(input))} is not known` }) as z.ZodType<T, string>,
    cure: words.length === 1 ? `Write ${words[0]}, or leave it out` : `Choose one of ${words.join(', ')}`,
  }
}

/** Whether it is the first of the words. */
export function isWord(...words: readonly [string, ...string[]]): Kind<boolean> {
  const { schema, cure } = oneOf(...words)
  return { schema: schema.transform((word) => word === words[0]), cure }
}

export function wholeNumber(min: number, max: number): Kind<number> {
  const isValid = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max
  const error = ({ input }: { input?: unknown }) => `${shown(String(input))} is not a number from ${min} to ${max}`
  return {
    schema: z.string().refine(isValid, { error }).transform(Number),
    cure: 'Write a whole number in these bounds',
  }
}

/** `what` follows "is not". */
export function matching(pattern: RegExp, what: string, cure: string): Kind<string> {
  const error = ({ input }: { input?: unknown }) => `${shown(String(input))} is not ${what}`
  return { schema: z.string().refine((text) => pattern.test(text), { error }), cure }
}

/** Words separated by commas. `read` answers null for a wrong one. */
export function list<T>(noun: string, cure: string, read: (word: string) => T | null, max = 1000): Kind<T[]> {
  return kind(cure, (text) => {
    const words = text.split(',').map((word) => word.trim())
    const values = words.filter((word) => word !== '').map((word) => ({ word, value: read(word) }))
    const wrong = values.filter(({ value }) => value === null).map(({ word }) => shown(word))
    if (wrong.length > 0) throw new Error(`does not know ${wrong.join(', ')}`)
    if (values.length === 0) throw new Error(`names no ${noun}`)
    if (values.length > max) throw new Error(`names more than ${max} ${noun}s`)
    return values.map(({ value }) => value!)
  })
}

/** A word that matches is its own value. */
export const listOf = (noun: string, cure: string, pattern: RegExp): Kind<string[]> =>
  list(noun, cure, (word) => (pattern.test(word) ? word : null))

/** An address that may hold more than host and path. Its text may hold a secret, so no message repeats it. */
export function addressBy(...protocols: readonly string[]): Kind<string> {
  const starts = protocols.map((protocol) => `${protocol}//`).join(' or ')
  return kind(`Write an address that starts with ${starts}`, (text) => {
    const url = URL.canParse(text) ? new URL(text) : null
    if (url === null || !protocols.includes(url.protocol)) throw new Error(`does not start with ${starts}`)
    return text
  })
}

/** Host and path alone, without a slash at the end. */
export function plainAddress(...protocols: readonly string[]): Kind<string> {
  const { schema } = addressBy(...protocols)
  const read = (text: string) => {
    const url = new URL(text)
    if (url.search !== '' || url.hash !== '') throw new Error('has a part behind ? or #')
    if (url.username !== '' || url.password !== '') throw new Error('holds a user or a password')
    return text.replace(/\/+$/, '')
  }
  const { schema: plain, cure } = kind(`Write a plain address such as ${protocols.at(-1)}//bots.example.com`, read)
  return { schema: schema.pipe(plain), cure }
}

const VOLUME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/
const NAME_CURE = 'Write letters, digits, underscores, points and hyphens'
export const dockerNetwork = matching(VOLUME, 'the name of a network of Docker', NAME_CURE)
const volume = matching(VOLUME, 'the name of a volume of Docker', NAME_CURE)
export const pathOrVolume: Kind<string> = {
  schema: z.union([z.string().refine(isAbsolute), volume.schema], {
    error: 'is neither a path nor a volume of Docker',
  }),
  cure: NAME_CURE,
}
