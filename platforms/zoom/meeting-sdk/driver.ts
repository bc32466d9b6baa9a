/** The driver that joins through Zoom's Meeting SDK: wires its parts to the interface of the worker run. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { ConfCredentials } from '../../../packages/core/conf-credentials.ts'
import { BotError } from '../../../packages/core/errors.ts'
import type { MeetingTarget } from '../../../packages/core/meeting/meeting.ts'
import type { DriverOptions, OpenDriver } from '../../shared/driver-options.ts'
import type { ChatSteps } from '../../shared/in-call/chat-sender.ts'
import { DeviceToggles } from '../../shared/join/device-toggles.ts'
import { DialogResponder } from '../../shared/page-access/dialogs.ts'
import { meetingScript } from '../../shared/page-access/meeting-page.ts'
import { devicesAtStart, scriptConfig } from '../../shared/page-access/script-config.ts'
import { openMeetingPage, PlatformDriver } from '../../shared/platform-driver.ts'
import { labelSources } from '../../shared/words.ts'
import { answerDialog } from '../dialogs.ts'
import { ZOOM_PACES, ZOOM_WAITS, type ZoomPaces } from '../paces.ts'
import type { ElementName } from '../page/types.ts'
import { SoundJoin } from '../sound-join.ts'
import { SELECTORS, WORDS } from '../words.ts'
import { JOIN_FLOW_WAITS, JoinFlow, type JoinFlowWaits, type SdkMeetingPage } from './join-flow.ts'
import type { SdkAnswer, SdkPageApi, SdkPageConfig, SdkSnapshot } from './page/types.ts'
import { type SdkPage, serveSdkPage } from './page-server.ts'
import { SDK_PAGE_PHASES, saysUserLeft, sdkClassifier } from './page-state.ts'
import { mustStillBeAllowed, obtainRight, RIGHT_WAITS, type RightWaits } from './recording-right.ts'
import { Secrets } from './secrets.ts'
import type { FetchToken } from './tokens.ts'

export interface ZoomSdkOptions extends DriverOptions {
  conf: ConfCredentials
  /** Where the SDK's files are; default: the installed npm package. Tests give the base of a stub. */
  sdkBase?: string
  sdkWaits?: Partial<JoinFlowWaits & RightWaits>
  fetchToken?: FetchToken
  /** Shorter intervals for tests. */
  paces?: Partial<ZoomPaces>
}

/**
 * Starts the browser in the capture environment, and the server of the bot's own page. Rejects with a BotError when
 * either fails.
 */
export const openZoomSdk: OpenDriver<ZoomSdkOptions> = async (target, environment, signal, options) => {
  const served = await serve(options.sdkBase ?? null)
  try {
    const script = meetingScript<SdkPageConfig>('page/zoom/meeting-sdk', {
      ...scriptConfig(options, environment),
      meetingHosts: ['127.0.0.1'],
      selectors: SELECTORS,
      labels: labelSources(WORDS.labels),
    })
    const page = await openMeetingPage<SdkSnapshot, ElementName, SdkPageApi>(environment, signal, options, {
      script,
      waits: ZOOM_WAITS,
      mediaOrigins: [served.origin],
    })
    return new ZoomSdkDriver(target, page, served, options)
  } catch (error) {
    await served.close()
    throw error
  }
}

async function serve(sdkBase: string | null): Promise<SdkPage> {
  try {
    return await serveSdkPage(sdkBase)
  } catch (error) {
    throw new BotError('INTERNAL_ERROR', messageOf(error), {
      step: 'SDK',
      cause: error,
    })
  }
}

class ZoomSdkDriver extends PlatformDriver<SdkSnapshot, keyof typeof SDK_PAGE_PHASES> {
  readonly #served: SdkPage

  constructor(target: MeetingTarget, page: SdkMeetingPage, served: SdkPage, options: ZoomSdkOptions) {
    const { botName, conf, recordingConsent } = options
    const waits = { ...JOIN_FLOW_WAITS, ...RIGHT_WAITS, ...options.sdkWaits }
    const secrets = new Secrets()
    const attempt = new JoinFlow({
      page,
      served,
      target,
      botName,
      conf,
      secrets,
      waits,
      // Then all cameras are on the page, and the composite chooses among them.
      view: options.recordingMode === 'audio_only' ? 'speaker' : 'gallery',
      fetchToken: options.fetchToken,
    })
    const classifier = sdkClassifier({ joinedWith: () => attempt.joinedWith, canAskAgain: attempt.canAskAgain })
    const dialogs = new DialogResponder(page, (dialog) =>
      saysUserLeft(dialog.text) ? null : answerDialog(dialog, { consent: recordingConsent }),
    )
    const sound = new SoundJoin(page, { ...ZOOM_PACES, ...options.paces })
    let hasRight = false
    super({
      platform: 'zoom',
      page,
      options,
      classifier,
      devices: new DeviceToggles(page, devicesAtStart(options)),
      answerOpenDialog: (snapshot) => dialogs.answerOpenDialog(snapshot),
      entrance: {
        open: (signal) => attempt.open(signal),
        ask: (snapshot, state) => attempt.ask(snapshot, state),
        wait: (snapshot, state) => attempt.wait(snapshot, state),
        hasAsked: () => attempt.hasAsked(),
        timeOut: (snapshot) =>
          new BotError(
            'CANNOT_JOIN_MEETING',
            `The Meeting SDK came to no decision (${snapshot ? classifier.stateOf(snapshot).text : 'nothing was shown'}).`,
            { step: 'join', canRetry: true },
          ),
      },
      chat: sdkChatSteps(page),
      leaving: {
        press: async () => (await page.ask('leaveMeeting')) === true,
        confirm: async () => {},
        isOut: (snapshot) => SDK_PAGE_PHASES[classifier.stateOf(snapshot).kind] === 'out',
      },
      watching: {
        canBePutBack: true,
        codeBeforeRecording: 'MEETING_ENDED_PREMATURELY',
        // After it the SDK goes to another page within a second.
        endLooks: { user_left: 1 },
        async afterPoll(snapshot) {
          if (hasRight) mustStillBeAllowed(snapshot.sdk)
          await sound.update({ ...snapshot, hears: true })
        },
      },
      async obtainRecordingRight(limitMs, signal) {
        const requests = {
          clock: page.clock,
          waits,
          facts: async () => page.lastSnapshot?.sdk ?? null,
          startCapture: () => answerOf(page.ask('capture', 'start')),
          request: () => answerOf(page.ask('requestCapture')),
        }
        await obtainRight(requests, limitMs, signal)
        hasRight = true
      },
      hide: (text) => secrets.hide(text),
      accountAdvice: 'An access key of a user (conf_access_token_url) would help.',
    })
    this.#served = served
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#served.close()
  }
}

/** A page that does not answer is asked again; the meeting watch reports what is wrong with it. */
async function answerOf(asked: Promise<SdkAnswer | null>): Promise<SdkAnswer> {
  return (await asked.catch(() => null)) ?? { ok: false, code: null, text: 'the page did not answer' }
}

/** The SDK's own call: no panel has to be opened, and its answer is the result of the message. */
function sdkChatSteps(page: SdkMeetingPage): ChatSteps {
  let text = ''
  return {
    state: () => page.ask('chat'),
    open: async () => {},
    close: async () => {},
    async fill(given) {
      text = given
      return true
    },
    async send() {
      await page.ask('sendChat', text)
    },
  }
}
