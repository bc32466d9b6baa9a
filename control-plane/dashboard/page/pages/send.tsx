import { answerOf, v2 } from '../api.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { BotForm } from '../parts/bot-form.tsx'
import { dateTime } from '../parts/format.ts'
import { navigate } from '../router.tsx'

/** Creates a bot that joins now, or at a later time. */
export function Send() {
  const action = useAction()
  return (
    <>
      <h1>Send a bot</h1>
      <OutcomeLine of={action} />
      <BotForm
        of={action}
        submit="Send"
        onSubmit={async (fields, joinAt) => {
          const { data } = await (joinAt === null
            ? answerOf(v2.POST('/v2/bots', { body: fields }))
            : answerOf(v2.POST('/v2/bots/scheduled', { body: { ...fields, join_at: joinAt } })))
          navigate(`/bots/${data.bot_id}`)
          return joinAt && `The bot joins ${dateTime(joinAt)}.`
        }}
      />
    </>
  )
}
