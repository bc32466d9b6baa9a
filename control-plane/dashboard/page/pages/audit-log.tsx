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
      ...(actor.value && { actor: actor.value }),
      ...(action.value && { action: action.value }),
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
        {(entries) => (
          <Table columns={texts.columns} label={texts.title}>
            {entries.map((entry) => (
              <Row key={entry.entry_id} entry={entry} />
            ))}
          </Table>
        )}
      </Pages>
    </>
  )
}

function Row({ entry: { at, actor, address, action, target, details } }: { entry: Entry }) {
  const isBot = action.startsWith('bot.')
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td>
        <bdi>{actor.name ?? TEXTS.auditLog.actors[actor.kind]}</bdi>
      </td>
      <td class="one-line">{address ?? TEXTS.none}</td>
      <td>{TEXTS.auditLog.actions[action]}</td>
      <td class="one-line" title={target ?? undefined}>
        {target === null ? (
          TEXTS.none
        ) : isBot ? (
          <Link to={`/bots/${target}`}>{target.slice(0, 8)}</Link>
        ) : (
          target.slice(0, 8)
        )}
      </td>
      <td>
        <bdi>{details === null ? TEXTS.none : textOf(details)}</bdi>
      </td>
    </tr>
  )
}

const textOf = (details: Record<string, unknown>) =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
