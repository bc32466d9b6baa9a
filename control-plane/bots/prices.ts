/** The operator's price list, and the money that used resources cost by it. Exact: whole numbers throughout. Pure. */
import { z } from 'zod'

/** A billionth of the currency's unit, in which prices are kept. */
const NANO = 1_000_000_000n
/** Decimals of an amount. */
const AMOUNT_DECIMALS = 6
const MS_PER_HOUR = 3_600_000n
/** 10⁹, not 2³⁰. */
const BYTES_PER_GB = 1_000_000_000n

/** As text: a JSON number such as 0.1 has no exact value. */
const price = z
  .string('is no text; write a price in quotes, such as "0.045"')
  .regex(/^\d{1,6}(\.\d{1,9})?$/, 'is no price such as "0.045", with up to 6 digits before the point and 9 after it')
  .transform((text): bigint => {
    const [whole = '0', fraction = ''] = text.split('.')
    return BigInt(whole) * NANO + BigInt(fraction.padEnd(9, '0'))
  })
  .default(0n)

export const pricesSchema = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/, 'is no code of a currency such as EUR'),
  /** Such as 2026-11-01; shown with every amount. */
  as_of: z.iso.date('is no date such as 2026-11-01'),
  core_hour: price,
  /** Of the highest memory of a process of a bot, for as long as that lived. */
  memory_gb_hour: price,
  gb_received: price,
  gb_sent: price,
  gb_stored: price,
})
/** Prices in billionths. */
export type Prices = z.infer<typeof pricesSchema>

/** Sums of attempts, exact. */
export interface PricedUsage {
  coreMs: bigint
  /** Peak memory times life, summed up. */
  memoryByteMs: bigint
  bytesReceived: bigint
  bytesSent: bigint
  bytesStored: bigint
}

/**
 * An amount such as `0.012345`. It is rounded once, at the end, half up to six decimals: the amount of a sum may differ from
 * the sum of its parts' amounts by the rounding of these.
 */
export function costOf(prices: Prices, used: PricedUsage): string {
  const traffic =
    used.bytesReceived * prices.gb_received + used.bytesSent * prices.gb_sent + used.bytesStored * prices.gb_stored
  const numerator =
    used.coreMs * prices.core_hour * BYTES_PER_GB + used.memoryByteMs * prices.memory_gb_hour + traffic * MS_PER_HOUR
  const unit = BYTES_PER_GB * MS_PER_HOUR * (NANO / 10n ** BigInt(AMOUNT_DECIMALS))
  const rounded = String((2n * numerator + unit) / (2n * unit)).padStart(AMOUNT_DECIMALS + 1, '0')
  return `${rounded.slice(0, -AMOUNT_DECIMALS)}.${rounded.slice(-AMOUNT_DECIMALS)}`
}
