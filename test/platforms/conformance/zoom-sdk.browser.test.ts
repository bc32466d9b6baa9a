import { describe } from 'vitest'
import { ZOOM_SDK } from './platforms.ts'
import { promises } from './suite.ts'

describe(ZOOM_SDK.name, () => promises(ZOOM_SDK))
