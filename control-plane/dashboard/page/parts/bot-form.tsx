import type { Schemas } from '@standin/client/index.ts'
import { DEFAULT_BOT_NAME } from '@standin/wire/codes.ts'
import type { ScheduledBot } from '../api.ts'
import { me } from '../session.ts'
import type { Action } from './action.tsx'
import { Choice, Field, Form } from './form.tsx'

/** What the form asks for. Of a bot that is changed, what the form does not know or the person left stays as it is. */
type BotFields = Pick<
  Schemas['CreateBotInput'],
  | ('meeting_url' | 'bot_name' | 'recording_mode' | 'frame_rate' | 'separate_tracks' | 'recording_consent' | 'account')
  | ('timeout_config' | 'entry_message' | 'transcription_enabled' | 'transcription_config')
>
/** A text for each word that a field takes. */
type Words<Name extends 'recording_mode' | 'frame_rate' | 'account' | 'recording_consent'> = Record<
  NonNullable<BotFields[Name]>,
  string
>

interface BotFormProps {
  of: Action
  submit: string
  /** The bot that is changed, if it is not a new one. */
  bot?: ScheduledBot
  /** `joinAt`: ISO 8601; null: now. */
  onSubmit: (fields: BotFields, joinAt: string | null) => Promise<string | null>
}

/** The request of a bot that joins now, or at a later time. */
export function BotForm({ of, submit, bot, onSubmit }: BotFormProps) {
  const provider = bot?.transcription_config?.provider
  const transcript = bot === undefined ? 'captions' : (provider ?? 'none')
  const transcripts: Record<string, string> = {
    captions: 'Live, from the captions of the meeting',
    default: 'After the meeting, by the speech-to-text service',
    none: 'None',
  }
  return (
    <Form
      of={of}
      submit={submit}
      onSubmit={({ meeting_url = '', bot_name = '', entry_message, transcript: chosen, join_at, ...choices }) => {
        const seconds = Number(choices.only_bots_minutes) * 60
        const fields = {
          meeting_url,
          bot_name,
          recording_mode: choices.recording_mode as 'speaker_view',
          frame_rate: Number(choices.frame_rate) as 25,
          separate_tracks: choices.separate_tracks === 'yes',
          recording_consent: choices.recording_consent as 'accept',
          ...(choices.account !== undefined && { account: choices.account as 'never' }),
          ...(seconds !== bot?.timeout_config.only_bots_timeout && { timeout_config: limitsWith(bot, seconds) }),
          entry_message: entry_message || null,
          ...((bot === undefined || chosen !== transcript) && {
            transcription_enabled: chosen !== 'none',
            transcription_config: chosen === 'none' ? null : { provider: chosen as 'captions' },
          }),
        }
        return onSubmit(fields, join_at ? new Date(join_at).toISOString() : null)
      }}
    >
      <Field label="Meeting link" name="meeting_url" required defaultValue={bot?.meeting_url} autocomplete="off" />
      <Field
        label="Bot name"
        name="bot_name"
        required
        defaultValue={bot?.bot_name ?? DEFAULT_BOT_NAME}
        autocomplete="off"
      />
      <Choice
        label="Recording"
        name="recording_mode"
        initial={bot?.recording_mode}
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
        initial={transcript}
        options={{ ...transcripts, ...(!(transcript in transcripts) && { [transcript]: `As it is: ${transcript}` }) }}
        disabled={me.value?.speech_problem ? { default: me.value.speech_problem } : {}}
      />
      <Field
        label="Chat message after joining (optional)"
        name="entry_message"
        defaultValue={bot?.entry_message ?? ''}
        autocomplete="off"
      />
      <details>
        <summary>More options</summary>
        <Choice
          label="Voices"
          name="separate_tracks"
          initial={bot?.separate_tracks ? 'yes' : 'no'}
          options={{ no: 'Together', yes: 'Together, and each in a separate file where the platform allows it' }}
        />
        <Choice
          label="Pictures a second"
          name="frame_rate"
          initial={String(bot?.frame_rate ?? 25)}
          options={{ 25: '25', 30: '30' } satisfies Words<'frame_rate'>}
        />
        {bot === undefined && (
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
        )}
        <Choice
          label="If the meeting asks the bot whether it agrees to be recorded"
          name="recording_consent"
          initial={bot?.recording_consent}
          options={{ accept: 'It agrees', refuse: 'It refuses' } satisfies Words<'recording_consent'>}
        />
        <Field
          label="Minutes with other bots only before it leaves"
          name="only_bots_minutes"
          type="number"
          min={1}
          max={360}
          step="any"
          defaultValue={String((bot?.timeout_config.only_bots_timeout ?? 300) / 60)}
          required
        />
      </details>
      <Field
        label={`Join at, in ${Intl.DateTimeFormat().resolvedOptions().timeZone}${bot === undefined ? ' (leave empty to join now)' : ''}`}
        name="join_at"
        type="datetime-local"
        defaultValue={bot && localTime(bot.join_at)}
        required={bot !== undefined}
      />
    </Form>
  )
}

/** A change replaces all limits. */
function limitsWith(bot: BotFormProps['bot'], only_bots_timeout: number): BotFields['timeout_config'] {
  const known = Object.entries(bot?.timeout_config ?? {}).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(known), only_bots_timeout }
}

/** As an input takes it: in the zone of the reader, to the minute. */
function localTime(iso: string): string {
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
