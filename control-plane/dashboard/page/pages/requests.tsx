import { useSignal } from '@preact/signals'
import { ListRestart, ScrollText } from 'lucide'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { Choice } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Pages, useLoaded } from '../parts/load.tsx'
import { CopyButton, Empty, Help, Json, Time } from '../parts/pieces.tsx'
import { Link, queryValue, setQuery } from '../router.tsx'
import { TEXTS } from '../texts.ts'

type Request = Answers['LoggedRequest']

const texts = TEXTS.requests
const FILTERS = ['status', 'method', 'key', 'text'] as const
const LIMIT = 50

/** The last requests with the team's API keys, newest first. The address keeps the filters. */
export function Requests() {
  const reads = useSignal(0)
  const keys = useLoaded(() => dataOf(dashboard.GET('/keys')))
  const names = Object.fromEntries((keys.value.value ?? []).map(({ key_id, name }) => [key_id, name]))
  return (
    <>
      <h1>{texts.title}</h1>
      <Help text={texts.explain} page="errors" />
      <search class="actions filters">
        <label>
          {texts.search}
          <input
            type="search"
            value={queryValue('text')}
            onInput={(event) => setQuery({ text: event.currentTarget.value.trim() })}
          />
        </label>
        <Filter name="status" label={texts.status} options={{ '': texts.anyStatus, ...texts.statuses }} />
        <Filter name="method" label={texts.method} options={{ '': texts.anyMethod, ...texts.methods }} />
        <Filter name="key" label={texts.key} options={{ '': texts.anyKey, ...names }} />
        <button
          type="button"
          onClick={() => {
            reads.value++
          }}
        >
          <Icon of={ListRestart} />
          {texts.reload}
        </button>
      </search>
      <h2 class="unseen">{texts.list}</h2>
      <Pages read={readRequests} when={() => [reads.value, ...FILTERS.map(queryValue)]} empty={<NoRequests />}>
        {(requests) => (
          <ul class="deliveries requests">
            {requests.map((request) => (
              <li key={request.request}>
                <Row request={request} />
              </li>
            ))}
          </ul>
        )}
      </Pages>
    </>
  )
}

function Filter({ name, ...rest }: { name: string; label: string; options: Readonly<Record<string, string>> }) {
  return <Choice {...rest} name={name} value={queryValue(name)} onChange={(value) => setQuery({ [name]: value })} />
}

async function readRequests(cursor: string | null): Promise<{ data: Request[]; cursor: string | null }> {
  const [status, method, key, text] = FILTERS.map(queryValue)
  const query = {
    limit: LIMIT,
    ...(status && { status: status as keyof typeof texts.statuses }),
    ...(method && { method: method as keyof typeof texts.methods }),
    ...(key && { key_id: key }),
    ...(text && { text }),
    ...(cursor !== null && { before: cursor }),
  }
  const data = await dataOf(dashboard.GET('/requests', { params: { query } }))
  return { data, cursor: data.length < LIMIT ? null : String(data.at(-1)!.request) }
}

function Row({ request }: { request: Request }) {
  const { method, path, status, ms, at, key_name, request_id, error_code, error_body, left_out } = request
  const kind = status < 400 ? 'good' : status < 500 ? 'wait' : 'bad'
  return (
    <>
      <details>
        <summary>
          <span class={`status ${kind}`}>{status}</span>
          <b>{method}</b>
          <span class="one-line">{path}</span>
          <span>{error_code ?? texts.took(ms)}</span>
          <Time at={at} />
        </summary>
        <div class="delivery">
          <p class="break">{path}</p>
          <p class="facts">
            <span>
              {texts.id}: {request_id} <CopyButton text={request_id} label={TEXTS.copyOf(texts.id)} />
            </span>
            <span>
              {texts.key}: <bdi>{key_name}</bdi>
            </span>
            <span>
              <Time at={at} isExact /> · {texts.took(ms)}
            </span>
          </p>
          {error_body !== null && <Json title={texts.answer} text={error_body} />}
        </div>
      </details>
      {left_out > 0 && <p class="soft small-text">{texts.leftOut(left_out)}</p>}
    </>
  )
}

function NoRequests() {
  const isFiltered = FILTERS.some((name) => queryValue(name) !== '')
  return (
    <Empty icon={ScrollText} text={isFiltered ? texts.noneFound : texts.empty}>
      {isFiltered ? (
        <button type="button" onClick={() => setQuery(Object.fromEntries(FILTERS.map((name) => [name, ''])))}>
          {TEXTS.bots.clear}
        </button>
      ) : (
        <Link to="/keys" class="button main">
          {TEXTS.keys.add}
        </Link>
      )}
    </Empty>
  )
}
