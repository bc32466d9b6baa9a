import { useSignal } from '@preact/signals'
import { ListRestart, ScrollText } from 'lucide'
import { type Answers, dashboard, dataOf } from '../api.ts'
import { Choice } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Pages, useLoaded } from '../parts/load.tsx'
import { CopyButton, Empty, Help, Json, Time } from '../parts/pieces.tsx'
import { Link, queryValue, setQuery } from '../router.tsx'
import { TEXTS } from '../texts.ts'

const STATUSES = { succeeded: 'Succeeded (2xx)', refused: 'Refused (4xx)', failed: 'Failed (5xx)' }
const METHODS = { GET: 'GET', POST: 'POST', PATCH: 'PATCH', PUT: 'PUT', DELETE: 'DELETE' }
const KEY = 'API key'
const ID = 'Request id'

type Request = Answers['LoggedRequest']

const FILTERS = ['status', 'method', 'key', 'text'] as const
const LIMIT = 50

/** The last requests with the team's API keys, newest first. The address keeps the filters. */
export function Requests() {
  const reads = useSignal(0)
  const keys = useLoaded(() => dataOf(dashboard.GET('/keys')))
  const names = Object.fromEntries((keys.value.value ?? []).map(({ key_id, name }) => [key_id, name]))
  return (
    <>
      <h1>Requests</h1>
      <Help
        text="Requests with the API keys of this team within the last day, at most 5,000. Of a burst some are left out."
        page="errors"
      />
      <search class="actions filters">
        <label>
          Path, request id or error code
          <input
            type="search"
            value={queryValue('text')}
            onInput={(event) => setQuery({ text: event.currentTarget.value.trim() })}
          />
        </label>
        <Filter name="status" label="Status" options={{ '': 'Any status', ...STATUSES }} />
        <Filter name="method" label="Method" options={{ '': 'Any method', ...METHODS }} />
        <Filter name="key" label={KEY} options={{ '': 'Any key', ...names }} />
        <button
          type="button"
          onClick={() => {
            reads.value++
          }}
        >
          <Icon of={ListRestart} />
          Read again
        </button>
      </search>
      <h2 class="unseen">Newest first</h2>
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
    ...(status && { status: status as keyof typeof STATUSES }),
    ...(method && { method: method as keyof typeof METHODS }),
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
          <span>{error_code ?? `${ms} ms`}</span>
          <Time at={at} />
        </summary>
        <div class="delivery">
          <p class="break">{path}</p>
          <p class="facts">
            <span>
              {ID}: {request_id} <CopyButton text={request_id} label={TEXTS.copyOf(ID)} />
            </span>
            <span>
              {KEY}: <bdi>{key_name}</bdi>
            </span>
            <span>
              <Time at={at} isExact /> · {`${ms} ms`}
            </span>
          </p>
          {error_body !== null && <Json title="Answer" text={error_body} />}
        </div>
      </details>
      {left_out > 0 && (
        <p class="soft small-text">{`${left_out} further ${left_out === 1 ? 'request' : 'requests'} of this moment are not listed.`}</p>
      )}
    </>
  )
}

function NoRequests() {
  const isFiltered = FILTERS.some((name) => queryValue(name) !== '')
  return (
    <Empty
      icon={ScrollText}
      text={
        isFiltered
          ? 'No request fits these filters.'
          : 'No program has called the API within the last day. It needs a key.'
      }
    >
      {isFiltered ? (
        <button type="button" onClick={() => setQuery(Object.fromEntries(FILTERS.map((name) => [name, ''])))}>
          Clear the filters
        </button>
      ) : (
        <Link to="/keys" class="button main">
          Create a key
        </Link>
      )}
    </Empty>
  )
}
