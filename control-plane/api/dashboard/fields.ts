/** Fields of the dashboard's requests. */
import { z } from 'zod'

/** The number of a delivery or of an entry of the ledger, in an address. */
export const rowNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

/**
 * A name in one line, without control characters and those that turn the text around.
 * Persian and joined emoji need the zero-width joiner and non-joiner.
 */
export const oneLine = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^(?:[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[\u200c\u200d])*$/u, {
    error: 'must be one line without control characters',
  })
