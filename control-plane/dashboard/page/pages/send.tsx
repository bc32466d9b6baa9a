import type { Schemas } from '@standin/client/index.ts'
import { answerOf, v2 } from '../api.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { navigate } from '../router.tsx'
import { me } from '../session.ts'

type NewBot = Schemas['CreateBotInput']
/** A text for each word that a field takes. */
type Words<Field extends 'recording_mode' | 'frame_rate' | 'account' | 'recording_consent'> = Record<
  NonNullable<NewBot[Field]>,
  string
>

/** Creates a bot that joins now, or at a later time. */
export function Send() {
  const action = useAction()
  return (
    <>
      <h1>Send a bot</h1>
      <OutcomeLine of={action} />
      <Form
        of={action}
        submit="Send"
        onSubmit={async ({ meeting_url = '', bot_name = '', entry_message, transcript, join_at, ...choices }) => {
          const body = {
            meeting_url,
            bot_name,
            recording_mode: choices.recording_mode as 'speaker_view',
            frame_rate: Number(choices.frame_rate) as 25,
            separate_tracks: choices.separate_tracks === 'yes',
            recording_consent: choices.recording_consent as 'accept',
            account: choices.account as 'never',
            timeout_config: { only_bots_timeout: Number(choices.only_bots_minutes) * 60 },
            entry_message: entry_message || null,
            transcription_enabled: transcript !== 'none',
            transcription_config: transcript === 'none' ? null : { provider: transcript as 'captions' },
          }
          if (join_at) {
            const scheduled = { ...body, join_at: new Date(join_at).toISOString() }
            await answerOf(v2.POST('/v2/bots/scheduled', { body: scheduled }))
            navigate('/scheduled')
          } else {
            const { data } = await answerOf(v2.POST('/v2/bots', { body }))
            navigate(`/bots/${data.bot_id}`)
          }
          return null
        }}
      >
        <Field label="Meeting link" name="meeting_url" required autocomplete="off" />
        <Field label="Bot name" name="bot_name" required value="Notetaker" autocomplete="off" />
        <Choice
          label="Recording"
          name="recording_mode"
          options={
            {
              speaker_view: 'Active speaker',
              gallery_view: 'Gallery',
              audio_only: 'Audio only',
            } satisfies Words<'recording_mode'>
          }
        />
        <Choice
          label="Transcript"
          name="transcript"
          options={{
            none: 'None',
            captions: 'Live, from the captions of the meeting',
            default: 'After the meeting, by the speech-to-text service',
          }}
          disabled={me.value?.speech_problem ? { default: me.value.speech_problem } : {}}
        />
        <Field label="Chat message after joining (optional)" name="entry_message" autocomplete="off" />
        <details>
          <summary>More options</summary>
          <Choice
            label="Voices"
            name="separate_tracks"
            options={{ no: 'Together', yes: 'Together, and each in a separate file where the platform allows it' }}
          />
          <Choice
            label="Pictures a second"
            name="frame_rate"
            options={{ 25: '25', 30: '30' } satisfies Words<'frame_rate'>}
          />
          <Choice
            label="With an account of the team"
            name="account"
            options={
              {
                never: 'Never: as a guest',
                if_required: 'If the meeting refuses guests',
                always: 'Always',
              } satisfies Words<'account'>
            }
          />
          <Choice
            label="If the meeting asks the bot whether it agrees to be recorded"
            name="recording_consent"
            options={{ accept: 'It agrees', refuse: 'It refuses' } satisfies Words<'recording_consent'>}
          />
          <Field
            label="Minutes with other bots only before it leaves"
            name="only_bots_minutes"
            type="number"
            min={1}
            max={360}
            value="5"
            required
          />
        </details>
        <Field
          label={`Join at, in ${Intl.DateTimeFormat().resolvedOptions().timeZone} (leave empty to join now)`}
          name="join_at"
          type="datetime-local"
        />
      </Form>
    </>
  )
}
