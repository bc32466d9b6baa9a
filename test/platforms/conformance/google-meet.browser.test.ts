import { describe } from 'vitest'
import { GOOGLE_MEET } from './platforms.ts'
import { promises } from './suite.ts'

describe(GOOGLE_MEET.name, () => promises(GOOGLE_MEET))
