import { describe } from 'vitest'
import { describeLists } from './many-rows.ts'

describe('lists among 200,000 bots of ten teams', () => describeLists(200_000))
