import { ZOOM_SDK } from './platforms.ts'
import { promises } from './suite.ts'

promises(ZOOM_SDK, 'browser')
