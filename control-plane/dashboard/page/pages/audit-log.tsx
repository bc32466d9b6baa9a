import { useSignal } from '@preact/signals'
import { answerOf, type Schemas, v2 } from '../api.ts'
import { Choice } from '../parts/form.tsx'
import { Pages } from '../parts/load.tsx'
import { Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { TEXTS } from '../texts.ts'

const TITLE = 'Audit log'
const ACTORS = { person: 'Person', key: 'API key', operator: 'Command line', system: 'Service' }
const ACTIONS = {
  'bot.change': 'Data of a bot changed',
  'bot.command': 'Command to a bot',
  'bot.create': 'Bot requested',
  'bot.delete_data': 'Data of a bot deleted',
  'bot.resend_webhook': 'Webhook of a bot sent again',
  'bot.retranscribe': 'Transcript requested again',
  'bot.stop': 'Bot asked to leave',
  'calendar.change': 'Calendar credentials changed',
  'calendar.connect': 'Calendar connected',
  'calendar.disconnect': 'Calendar disconnected',
  'calendar_bots.cancel': 'Calendar bots cancelled',
  'calendar_bots.change': 'Calendar bots changed',
  'calendar_bots.schedule': 'Calendar bots scheduled',
  'account.change': 'Account changed',
  'account.check': 'Account to be checked',
  'account.create': 'Account added',
  'account.delete': 'Account deleted',
  'credential.change': 'Zoom connection changed',
  'credential.create': 'Zoom connection created',
  'credential.delete': 'Zoom connection deleted',
  'endpoint.change': 'Webhook endpoint changed',
  'endpoint.create': 'Webhook endpoint created',
  'endpoint.disable': 'Webhook endpoint disabled',
  'endpoint.enable': 'Webhook endpoint enabled',
  'endpoint.remove': 'Webhook endpoint removed',
  'endpoint.replay': 'Webhooks sent again',
  'endpoint.rotate_secret': 'Webhook secret replaced',
  'key.create': 'API key created',
  'key.revoke': 'API key revoked',
  'person.change': 'Person changed',
  'person.change_password': 'Password changed',
  'person.create': 'Person created',
  'person.invite': 'Sign-in link created',
  'person.withdraw_invitation': 'Invitation withdrawn',
  'person.remove': 'Person removed',
  'team.change': 'Limits of the team changed',
  'team.create': 'Team created',
  'team.grant_tokens': 'Tokens granted',
}
const EMPTY = 'There are no entries.'

type Entry = Schemas['AuditEntry']

/** Changes of the team, newest first, by who made them, what they are, and day. */
export function AuditLog() {
  const actor = useSignal('')
  const action = useSignal('')
  const since = useSignal('')
  const read = (cursor: string | null) => {
    const query = {
      limit: 50,
      ...(actor.value && { actor: [actor.value as Entry['actor']['kind']] }),
      ...(action.value && { action: [action.value as Entry['action']] }),
      ...(since.value && { after: new Date(`${since.value}T00:00`).toISOString() }),
      ...(cursor !== null && { cursor }),
    }
    return answerOf(v2.GET('/v2/audit-log', { params: { query } }))
  }
  return (
    <>
      <h1>{TITLE}</h1>
      <p class="soft">
        Who changed what in this team. To export it: <code>standin service audit-log</code>
      </p>
      <div class="actions filters">
        <Choice
          label="Changed by"
          name="actor"
          options={{ '': 'Anyone', ...ACTORS }}
          value={actor.value}
          onChange={(value) => {
            actor.value = value
          }}
        />
        <Choice
          label="Action"
          name="action"
          options={{ '': 'Any action', ...ACTIONS }}
          value={action.value}
          onChange={(value) => {
            action.value = value
          }}
        />
        <label>
          Since
          <input type="date" onChange={(event) => (since.value = event.currentTarget.value)} />
        </label>
      </div>
      <Pages read={read} when={() => [actor.value, action.value, since.value]} empty={EMPTY}>
        {(entries) => (
          <Table
            texts={{
              title: TITLE,
              columns: ['Time', 'Changed by', 'Address', 'Action', 'Changed', 'Details'],
              empty: EMPTY,
            }}
            entries={entries}
            keyOf={(entry) => entry.entry_id}
            cells={cellsOf}
          />
        )}
      </Pages>
    </>
  )
}

function cellsOf({ at, actor, address, action, target, details }: Entry) {
  const isBot = action.startsWith('bot.')
  return [
    <Time at={at} />,
    <bdi>{actor.name ?? ACTORS[actor.kind]}</bdi>,
    <span class="one-line">{address ?? TEXTS.none}</span>,
    ACTIONS[action],
    <span class="one-line" title={target ?? undefined}>
      {target === null ? (
        TEXTS.none
      ) : isBot ? (
        <Link to={`/bots/${target}`}>{target.slice(0, 8)}</Link>
      ) : (
        target.slice(0, 8)
      )}
    </span>,
    <bdi>{details === null ? TEXTS.none : textOf(details)}</bdi>,
  ]
}

const textOf = (details: Record<string, unknown>) =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
