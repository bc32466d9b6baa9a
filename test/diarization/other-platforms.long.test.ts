import { JITSI, MICROSOFT_TEAMS, ZOOM, ZOOM_SDK } from '../platforms/conformance/platforms.ts'
import { saysWhoSpokeWhen } from './who-spoke-when.ts'

saysWhoSpokeWhen([MICROSOFT_TEAMS, ZOOM, ZOOM_SDK, JITSI])
