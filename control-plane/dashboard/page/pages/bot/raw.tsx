import type { Bot } from '../../api.ts'
import { CopyButton, Json } from '../../parts/pieces.tsx'
import { SERVICE } from '../../place.ts'
import { TEXTS } from '../../texts.ts'

/** The answer of the API about the bot, and how a program asks for it. */
export function Raw({ bot }: { bot: Bot }) {
  const curl = (path: string) => `curl ${SERVICE}/v2/bots/${bot.bot_id}${path} -H "x-service-api-key: $STANDIN_API_KEY"`
  return (
    <>
      {(['', '/timeline', '/events'] as const).map((path) => (
        <div key={path} class="command">
          <code>{curl(path)}</code>
          <CopyButton text={curl(path)} label={TEXTS.copy} />
        </div>
      ))}
      <Json title={TEXTS.bot.answer} text={JSON.stringify(bot, null, 2)} />
    </>
  )
}
