import { useSignal } from '@preact/signals'
import { clock } from '../../../../report/page/parts/clock.ts'
import { answerOf, v2 } from '../api.ts'
import { changes } from '../feed.ts'
import { Choice } from '../parts/form.tsx'
import { Pages } from '../parts/load.tsx'
import { Status, Table, Time } from '../parts/pieces.tsx'
import { Link } from '../router.tsx'
import { STATUS_TEXTS, TEXTS } from '../texts.ts'

/** All bots, newest first, by name and status. */
export function Bots() {
  const name = useSignal('')
  const status = useSignal('')
  const read = (cursor: string | null) => {
    const query = {
      limit: 50,
      ...(name.value && { bot_name: name.value }),
      ...(status.value && { status: status.value }),
      ...(cursor !== null && { cursor }),
    }
    return answerOf(v2.GET('/v2/bots', { params: { query } }))
  }
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
      <Pages read={read} when={() => [changes.value, name.value, status.value]} empty={TEXTS.bots.empty}>
        {(bots) => (
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
        )}
      </Pages>
    </>
  )
}
