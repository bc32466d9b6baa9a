import type { MeetingPage } from '../../shared/page-access/meeting-page.ts'
import type { ElementName, PageSnapshot, ZoomPageApi } from '../page/types.ts'

/** The tab with Zoom's web client. */
export type ZoomPage = MeetingPage<PageSnapshot, ElementName, ZoomPageApi>
