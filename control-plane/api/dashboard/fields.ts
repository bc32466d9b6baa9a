import { z } from 'zod'

/** The number of a delivery or of an entry of the ledger, in an address. */
export const rowNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

/**
 * One line of text: no control characters, which PostgreSQL or a mail's subject refuses, and none that turn the text
 * around. The two joiners belong to the spelling of some languages.
 */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^(?:[\u200c\u200d]|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}])*$/u, {
    error: 'must be one line without control characters',
  })
