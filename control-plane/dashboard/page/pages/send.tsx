import { answerOf, v2 } from '../api.ts'
import { OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { navigate } from '../router.tsx'
import { me } from '../session.ts'
import { TEXTS } from '../texts.ts'

/** Creates a bot that joins now, or at a later time. */
export function Send() {
  const action = useAction()
  return (
    <>
      <h1>{TEXTS.send.title}</h1>
      <OutcomeLine of={action} />
      <Form
        of={action}
        submit={TEXTS.send.submit}
        onSubmit={async ({ meeting_url = '', bot_name = '', recording_mode, entry_message, transcript, join_at }) => {
          const body = {
            meeting_url,
            bot_name,
            recording_mode: recording_mode as 'speaker_view',
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
        <Field label={TEXTS.send.link} name="meeting_url" required autocomplete="off" />
        <Field label={TEXTS.send.name} name="bot_name" required maxLength={255} value="Notetaker" autocomplete="off" />
        <Choice label={TEXTS.send.mode} name="recording_mode" options={TEXTS.send.modes} />
        <Choice
          label={TEXTS.send.transcript}
          name="transcript"
          options={TEXTS.send.transcripts}
          disabled={me.value?.speech_problem ? { default: me.value.speech_problem } : {}}
        />
        <Field label={TEXTS.send.entry} name="entry_message" maxLength={500} autocomplete="off" />
        <Field
          label={TEXTS.send.when(Intl.DateTimeFormat().resolvedOptions().timeZone)}
          name="join_at"
          type="datetime-local"
        />
      </Form>
    </>
  )
}
