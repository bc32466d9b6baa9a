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
        <details>
          <summary>{TEXTS.send.more}</summary>
          <Choice label={TEXTS.send.tracks} name="separate_tracks" options={TEXTS.send.trackChoices} />
          <Choice label={TEXTS.send.rate} name="frame_rate" options={{ 25: '25', 30: '30' }} />
          <Choice label={TEXTS.send.account} name="account" options={TEXTS.send.accounts} />
          <Choice label={TEXTS.send.consent} name="recording_consent" options={TEXTS.send.consents} />
          <Field
            label={TEXTS.send.onlyBots}
            name="only_bots_minutes"
            type="number"
            min={1}
            max={360}
            value="5"
            required
          />
        </details>
        <Field
          label={TEXTS.send.when(Intl.DateTimeFormat().resolvedOptions().timeZone)}
          name="join_at"
          type="datetime-local"
        />
      </Form>
    </>
  )
}
