/** The last screenshot of a bot's meeting, its age, and why there is no newer one. Its size never changes. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'
import { useAction } from './action.tsx'

const texts = TEXTS.live
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
    ? texts.broken
    : why === null
      ? null
      : [texts.noScreenshot[why] ?? why, view?.no_picture_message].filter(Boolean).join(' ')
  const isShown = picture !== null && !isBroken
  return (
    <>
      <div class="shot">
        {isShown ? (
          <img
            src={picture.url}
            alt={texts.screenshot(name)}
            width={320}
            height={180}
            decoding="async"
            onError={() => (broken.value = picture.taken_at)}
          />
        ) : (
          <p>{reason ?? TEXTS.loading}</p>
        )}
        {children && <div class="shot-captions">{children}</div>}
      </div>
      <div class="shot-line">
        <span title={isShown && reason !== null ? reason : undefined}>
          {isShown && texts.age(picture.age_seconds)} {isShown && reason}
        </span>
        {may('member') && view !== undefined && CAN_REQUEST.has(why) && (
          <button
            type="button"
            class="small"
            aria-label={texts.refreshOf(name)}
            disabled={action.isBusy.value}
            onClick={() =>
              action.run(async () => {
                const options = { params: { path: { bot_id: botId } } }
                const { asked } = await dataOf(dashboard.POST('/live/pictures/{bot_id}', options))
                return asked === 0 ? texts.requestedBefore : texts.requested
              })
            }
          >
            {texts.refresh}
          </button>
        )}
        <span class={action.outcome.value?.isBad ? 'outcome bad' : 'outcome'} role="status">
          {action.outcome.value?.text}
        </span>
      </div>
    </>
  )
}
