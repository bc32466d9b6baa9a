/** Reads the body of an answer that is a success. */
import type { z } from 'zod'
import { ProviderProblem } from '../ports.ts'
import type { Answer } from './transport.ts'

/** The body in this shape; otherwise rejects with `unavailable`. */
export function bodyOf<T extends z.ZodType>(answer: Answer, shape: T, provider: string, what: string): z.output<T> {
  const read = shape.safeParse(answer.json)
  if (read.success && answer.bodyProblem === null) return read.data
  const first = read.error?.issues[0]
  const reason = answer.bodyProblem ?? `lacks ${first?.path.join('.') || 'an object'}`
  throw new ProviderProblem('unavailable', `${provider}'s answer to ${what} ${reason}`)
}

/** An id as a part of a path. */
export const segment = (id: string): string => encodeURIComponent(id)
