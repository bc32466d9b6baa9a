import { JITSI } from './platforms.ts'
import { promises } from './suite.ts'

promises(JITSI, 'long')
