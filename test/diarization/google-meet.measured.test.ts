import { GOOGLE_MEET } from '../platforms/conformance/platforms.ts'
import { saysWhoSpokeWhen } from './who-spoke-when.ts'

saysWhoSpokeWhen([GOOGLE_MEET])
