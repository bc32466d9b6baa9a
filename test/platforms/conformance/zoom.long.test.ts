import { ZOOM } from './platforms.ts'
import { promises } from './suite.ts'

promises(ZOOM, 'long')
