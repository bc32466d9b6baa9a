import { ACCOUNT_PLATFORMS, PLATFORM_TITLES } from '@standin/wire/platforms.ts'
import { answerOf, type Schemas, v2 } from '../api.ts'
import { type Action, ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Help, Status, Table, Time } from '../parts/pieces.tsx'
import { may } from '../session.ts'

const TITLE = 'Accounts of bots'
const ADD = 'Add account'

const PLATFORMS = Object.fromEntries(ACCOUNT_PLATFORMS.map((name) => [name, PLATFORM_TITLES[name]]))

type Account = Schemas['Account']

/** Accounts with which bots join signed in. */
export function Accounts() {
  const action = useAction()
  const accounts = useLoaded(() => answerOf(v2.GET('/v2/accounts')))
  const reload = async (work: Promise<unknown>) => {
    await work
    await accounts.reload()
    return 'Saved.'
  }
  return (
    <>
      <h1>{TITLE}</h1>
      <Help
        text="Bots can join with an account if a meeting refuses guests. Sign in with a browser once; the documentation explains how to export the session."
        page="accounts"
      />
      <OutcomeLine of={action} />
      <Shown of={accounts}>
        {({ data }) => (
          <Table
            texts={{
              title: TITLE,
              columns: ['Name', 'Platform', 'Pool', 'Meetings', 'Status', ''],
              empty: 'There are no accounts. Bots join as guests.',
            }}
            entries={data}
            keyOf={(account) => account.account_id}
            cells={(account) => [
              <>
                {account.label}
                <br />
                <span class="soft">{account.address ?? account.account_id}</span>
              </>,
              PLATFORM_TITLES[account.platform],
              account.pool,
              `${account.meetings} of ${account.max_meetings}`,
              <>
                <Status
                  of={account.is_disabled ? 'disabled' : account.state}
                  texts={{ ok: 'Signed in', signed_out: 'Signed out', unknown: 'Not used yet', disabled: 'Disabled' }}
                />
                {account.state_reason !== null && (
                  <p class="soft">
                    {account.state_reason} <Time at={account.state_at} />
                  </p>
                )}
              </>,
              may('member') && <Deeds of={action} account={account} reload={reload} />,
            ]}
          />
        )}
      </Shown>
      {may('member') && (
        <section>
          <h2>{ADD}</h2>
          <Form
            of={action}
            submit={ADD}
            onSubmit={({ platform, label = '', address, pool, max_meetings, session = '' }) => {
              const body = { platform: platform as Account['platform'], label, session: stateOf(session) }
              const settings = { address: address || null, ...(pool && { pool }), max_meetings: Number(max_meetings) }
              return reload(answerOf(v2.POST('/v2/accounts', { body: { ...body, ...settings } })))
            }}
          >
            <Choice label="Platform" name="platform" options={PLATFORMS} />
            <Field label="Name" name="label" required maxLength={100} autocomplete="off" />
            <Field label="E-mail address (to invite the account)" name="address" type="email" autocomplete="off" />
            <Field label="Pool (empty: default)" name="pool" maxLength={100} autocomplete="off" />
            <Field label="Meetings at once" name="max_meetings" type="number" min={1} max={100} value="20" required />
            <Field
              label="Session, as the documentation exports it"
              name="session"
              rows={4}
              required
              autocomplete="off"
            />
          </Form>
        </section>
      )}
    </>
  )
}

interface DeedsProps {
  of: Action
  account: Account
  reload: (work: Promise<unknown>) => Promise<string>
}

function Deeds({ of, account: { account_id, is_disabled }, reload }: DeedsProps) {
  const at = { params: { path: { account_id } } }
  const change = () =>
    reload(answerOf(v2.PATCH('/v2/accounts/{account_id}', { ...at, body: { is_disabled: !is_disabled } })))
  const check = () => reload(answerOf(v2.POST('/v2/accounts/{account_id}/check', at)))
  const remove = () => reload(answerOf(v2.DELETE('/v2/accounts/{account_id}', at)))
  return (
    <div class="actions">
      <ActionButton of={of} work={check}>
        Check with the next bot
      </ActionButton>
      <ActionButton of={of} work={change}>
        {is_disabled ? 'Enable' : 'Disable'}
      </ActionButton>
      <ActionButton
        of={of}
        kind="bad"
        confirmation="Delete this account with its session? No further bot gets it."
        work={remove}
      >
        Delete
      </ActionButton>
    </div>
  )
}

/** Throws a sentence without the text, which is secret. */
function stateOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('The session is not JSON.')
  }
}
