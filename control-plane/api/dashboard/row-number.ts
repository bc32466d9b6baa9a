import { z } from 'zod'

/** The number of a delivery or of an entry of the ledger, in an address. */
export const rowNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
