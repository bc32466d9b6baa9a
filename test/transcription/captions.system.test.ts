import { startMockGoogleMeet } from '../../mock/index.ts'
import { readsCaptions } from './read-along.ts'

readsCaptions(startMockGoogleMeet)
