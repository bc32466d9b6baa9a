import type { Answers, Bot } from '../../api.ts'
import { Marked, Time } from '../../parts/pieces.tsx'
import { me } from '../../session.ts'
import { partOf, whyOf } from '../../texts.ts'

const WHO: Readonly<Record<string, string>> = {
  host: 'The host of the meeting can change it.',
  platform: 'It depends on the platform.',
  operator: 'Only the operator of this service can change it. Give them the address of this page.',
}

/** The cause, what the person who reads it can do, and behind a fold how it was found. */
export function Failure({ bot, preview }: { bot: Bot; preview: Answers['BotPreview'] | undefined }) {
  const { error_code: code, error_message: message, error_help: help, reason, reason_help: refusal } = bot
  if (code === null && refusal === null) return null
  const part = partOf(preview)
  const isForOperator = help?.who === 'operator' && !me.value?.is_operator
  // What changes a refusal is finer than what helps with its code; a cause is finer than both.
  const cure = refusal === null || reason === 'unknown' || help?.cause ? help?.cure : refusal.setting
  const evidence = (refusal?.evidence ?? []).filter(({ seen }) => seen !== message)
  return (
    <div class={code === null ? 'notice' : 'notice bad'}>
      <p>
        {part && <span class="status bad">{part}</span>} <b>{whyOf(bot, preview)}</b>
      </p>
      <p>
        {help !== null && (isForOperator || help.who !== 'operator') && `${WHO[help.who] ?? ''} `}
        {!isForOperator && cure !== undefined && <Marked text={cure} />}
      </p>
      <details>
        <summary>Details</summary>
        {message !== null && <p>{message}</p>}
        {code !== null && (
          <p>
            Code: <code>{code}</code>
            {help?.cause && <code>, {help.cause}</code>}
          </p>
        )}
        {evidence.length > 0 && (
          <ol>
            {evidence.map(({ seen, at }) => (
              <li key={`${at} ${seen}`}>
                <Time at={at} isExact /> {seen}
              </li>
            ))}
          </ol>
        )}
        <p>
          {help !== null && <a href={help.link}>All reasons</a>}{' '}
          {refusal !== null && <a href={refusal.link}>Page for the host</a>}
        </p>
      </details>
    </div>
  )
}
