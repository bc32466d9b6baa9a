/** The last screenshot of a bot's meeting, its age, and why there is no newer one. Its size never changes. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { may } from '../session.ts'
import { useAction } from './action.tsx'

const NO_SCREENSHOT = {
  joining: 'No screenshot: the bot is not in the meeting yet.',
  waiting_room: 'No screenshot: the bot is in the waiting room.',
  paused: 'No new screenshot while the recording is paused.',
  audio_only: 'No screenshot: the bot records audio only.',
  resuming: 'No new screenshot: the bot failed and is rejoining.',
  left: 'No new screenshot: the bot has left the meeting.',
  assembling: 'The parts of the recording are being merged.',
  pending: 'Waiting for the screenshot …',
  no_answer: 'No new screenshot: the bot did not respond in time.',
  refused: 'No new screenshot: the bot could not take one.',
  unusable: 'The screenshot cannot be shown: it is too large, or not in the storage of this service.',
} as Record<string, string>
/** Reasons that a new request can solve. */
const CAN_REQUEST: ReadonlySet<string | null> = new Set([null, 'pending', 'no_answer', 'refused', 'unusable'])

interface LivePictureProps {
  botId: string
  name: string
  view: Answers['LiveView'] | undefined
  /** Captions, which lie in the picture. */
  children?: ComponentChildren
}

export function LivePicture({ botId, name, view, children }: LivePictureProps) {
  /** Time of the screenshot that could not be shown. */
  const broken = useSignal<string | null>(null)
  const action = useAction({ showsSuccess: true })
  const picture = view?.picture ?? null
  const isBroken = picture !== null && broken.value === picture.taken_at
  const why = view?.no_picture ?? null
  const reason = isBroken
    ? 'The screenshot is damaged.'
    : why === null
      ? null
      : [NO_SCREENSHOT[why] ?? why, view?.no_picture_message].filter(Boolean).join(' ')
  const isShown = picture !== null && !isBroken
  return (
    <>
      <div class="shot">
        {isShown ? (
          <img
            src={picture.url}
            alt={`Screenshot of the meeting of ${name}`}
            width={320}
            height={180}
            decoding="async"
            onError={() => (broken.value = picture.taken_at)}
          />
        ) : (
          <p>{reason ?? 'Loading …'}</p>
        )}
        {children && <div class="shot-captions">{children}</div>}
      </div>
      <div class="shot-line">
        <span title={isShown && reason !== null ? reason : undefined}>
          {isShown &&
            (picture.age_seconds < 90
              ? `${picture.age_seconds} s ago`
              : picture.age_seconds < 5400
                ? `${Math.round(picture.age_seconds / 60)} min ago`
                : 'over an hour ago')}{' '}
          {isShown && reason}
        </span>
        {may('member') && view !== undefined && CAN_REQUEST.has(why) && (
          <button
            type="button"
            class="small"
            aria-label={`New screenshot of ${name}`}
            disabled={action.isBusy.value}
            onClick={() =>
              action.run(async () => {
                const options = { params: { path: { bot_id: botId } } }
                const { asked } = await dataOf(dashboard.POST('/live/pictures/{bot_id}', options))
                return asked === 0 ? 'A screenshot was requested a moment ago.' : 'Screenshot requested.'
              })
            }
          >
            New screenshot
          </button>
        )}
        <span class={action.outcome.value?.isBad ? 'outcome bad' : 'outcome'} role="status">
          {action.outcome.value?.text}
        </span>
      </div>
    </>
  )
}
