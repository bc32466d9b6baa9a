import { useSignal } from '@preact/signals'
import { Bell } from 'lucide'
import { useEffect } from 'preact/hooks'
import { type Answers, dashboard, dataOf } from '../../api.ts'
import { type Action, ActionButton, OutcomeLine, useAction } from '../../parts/action.tsx'
import { dateTime } from '../../parts/format.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { Empty, Help, Status } from '../../parts/pieces.tsx'
import { toast } from '../../parts/toasts.tsx'
import { may } from '../../session.ts'
import { TEXTS } from '../../texts.ts'
import { Firings } from './firings.tsx'
import { RuleForm } from './rule-form.tsx'

/** An alert can trigger without a change of a bot, so the page polls. */
const POLL_INTERVAL_MS = 5000

/** Rules and triggered alerts. */
export function Alerts() {
  const texts = TEXTS.alerts
  const action = useAction()
  const edited = useSignal<Answers['AlertRule'] | 'new' | null>(null)
  const polls = useSignal(0)
  const rules = useLoaded(
    () => dataOf(dashboard.GET('/alert-rules')),
    () => polls.value,
  )
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) polls.value++
    }, POLL_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [])
  const saved = async () => {
    edited.value = null
    polls.value++
    toast(TEXTS.saved)
  }
  return (
    <>
      <h1>{texts.title}</h1>
      <Help text={texts.help} page="alerts" />
      <OutcomeLine of={action} />
      <Shown of={rules}>
        {({ rules: list, mail }) => (
          <>
            {!mail.is_configured && <p class="notice">{texts.noMail}</p>}
            <section>
              <h2>{texts.rules}</h2>
              {list.length === 0 && <Empty icon={Bell} text={texts.empty} />}
              {list.map((rule) => (
                <Rule
                  key={rule.alert_rule_id}
                  rule={rule}
                  action={action}
                  onEdit={() => {
                    edited.value = rule
                  }}
                  onDone={() => {
                    polls.value++
                  }}
                />
              ))}
              {may('member') && edited.value === null && (
                <button
                  type="button"
                  class="main"
                  onClick={() => {
                    edited.value = 'new'
                  }}
                >
                  {texts.add}
                </button>
              )}
            </section>
            {edited.value !== null && (
              <RuleForm
                key={edited.value === 'new' ? 'new' : edited.value.alert_rule_id}
                rule={edited.value === 'new' ? null : edited.value}
                sendsMail={mail.is_configured}
                onSaved={saved}
                onCancel={() => {
                  edited.value = null
                }}
              />
            )}
          </>
        )}
      </Shown>
      <Firings polls={polls} />
    </>
  )
}

interface RuleProps {
  rule: Answers['AlertRule']
  action: Action
  onEdit: () => void
  onDone: () => void
}

function Rule({ rule, action, onEdit, onDone }: RuleProps) {
  const texts = TEXTS.alerts
  const options = { params: { path: { alert_rule_id: rule.alert_rule_id } } }
  const messageOf = async (request: Promise<{ message: string }>) => {
    const { message } = await request
    onDone()
    return message
  }
  const channels = [rule.callback_url, ...rule.emails].filter((channel) => channel !== null)
  return (
    <div>
      <h3>
        <bdi>{rule.name}</bdi> <Status of={rule.is_enabled ? 'active' : 'off'} texts={texts.states} />
      </h3>
      <p>
        {texts.condition(texts.types[rule.alert_type] ?? rule.alert_type, rule)}{' '}
        <span class="soft">
          {texts.sends(channels.join(', '))}{' '}
          {rule.last_fired_at === null ? texts.neverTriggered : texts.lastTriggered(dateTime(rule.last_fired_at))}
        </span>
      </p>
      {may('member') && (
        <div class="actions">
          <button type="button" onClick={onEdit}>
            {texts.edit}
          </button>
          <ActionButton
            of={action}
            work={() => messageOf(dataOf(dashboard.POST('/alert-rules/{alert_rule_id}/test', options)))}
          >
            {texts.test}
          </ActionButton>
          <ActionButton
            of={action}
            work={async () => {
              const body = { is_enabled: !rule.is_enabled }
              await dataOf(dashboard.PATCH('/alert-rules/{alert_rule_id}', { ...options, body }))
              onDone()
              return rule.is_enabled ? texts.isOff : texts.isOn
            }}
          >
            {rule.is_enabled ? texts.turnOff : texts.turnOn}
          </ActionButton>
          <ActionButton
            of={action}
            kind="bad"
            confirmation={texts.removeSure}
            work={() => messageOf(dataOf(dashboard.DELETE('/alert-rules/{alert_rule_id}', options)))}
          >
            {texts.remove}
          </ActionButton>
        </div>
      )}
    </div>
  )
}
