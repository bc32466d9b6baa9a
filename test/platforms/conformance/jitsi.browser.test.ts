import { describe } from 'vitest'
import { JITSI } from './platforms.ts'
import { promises } from './suite.ts'

describe(JITSI.name, () => promises(JITSI))
