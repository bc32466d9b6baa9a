/** Steps of a new team. They disappear when all are done, or when a person closes them. */
import { useSignal } from '@preact/signals'
import { Circle, CircleCheck, X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { answerOf, dashboard, dataOf, v2 } from '../api.ts'
import { changes } from '../feed.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Icon } from '../parts/icon.tsx'
import { useLoaded } from '../parts/load.tsx'
import { Link, navigate } from '../router.tsx'
import { may, me } from '../session.ts'

const TITLE = 'First steps'
const CLOSED = 'standin-first-steps-closed'

export function FirstSteps() {
  const action = useAction()
  const isClosed = useSignal(localStorage.getItem(CLOSED) !== null)
  const done = useLoaded(readDone, () => changes.value)
  const steps = done.value.value && { ...done.value.value, password: me.value?.can_return ?? true }
  if (isClosed.value || !may('member') || steps === undefined || Object.values(steps).every(Boolean)) return null
  return (
    <section class="first-steps" aria-label={TITLE}>
      <div class="heading">
        <h2>{TITLE}</h2>
        <button
          type="button"
          class="bare"
          aria-label="Hide the first steps"
          onClick={() => {
            localStorage.setItem(CLOSED, 'true')
            isClosed.value = true
          }}
        >
          <Icon of={X} />
        </button>
      </div>
      <OutcomeLine of={action} />
      <ol>
        <Step text="Send a bot into a meeting" isDone={steps.bot}>
          {me.value?.demo_link != null && (
            <ActionButton of={action} kind="main" work={sendDemoBot}>
              Send one into the mock meeting
            </ActionButton>
          )}
          <Link to="/send" class="button">
            Use my own meeting
          </Link>
        </Step>
        <Step text="Receive a webhook when a recording is ready" isDone={steps.webhook}>
          <Link to="/webhooks" class="button">
            Add an endpoint
          </Link>
        </Step>
        <Step text="Make a key for your program" isDone={steps.key}>
          <Link to="/keys" class="button">
            Create a key
          </Link>
        </Step>
        <Step text="Let bots join the meetings of a calendar" isDone={steps.calendar}>
          <Link to="/calendars" class="button">
            Connect a calendar
          </Link>
        </Step>
        <Step text="Set a password, to come back without a link" isDone={steps.password}>
          <Link to="/account" class="button">
            Set a password
          </Link>
        </Step>
      </ol>
    </section>
  )
}

function Step({ text, isDone, children }: { text: string; isDone: boolean; children: ComponentChildren }) {
  return (
    <li class={isDone ? 'done' : undefined}>
      <Icon of={isDone ? CircleCheck : Circle} />
      <span>
        {text}
        {isDone && <span class="unseen">done</span>}
      </span>
      {!isDone && <span class="actions">{children}</span>}
    </li>
  )
}

async function readDone() {
  const query = { limit: 1 }
  const [bots, endpoints, keys, calendars] = await Promise.all([
    answerOf(v2.GET('/v2/bots', { params: { query } })),
    dataOf(dashboard.GET('/endpoints')),
    // Only owners see the keys; for others there is nothing to do.
    may('owner') ? dataOf(dashboard.GET('/keys')) : [null],
    answerOf(v2.GET('/v2/calendars', { params: { query } })),
  ])
  return {
    bot: bots.data.length > 0,
    webhook: endpoints.length > 0,
    key: keys.length > 0,
    calendar: calendars.data.length > 0,
  }
}

async function sendDemoBot(): Promise<null> {
  const body = {
    meeting_url: me.value!.demo_link!,
    bot_name: 'My first bot',
    transcription_enabled: true,
    transcription_config: { provider: 'captions' as const },
  }
  const { data } = await answerOf(v2.POST('/v2/bots', { body }))
  navigate(`/bots/${data.bot_id}`)
  return null
}
