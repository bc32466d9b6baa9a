import { useSignal } from '@preact/signals'
import { answerOf, type Schemas, v2 } from '../api.ts'
import { Choice } from '../parts/form.tsx'
import { Pages } from '../parts/load.tsx'
import { Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { TEXTS } from '../texts.ts'

type Entry = Schemas['AuditEntry']

/** Changes of the team, newest first, by who made them, what they are, and day. */
export function AuditLog() {
  const texts = TEXTS.auditLog
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
      <h1>{texts.title}</h1>
      <p class="soft">{texts.explain}</p>
      <div class="actions">
        <Choice
          label={texts.actor}
          name="actor"
          options={{ '': texts.anyone, ...texts.actors }}
          value={actor.value}
          onChange={(value) => {
            actor.value = value
          }}
        />
        <Choice
          label={texts.action}
          name="action"
          options={{ '': texts.any, ...texts.actions }}
          value={action.value}
          onChange={(value) => {
            action.value = value
          }}
        />
        <label>
          {texts.since}
          <input type="date" onChange={(event) => (since.value = event.currentTarget.value)} />
        </label>
      </div>
      <Pages read={read} when={() => [actor.value, action.value, since.value]} empty={texts.empty}>
        {(entries) => <Table texts={texts} entries={entries} keyOf={(entry) => entry.entry_id} cells={cellsOf} />}
      </Pages>
    </>
  )
}

function cellsOf({ at, actor, address, action, target, details }: Entry) {
  const isBot = action.startsWith('bot.')
  return [
    <Time at={at} />,
    <bdi>{actor.name ?? TEXTS.auditLog.actors[actor.kind]}</bdi>,
    <span class="one-line">{address ?? TEXTS.none}</span>,
    TEXTS.auditLog.actions[action],
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
