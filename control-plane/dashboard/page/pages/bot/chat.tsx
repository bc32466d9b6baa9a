import { PAGE_PLATFORMS } from '@standin/wire/platforms.ts'
import { answerOf, type Bot, hasEnded, v2 } from '../../api.ts'
import { OutcomeLine, useAction } from '../../parts/action.tsx'
import { Choice, Field, Form } from '../../parts/form.tsx'
import { may } from '../../session.ts'
import { useEvents } from './live-events.ts'

const IN_CALL = new Set(['in_call_not_recording', 'in_call_recording', 'recording_paused', 'recording_resumed'])

/** The chat of the meeting, with a form to send a message while the bot is in the meeting. */
export function Chat({ bot }: { bot: Bot }) {
  const messages = useEvents(bot.bot_id, 'chat_message', !hasEnded(bot))
  const action = useAction()
  return (
    <>
      {messages.value.length === 0 ? (
        <p class="soft">There are no chat messages.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
        <ol class="lines" tabIndex={0} aria-label="Chat">
          {messages.value.map(({ data }, place) => (
            <li key={place}>
              <b>
                <bdi>{String(data.sender_name ?? '')}</bdi>
              </b>{' '}
              <bdi>{String(data.text ?? '')}</bdi>
            </li>
          ))}
        </ol>
      )}
      {IN_CALL.has(bot.status) && may('member') && (
        <>
          <OutcomeLine of={action} />
          <Form
            of={action}
            submit="Send to the chat"
            onSubmit={async ({ message = '' }) => {
              const options = { params: { path: { bot_id: bot.bot_id } }, body: { message } }
              await answerOf(v2.POST('/v2/bots/{bot_id}/send-chat-message', options))
              return null
            }}
          >
            <Field label="Message" name="message" required maxLength={500} autocomplete="off" />
          </Form>
          <Speech bot={bot} />
          {PAGE_PLATFORMS.includes(bot.meeting_platform as 'meet') && <Page bot={bot} />}
        </>
      )}
    </>
  )
}

/** A box for what the bot says aloud. */
function Speech({ bot }: { bot: Bot }) {
  const action = useAction()
  return (
    <>
      <OutcomeLine of={action} />
      <Form
        of={action}
        submit="Say it"
        onSubmit={async ({ text = '' }) => {
          const options = { params: { path: { bot_id: bot.bot_id } }, body: { text, interrupt: true } }
          const {
            outcome,
            heard_words: heard,
            words,
          } = (await answerOf(v2.POST('/v2/bots/{bot_id}/say', options))).data
          return outcome === 'said' ? 'It was said.' : `It was ${outcome} after ${heard} of ${words} words.`
        }}
      >
        <Field label="Say aloud" name="text" required maxLength={500} autocomplete="off" />
      </Form>
    </>
  )
}

const TARGETS = { camera: 'its camera', screen: 'its shared screen' }

/** The page that the bot shows; without an address it shows none there. */
function Page({ bot }: { bot: Bot }) {
  const action = useAction()
  const of = { params: { path: { bot_id: bot.bot_id } } }
  return (
    <>
      <OutcomeLine of={action} />
      <Form
        of={action}
        submit="Show it"
        onSubmit={async ({ url = '', target: chosen }) => {
          const target = chosen === 'screen' ? chosen : 'camera'
          const { path } = of.params
          const answer = url
            ? v2.POST('/v2/bots/{bot_id}/output-media', { ...of, body: { [target]: { kind: 'webpage', url } } })
            : v2.DELETE('/v2/bots/{bot_id}/output-media', { params: { path, query: { target } } })
          return (await answerOf(answer)).data.message
        }}
      >
        <Field label="Page to show (https://…; empty: none)" name="url" maxLength={2048} autocomplete="off" />
        <Choice label="Show it as" name="target" options={TARGETS} />
      </Form>
    </>
  )
}
