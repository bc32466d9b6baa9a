import { startMockGoogleMeet } from '../../../packages/mock/index.ts'
import { readsCaptions } from './read-along.ts'

readsCaptions(startMockGoogleMeet)
