/** The guest of Zoom's web client: wires its parts to the interface of the worker run. */
import type { Frame, Page } from 'playwright'
import type { DriverOptions, OpenDriver } from '../../shared/driver-options.ts'
import { DeviceToggles } from '../../shared/join/device-toggles.ts'
import { languageNote } from '../../shared/join/refusal.ts'
import { DialogResponder } from '../../shared/page-access/dialogs.ts'
import { meetingScript } from '../../shared/page-access/meeting-page.ts'
import { devicesAtStart, scriptConfig } from '../../shared/page-access/script-config.ts'
import { openMeetingPage, PlatformDriver } from '../../shared/platform-driver.ts'
import { labelSources } from '../../shared/words.ts'
import { answerDialog } from '../dialogs.ts'
import { leaveSteps } from '../leaving.ts'
import { ZOOM_PACES, ZOOM_WAITS, type ZoomPaces } from '../paces.ts'
import type { ElementName, PageConfig, PageSnapshot, ZoomPageApi } from '../page/types.ts'
import type { PageStateKind } from '../page-state.ts'
import { SELECTORS, WORDS } from '../words.ts'
import { turnOnCaptions } from './captions.ts'
import { ChatPanel } from './chat.ts'
import { InCallTasks } from './in-call-tasks.ts'
import { JoinFlow } from './join-flow.ts'
import { webClientClassifier } from './page-classifier.ts'

export interface WebClientOptions extends DriverOptions {
  /** Shorter intervals for tests. */
  paces?: Partial<ZoomPaces>
}

const COMMON_HOSTS = ['app.zoom.us', 'zoom.us']

export const openWebClient: OpenDriver<WebClientOptions> = async (target, environment, signal, options) => {
  const { botName, recordingMode } = options
  const hosts = [...new Set([new URL(target.url).hostname, ...COMMON_HOSTS])]
  const script = meetingScript<PageConfig>('page/zoom', {
    ...scriptConfig(options, environment),
    meetingHosts: hosts,
    selectors: SELECTORS,
    labels: labelSources(WORDS.labels),
  })
  const page = await openMeetingPage<PageSnapshot, ElementName, ZoomPageApi>(environment, signal, options, {
    script,
    waits: ZOOM_WAITS,
    mediaOrigins: hosts.map((host) => `https://${host}`),
    frameOf: clientFrame,
  })
  const paces = { ...ZOOM_PACES, ...options.paces }
  const devices = new DeviceToggles(page, devicesAtStart(options))
  const dialogs = new DialogResponder(page, (dialog) => answerDialog(dialog, { consent: options.recordingConsent }))
  const joinFlow = new JoinFlow(page, target, botName, devices, paces)
  const chat = new ChatPanel(page)
  const inCallTasks = new InCallTasks(page, recordingMode, paces, chat)
  return new PlatformDriver<PageSnapshot, PageStateKind>({
    platform: 'zoom',
    page,
    options,
    classifier: webClientClassifier(page.waits, paces),
    devices,
    async answerOpenDialog(snapshot) {
      // Later dialogs cover earlier ones, and only the uppermost can be pressed.
      const uppermostFirst = { dialogs: [...snapshot.dialogs].reverse() }
      return (await dialogs.answerOpenDialog(uppermostFirst)) ?? (await joinFlow.clear(snapshot))
    },
    entrance: {
      open: (stop) => joinFlow.open(stop),
      ask: (snapshot, state) => joinFlow.ask(snapshot, state),
      wait: (snapshot, state) => joinFlow.wait(snapshot, state),
      hasAsked: () => joinFlow.hasAsked(),
      timeOut: (snapshot) => joinFlow.timeOut(snapshot),
      pageNote: languageNote,
    },
    chat: chat.steps(),
    captions: { turnOn: () => turnOnCaptions(page) },
    leaving: leaveSteps(page),
    watching: {
      async afterPoll(snapshot, state) {
        await joinFlow.leaveBehind()
        await inCallTasks.afterPoll(snapshot, state)
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
