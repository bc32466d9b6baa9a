import { JITSI, MICROSOFT_TEAMS, ZOOM } from '../platforms/conformance/platforms.ts'
import { asksOnTime } from './on-time.ts'

asksOnTime([MICROSOFT_TEAMS, ZOOM, JITSI])
