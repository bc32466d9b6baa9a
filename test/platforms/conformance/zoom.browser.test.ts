import { describe } from 'vitest'
import { ZOOM } from './platforms.ts'
import { promises } from './suite.ts'

describe(ZOOM.name, () => promises(ZOOM))
