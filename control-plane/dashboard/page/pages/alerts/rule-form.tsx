import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Answers, dashboard, dataOf } from '../../api.ts'
import { OutcomeLine, useAction } from '../../parts/action.tsx'
import { Choice, Field, Form } from '../../parts/form.tsx'
import { TEXTS } from '../../texts.ts'

type AlertType = Answers['NewAlertRuleInput']['alert_type']
const THRESHOLD_TYPES = new Set(['daily_bot_cap', 'token_balance', 'calendar_connections'])

interface RuleFormProps {
  rule: Answers['AlertRule'] | null
  sendsMail: boolean
  onSaved: () => Promise<void>
  onCancel: () => void
}

/** Creates or changes a rule. The secret is never shown; an empty field keeps it. */
export function RuleForm({ rule, sendsMail, onSaved, onCancel }: RuleFormProps) {
  const texts = TEXTS.alerts
  const action = useAction()
  const type = useSignal(rule?.alert_type ?? 'bot_join_failed')
  const isThreshold = THRESHOLD_TYPES.has(type.value)
  const operator = useSignal(rule?.operator ?? '>=')
  const section = useRef<HTMLElement>(null)
  // Moves the keyboard into the form.
  useEffect(() => section.current?.querySelector('input')?.focus(), [])

  async function save(fields: Record<string, string>): Promise<null> {
    const { name = '', threshold, cooldown, callback_url: url = '', secret = '', emails = '' } = fields
    const change = {
      name,
      operator: isThreshold ? operator.value : ('>=' as const),
      threshold: Number(threshold),
      cooldown_minutes: Number(cooldown),
      callback_url: url === '' ? null : url,
      emails: emails.split(/[\s,;]+/).filter(Boolean),
      ...(secret !== '' && { callback_secret: secret }),
      ...(fields.no_secret !== undefined && { callback_secret: null }),
    }
    if (rule === null)
      await dataOf(dashboard.POST('/alert-rules', { body: { ...change, alert_type: type.value as AlertType } }))
    else {
      const path = { alert_rule_id: rule.alert_rule_id }
      await dataOf(dashboard.PATCH('/alert-rules/{alert_rule_id}', { params: { path }, body: change }))
    }
    await onSaved()
    return null
  }

  return (
    <section ref={section}>
      <h2>{rule === null ? texts.add : texts.change(rule.name)}</h2>
      <OutcomeLine of={action} />
      <Form of={action} submit={TEXTS.save} onSubmit={save}>
        <Field label={texts.name} name="name" required maxLength={100} autocomplete="off" defaultValue={rule?.name} />
        {rule === null ? (
          <Choice
            label={texts.type}
            name="type"
            options={texts.types}
            value={type.value}
            onChange={(value) => {
              type.value = value
            }}
          />
        ) : (
          <p class="soft">
            {texts.type}: {texts.types[rule.alert_type] ?? rule.alert_type}
          </p>
        )}
        {isThreshold && (
          <Choice
            label={texts.operator}
            name="operator"
            options={texts.operators}
            value={operator.value}
            onChange={(value) => {
              operator.value = value as '>=' | '<='
            }}
          />
        )}
        <Field
          label={isThreshold ? texts.value : texts.count}
          name="threshold"
          type="number"
          required
          min={1}
          step={isThreshold ? 'any' : 1}
          defaultValue={rule?.threshold ?? 1}
        />
        <Field
          label={isThreshold ? texts.cooldown : texts.window}
          name="cooldown"
          type="number"
          required
          min={1}
          max={1440}
          defaultValue={rule?.cooldown_minutes ?? 15}
        />
        <Field
          label={texts.callback}
          name="callback_url"
          type="url"
          maxLength={2048}
          autocomplete="off"
          defaultValue={rule?.callback_url ?? ''}
        />
        <Field
          label={rule?.has_callback_secret ? texts.newSecret : texts.secret}
          name="secret"
          type="password"
          maxLength={256}
          autocomplete="new-password"
        />
        {rule?.has_callback_secret && (
          <label class="check">
            <input type="checkbox" name="no_secret" /> {texts.noSecret}
          </label>
        )}
        {sendsMail || (rule !== null && rule.emails.length > 0) ? (
          <Field label={texts.emails} name="emails" rows={3} maxLength={3000} defaultValue={rule?.emails.join('\n')} />
        ) : (
          <p class="soft">{texts.noMail}</p>
        )}
      </Form>
      <div class="actions">
        <button type="button" onClick={onCancel}>
          {texts.cancel}
        </button>
      </div>
    </section>
  )
}
