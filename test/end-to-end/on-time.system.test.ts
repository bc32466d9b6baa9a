import { GOOGLE_MEET } from '../platforms/conformance/platforms.ts'
import { asksOnTime } from './on-time.ts'

asksOnTime([GOOGLE_MEET])
