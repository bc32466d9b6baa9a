import { MICROSOFT_TEAMS } from './platforms.ts'
import { promises } from './suite.ts'

promises(MICROSOFT_TEAMS, 'browser')
