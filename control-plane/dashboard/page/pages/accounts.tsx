import { answerOf, type Schemas, v2 } from '../api.ts'
import { type Action, ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Help, Status, Table, Time } from '../parts/pieces.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

type Account = Schemas['Account']

/** Accounts with which bots join signed in. */
export function Accounts() {
  const texts = TEXTS.accounts
  const action = useAction()
  const accounts = useLoaded(() => answerOf(v2.GET('/v2/accounts')))
  const reload = async (work: Promise<unknown>) => {
    await work
    await accounts.reload()
    return TEXTS.saved
  }
  return (
    <>
      <h1>{texts.title}</h1>
      <Help text={texts.help} page="accounts" />
      <OutcomeLine of={action} />
      <Shown of={accounts}>
        {({ data }) => (
          <Table
            texts={texts}
            entries={data}
            keyOf={(account) => account.account_id}
            cells={(account) => [
              <>
                {account.label}
                <br />
                <span class="soft">{account.address ?? account.account_id}</span>
              </>,
              texts.platforms[account.platform],
              account.pool,
              texts.meetings(account.meetings, account.max_meetings),
              <>
                <Status of={account.is_disabled ? 'disabled' : account.state} texts={texts.states} />
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
          <h2>{texts.add}</h2>
          <Form
            of={action}
            submit={texts.add}
            onSubmit={({ platform, label = '', address, pool, max_meetings, session = '' }) => {
              const body = { platform: platform as Account['platform'], label, session: stateOf(session) }
              const settings = { address: address || null, ...(pool && { pool }), max_meetings: Number(max_meetings) }
              return reload(answerOf(v2.POST('/v2/accounts', { body: { ...body, ...settings } })))
            }}
          >
            <Choice label={texts.platform} name="platform" options={texts.platforms} />
            <Field label={texts.label} name="label" required maxLength={100} autocomplete="off" />
            <Field label={texts.address} name="address" type="email" autocomplete="off" />
            <Field label={texts.pool} name="pool" maxLength={100} autocomplete="off" />
            <Field label={texts.limit} name="max_meetings" type="number" min={1} max={100} value="20" required />
            <Field label={texts.session} name="session" rows={4} required autocomplete="off" />
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
  const texts = TEXTS.accounts
  const at = { params: { path: { account_id } } }
  const change = () =>
    reload(answerOf(v2.PATCH('/v2/accounts/{account_id}', { ...at, body: { is_disabled: !is_disabled } })))
  const check = () => reload(answerOf(v2.POST('/v2/accounts/{account_id}/check', at)))
  const remove = () => reload(answerOf(v2.DELETE('/v2/accounts/{account_id}', at)))
  return (
    <>
      <ActionButton of={of} work={check}>
        {texts.check}
      </ActionButton>
      <ActionButton of={of} work={change}>
        {is_disabled ? texts.enable : texts.disable}
      </ActionButton>
      <ActionButton of={of} kind="bad" confirmation={texts.removeSure} work={remove}>
        {texts.remove}
      </ActionButton>
    </>
  )
}

/** Throws a sentence without the text, which is secret. */
function stateOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(TEXTS.accounts.noJson)
  }
}
