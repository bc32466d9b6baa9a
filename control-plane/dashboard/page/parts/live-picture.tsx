/** The last picture of a bot's meeting, its age, and why there is no newer one. Its room is the same in all these cases. */
import { useSignal } from '@preact/signals'
import { ask, type LiveView } from '../api.ts'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'
import { useAction } from './action.tsx'

const texts = TEXTS.live
/** A fresh picture can be asked for. */
const ASKABLE: ReadonlySet<string | null> = new Set([null, 'pending', 'no_answer', 'refused', 'unusable'])

export function LivePicture({ botId, name, view }: { botId: string; name: string; view: LiveView | undefined }) {
  /** The picture that could not be shown. The next one is tried. */
  const broken = useSignal<string | null>(null)
  const action = useAction()
  const picture = view?.picture ?? null
  const isBroken = picture !== null && broken.value === picture.taken_at
  const why = view?.no_picture ?? null
  const reason = isBroken
    ? texts.broken
    : why === null
      ? null
      : [texts.noPicture[why] ?? why, view?.no_picture_message].filter(Boolean).join(' ')
  const isShown = picture !== null && !isBroken
  return (
    <>
      <div class="shot">
        {isShown ? (
          <img
            src={picture.url}
            alt={texts.shot(name)}
            width={320}
            height={180}
            decoding="async"
            onError={() => (broken.value = picture.taken_at)}
          />
        ) : (
          <p>{reason ?? TEXTS.loading}</p>
        )}
      </div>
      <div class="shot-line">
        <span title={isShown && reason !== null ? reason : undefined}>
          {isShown && texts.age(picture.age_seconds)} {isShown && reason}
        </span>
        {may('member') && view !== undefined && ASKABLE.has(why) && (
          <button
            type="button"
            class="small"
            aria-label={texts.freshOf(name)}
            disabled={action.isBusy.value}
            onClick={() =>
              action.run(async () => {
                const { asked } = await ask<{ asked: number }>('POST', `/live/pictures/${botId}`)
                return asked === 0 ? texts.askedBefore : texts.asked
              })
            }
          >
            {texts.fresh}
          </button>
        )}
        <span class={action.outcome.value?.isBad ? 'told bad' : 'told'} role="status">
          {action.outcome.value?.text}
        </span>
      </div>
    </>
  )
}
