/** The guest of Zoom's web client: wires its parts to the interface of the life. */
import type { Frame, Page } from 'playwright'
import type { MeetingTarget } from '../../../src/meeting/meeting.ts'
import type { CaptureEnvironment, MeetingDriver } from '../../../src/ports.ts'
import { DeviceKeeper } from '../../shared/device-keeper.ts'
import { DialogSweeper } from '../../shared/dialogs.ts'
import type { DriverOptions } from '../../shared/driver-options.ts'
import { meetingScript } from '../../shared/meeting-page.ts'
import { openMeetingPage, PlatformDriver } from '../../shared/platform-driver.ts'
import { firstImage, scriptConfig } from '../../shared/script-config.ts'
import { labelSources } from '../../shared/words.ts'
import { answerDialog } from '../dialogs.ts'
import { leaveSteps } from '../leaving.ts'
import { ZOOM_PACES, ZOOM_WAITS, type ZoomPaces } from '../paces.ts'
import type { ElementName, PageConfig, PageSigns, ZoomPageApi } from '../page/types.ts'
import { SELECTORS } from '../selectors.ts'
import type { SituationKind } from '../situation.ts'
import { WORDS } from '../words.ts'
import { turnOnCaptions } from './captions.ts'
import { ChatPanel } from './chat.ts'
import { WebEntrance } from './entrance.ts'
import { MeetingChores } from './in-meeting.ts'
import { webClientSense } from './sense.ts'

export interface WebClientOptions extends DriverOptions {
  /** Shorter ones for tests. */
  paces?: Partial<ZoomPaces>
}

const COMMON_HOSTS = ['app.zoom.us', 'zoom.us']

/** Starts the browser on the stage. Rejects with a BotError when it does not start. */
export async function openWebClient(
  target: MeetingTarget,
  stage: CaptureEnvironment,
  signal: AbortSignal,
  options: WebClientOptions,
): Promise<MeetingDriver> {
  const { botName, recordingMode } = options
  const hosts = [...new Set([new URL(target.url).hostname, ...COMMON_HOSTS])]
  const script = meetingScript<PageConfig>('page/zoom', {
    ...scriptConfig(options, stage),
    meetingHosts: hosts,
    selectors: SELECTORS,
    labels: labelSources(WORDS.labels),
  })
  const page = await openMeetingPage<PageSigns, ElementName, ZoomPageApi>(stage, signal, options, {
    script,
    waits: ZOOM_WAITS,
    mediaOrigins: hosts.map((host) => `https://${host}`),
    frameOf: clientFrame,
  })
  const paces = { ...ZOOM_PACES, ...options.paces }
  const devices = new DeviceKeeper(page, {
    camera: firstImage(options) === null ? 'off' : 'on',
    microphone: options.microphone ?? 'off',
  })
  const dialogs = new DialogSweeper(page, (dialog) => answerDialog(dialog, { consent: options.recordingConsent }))
  const entrance = new WebEntrance(page, target, botName, devices, paces)
  const chat = new ChatPanel(page)
  const chores = new MeetingChores(page, recordingMode, paces, chat)
  return new PlatformDriver<PageSigns, SituationKind>({
    page,
    options,
    sense: webClientSense(page.waits, paces),
    devices,
    async sweep(signs) {
      // Later ones lie over earlier ones, and only the uppermost can be reached.
      const uppermostFirst = { dialogs: [...signs.dialogs].reverse() }
      return (await dialogs.sweep(uppermostFirst)) ?? (await entrance.clear(signs))
    },
    entrance: {
      open: (stop) => entrance.open(stop),
      ask: (signs, situation) => entrance.ask(signs, situation),
      wait: (signs, situation) => entrance.wait(signs, situation),
      hasAsked: () => entrance.hasAsked(),
      timeOut: (signs) => entrance.timeOut(signs),
      pageNote: (signs) => entrance.pageNote(signs),
    },
    chat: chat.steps(),
    captions: { turnOn: () => turnOnCaptions(page) },
    leaving: leaveSteps(page),
    watching: {
      async eachLook(signs, situation) {
        await entrance.leaveBehind()
        await chores.look(signs, situation)
      },
      canBePutBack: true,
      codeBeforeRecording: 'MEETING_ENDED_PREMATURELY',
    },
  })
}

/** In the app's shell the whole client is in a frame; without it the page itself is the client. */
function clientFrame(page: Page): Frame {
  return page.frames().find((frame) => frame.name() === 'webclient' && !frame.isDetached()) ?? page.mainFrame()
}
