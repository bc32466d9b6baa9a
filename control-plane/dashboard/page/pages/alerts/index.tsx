import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type AlertRule, type AlertRules, ask } from '../../api.ts'
import { type Action, ActionButton, OutcomeLine, useAction } from '../../parts/action.tsx'
import { dateTime } from '../../parts/format.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { Status } from '../../parts/pieces.tsx'
import { may } from '../../session.ts'
import { TEXTS } from '../../texts.ts'
import { Firings } from './firings.tsx'
import { RuleForm } from './rule-form.tsx'

/** Alerts can fire without a change of a bot, so the page polls. */
const LOOK_EVERY_MS = 5000

/** Rules and their fired alerts. */
export function Alerts() {
  const texts = TEXTS.alerts
  const action = useAction()
  const edited = useSignal<AlertRule | 'new' | null>(null)
  const looks = useSignal(0)
  const rules = useLoaded(
    () => ask<AlertRules>('GET', '/alert-rules'),
    () => looks.value,
  )
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) looks.value++
    }, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  const saved = async () => {
    edited.value = null
    looks.value++
    action.outcome.value = { text: TEXTS.saved, isBad: false }
  }
  return (
    <>
      <h1>{texts.title}</h1>
      <p class="soft">{texts.help}</p>
      <OutcomeLine of={action} />
      <Shown of={rules}>
        {({ rules: list, mail }) => (
          <>
            {!mail.is_configured && <p class="notice">{texts.noMail}</p>}
            <section>
              <h2>{texts.rules}</h2>
              {list.length === 0 && <p class="soft">{texts.empty}</p>}
              {list.map((rule) => (
                <Rule
                  key={rule.alert_rule_id}
                  rule={rule}
                  action={action}
                  onEdit={() => {
                    edited.value = rule
                  }}
                  onDone={() => {
                    looks.value++
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
      <Firings looks={looks} />
    </>
  )
}

function Rule({
  rule,
  action,
  onEdit,
  onDone,
}: {
  rule: AlertRule
  action: Action
  onEdit: () => void
  onDone: () => void
}) {
  const texts = TEXTS.alerts
  const path = `/alert-rules/${rule.alert_rule_id}`
  const told = async (method: 'POST' | 'DELETE', at: string) => {
    const { message } = await ask<{ message: string }>(method, at)
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
        {texts.fires(texts.types[rule.alert_type] ?? rule.alert_type, rule)}{' '}
        <span class="soft">
          {texts.sends(channels.join(', '))}{' '}
          {rule.last_fired_at === null ? texts.neverFired : texts.lastFired(dateTime(rule.last_fired_at))}
        </span>
      </p>
      {may('member') && (
        <div class="actions">
          <button type="button" onClick={onEdit}>
            {texts.edit}
          </button>
          <ActionButton of={action} work={() => told('POST', `${path}/test`)}>
            {texts.test}
          </ActionButton>
          <ActionButton
            of={action}
            work={async () => {
              await ask('PATCH', path, { is_enabled: !rule.is_enabled })
              onDone()
              return rule.is_enabled ? texts.isOff : texts.isOn
            }}
          >
            {rule.is_enabled ? texts.turnOff : texts.turnOn}
          </ActionButton>
          <ActionButton of={action} kind="bad" sure={texts.removeSure} work={() => told('DELETE', path)}>
            {texts.remove}
          </ActionButton>
        </div>
      )}
    </div>
  )
}
