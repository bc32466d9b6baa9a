import { describe } from 'vitest'
import { MICROSOFT_TEAMS } from './platforms.ts'
import { promises } from './suite.ts'

describe(MICROSOFT_TEAMS.name, () => promises(MICROSOFT_TEAMS))
