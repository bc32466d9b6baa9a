import { describe } from 'vitest'
import { describeLists } from './many-rows.ts'

describe('lists among 24,000 bots of ten teams', () => describeLists(24_000))
