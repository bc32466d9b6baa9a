import { answerOf, type Bot, hasEnded, v2 } from '../../api.ts'
import { ActionButton, OutcomeLine, useAction } from '../../parts/action.tsx'
import { may } from '../../session.ts'

const RECORDING = new Set(['in_call_recording', 'recording_resumed'])

/** The commands that a member may send to the bot in its current state. */
export function Controls({ bot, reload }: { bot: Bot; reload: () => Promise<void> }) {
  const action = useAction()
  if (!may('member')) return null
  const params = { path: { bot_id: bot.bot_id } }
  const requests = {
    pause: () => answerOf(v2.POST('/v2/bots/{bot_id}/pause-recording', { params, body: null })),
    resume: () => answerOf(v2.POST('/v2/bots/{bot_id}/resume-recording', { params, body: null })),
    leave: () => answerOf(v2.POST('/v2/bots/{bot_id}/leave', { params, body: undefined })),
    resend: () => answerOf(v2.POST('/v2/bots/{bot_id}/resend-webhook', { params, body: undefined })),
    remove: () => answerOf(v2.DELETE('/v2/bots/{bot_id}/delete-data', { params })),
  }
  const work = (name: keyof typeof requests) => async () => {
    const { data } = await requests[name]()
    await reload()
    return data.message
  }
  const isEnded = hasEnded(bot)
  return (
    <>
      <div class="actions">
        {RECORDING.has(bot.status) && (
          <ActionButton of={action} work={work('pause')}>
            Pause recording
          </ActionButton>
        )}
        {bot.status === 'recording_paused' && (
          <ActionButton of={action} work={work('resume')}>
            Resume recording
          </ActionButton>
        )}
        {!isEnded && bot.status !== 'transcribing' && (
          <ActionButton of={action} work={work('leave')}>
            Leave the meeting
          </ActionButton>
        )}
        {isEnded && (
          <ActionButton of={action} work={work('resend')}>
            Resend the final webhook
          </ActionButton>
        )}
        {isEnded && !bot.artifacts_deleted && (
          <ActionButton
            of={action}
            kind="bad"
            confirmation="Delete the recording and all data of this bot? This cannot be undone."
            work={work('remove')}
          >
            Delete recording and data
          </ActionButton>
        )}
      </div>
      <OutcomeLine of={action} />
    </>
  )
}
