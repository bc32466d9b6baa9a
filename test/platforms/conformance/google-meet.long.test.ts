import { GOOGLE_MEET } from './platforms.ts'
import { promises } from './suite.ts'

promises(GOOGLE_MEET, 'long')
