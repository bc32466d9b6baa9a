/** The operator's prices of the resources of bots: STANDIN_PRICES, a JSON document or the path of one. */
import { problemsOf } from '@standin/wire/job.ts'
import { type Prices, pricesSchema } from '../../bots/prices.ts'
import { documentOf } from './document.ts'
import { kind } from './kind.ts'

export const priceList = kind(
  'Write a price list as JSON, or the absolute path of a file with it: {"currency": "EUR", "as_of": "2026-11-01", "core_hour": "0.04", "gb_sent": "0.08"}',
  (text): Prices => {
    const { data, error } = pricesSchema.safeParse(documentOf(text))
    if (data !== undefined) return data
    const { path, message } = problemsOf(error)[0]!
    throw new Error(`${path === '' ? 'the document' : path}: ${message}`)
  },
)
