import { useSignal } from '@preact/signals'
import { clock } from '../../../../report/page/parts/clock.ts'
import { answerOf, type BotItem, v2 } from '../api.ts'
import { changes } from '../feed.ts'
import { useAction } from '../parts/action.tsx'
import { Choice } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Status, Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { STATUS_TEXTS, TEXTS } from '../texts.ts'

/** All bots, newest first, by name and status. */
export function Bots() {
  const name = useSignal('')
  const status = useSignal('')
  const more = useSignal<{ bots: BotItem[]; cursor: string | null } | null>(null)
  const action = useAction()
  const page = async (cursor: string | null) => {
    const query = {
      limit: 50,
      ...(name.value && { bot_name: name.value }),
      ...(status.value && { status: status.value }),
      ...(cursor !== null && { cursor }),
    }
    return answerOf(v2.GET('/v2/bots', { params: { query } }))
  }
  const first = useLoaded(
    async () => {
      const answer = await page(null)
      more.value = null
      return answer
    },
    () => [changes.value, name.value, status.value],
  )
  const { scheduled: _scheduled, cancelled: _cancelled, ...statuses } = STATUS_TEXTS
  return (
    <>
      <h1>{TEXTS.bots.title}</h1>
      <div class="actions">
        <label>
          {TEXTS.bots.search}
          <input type="search" onInput={(event) => (name.value = event.currentTarget.value.trim())} />
        </label>
        <Choice
          label={TEXTS.bots.status}
          name="status"
          options={{ '': TEXTS.bots.any, ...statuses }}
          value={status.value}
          onChange={(value) => {
            status.value = value
          }}
        />
      </div>
      <Shown of={first}>
        {({ data, cursor }) => {
          const bots = [...data, ...(more.value?.bots ?? [])]
          const next = more.value === null ? cursor : more.value.cursor
          return (
            <>
              <Table
                texts={TEXTS.bots}
                entries={bots}
                keyOf={(bot) => bot.bot_id}
                cells={(bot) => [
                  <Link to={`/bots/${bot.bot_id}`}>{bot.bot_name}</Link>,
                  bot.meeting_url,
                  <Status of={bot.status} />,
                  <Time at={bot.created_at} />,
                  bot.duration === null ? TEXTS.none : clock(bot.duration),
                ]}
              />
              {next !== null && (
                <button
                  type="button"
                  disabled={action.isBusy.value}
                  onClick={() =>
                    action.run(async () => {
                      const answer = await page(next)
                      more.value = { bots: [...(more.value?.bots ?? []), ...answer.data], cursor: answer.cursor }
                      return null
                    })
                  }
                >
                  {TEXTS.more}
                </button>
              )}
            </>
          )
        }}
      </Shown>
    </>
  )
}
