import type { MeetingPage } from '../../shared/meeting-page.ts'
import type { ElementName, PageSigns, ZoomPageApi } from '../page/types.ts'

/** The tab with Zoom's web client. */
export type ZoomPage = MeetingPage<PageSigns, ElementName, ZoomPageApi>
