import { useSignal } from '@preact/signals'
import { answerOf, type ScheduledBot, v2 } from '../../api.ts'
import { type Action, ActionButton, OutcomeLine, useAction } from '../../parts/action.tsx'
import { BotForm } from '../../parts/bot-form.tsx'
import { dateTime } from '../../parts/format.ts'
import { MeetingLink, Platform, Status, Time } from '../../parts/pieces.tsx'
import { may } from '../../session.ts'

interface ScheduledProps {
  bot: ScheduledBot
  reload: () => Promise<void>
}

/** A bot before its time, or one that was cancelled. */
export function Scheduled({ bot, reload }: ScheduledProps) {
  const action = useAction()
  const isEdited = useSignal(false)
  const params = { path: { bot_id: bot.bot_id } }
  const isOpen = bot.status === 'scheduled'
  return (
    <>
      <div class="heading">
        <div>
          <h1>
            <bdi>{bot.bot_name}</bdi> <Status of={bot.status} />
          </h1>
          <p class="facts">
            <Platform of={bot.meeting_platform} isNamed />
            <MeetingLink of={bot.meeting_url} />
            {bot.cancelled_at !== null && (
              <span>
                Cancelled <Time at={bot.cancelled_at} />
              </span>
            )}
          </p>
        </div>
        {isOpen && may('member') && (
          <div class="controls actions">
            <button
              type="button"
              aria-expanded={isEdited.value}
              onClick={() => {
                isEdited.value = !isEdited.value
              }}
            >
              {isEdited.value ? 'Close' : 'Edit'}
            </button>
            <ScheduledCancel of={action} bot={bot} reload={reload} />
          </div>
        )}
      </div>
      <OutcomeLine of={action} />
      <p class="notice" role="status">
        {isOpen ? 'The bot joins ' : 'The bot was to join '}
        <Time at={bot.join_at} />.
      </p>
      {isEdited.value && isOpen && (
        <section>
          <h2>Edit</h2>
          <BotForm
            of={action}
            submit="Save"
            bot={bot}
            onSubmit={async (fields, joinAt) => {
              const body = { ...fields, ...(joinAt !== null && { join_at: joinAt }) }
              await answerOf(v2.PATCH('/v2/bots/scheduled/{bot_id}', { params, body }))
              isEdited.value = false
              await reload()
              return 'Saved.'
            }}
          />
        </section>
      )}
    </>
  )
}

interface CancelProps {
  of: Action
  bot: Pick<ScheduledBot, 'bot_id' | 'bot_name' | 'join_at'>
  reload: () => Promise<void>
}

export function ScheduledCancel({ of, bot: { bot_id, bot_name, join_at }, reload }: CancelProps) {
  return (
    <ActionButton
      of={of}
      kind="bad"
      confirmation={`Cancel “${bot_name}”, which joins ${dateTime(join_at)}?`}
      work={async () => {
        await answerOf(v2.DELETE('/v2/bots/scheduled/{bot_id}', { params: { path: { bot_id } } }))
        await reload()
        return 'The bot is cancelled.'
      }}
    >
      Cancel the bot
    </ActionButton>
  )
}
