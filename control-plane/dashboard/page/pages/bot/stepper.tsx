/** The way of a bot to its recording, with the time that each part took. The current part has a clock. */
import { clock } from '../../../../../packages/page-parts/clock.ts'
import { type Bot, hasEnded, type Parts, type TimelineStep } from '../../api.ts'
import { useNow } from '../../parts/now.ts'
import { Time } from '../../parts/pieces.tsx'
import { TEXTS } from '../../texts.ts'

const TITLES = {
  queued: 'Queued',
  joining: 'Joining',
  waiting: 'Waiting room',
  recording: 'Recording',
  done: 'Done',
  failed: 'Failed',
}
const MILESTONES = ['queued', 'joining', 'waiting', 'recording', 'done'] as const
type Milestone = (typeof MILESTONES)[number]

const MILESTONE_OF_STATUS: Readonly<Record<string, Milestone>> = {
  joining_call: 'joining',
  in_waiting_room: 'waiting',
  in_call_not_recording: 'recording',
  in_call_recording: 'recording',
}

export function Stepper({ bot, steps, parts }: { bot: Bot; steps: readonly TimelineStep[]; parts: Parts }) {
  const isRunning = !hasEnded(bot)
  const now = useNow(isRunning)
  const starts = startsOf(bot, steps)
  const reached = MILESTONES.filter((milestone) => starts.has(milestone))
  const current = reached.at(-1)
  return (
    <ol class="stepper">
      {MILESTONES.map((milestone) => {
        const start = starts.get(milestone)
        const next = reached[reached.indexOf(milestone) + 1]
        const isCurrent = milestone === current
        const isFailed = bot.status === 'failed' && milestone === 'done'
        return (
          <li
            key={milestone}
            class={isFailed ? 'failed' : start === undefined ? 'ahead' : isCurrent && isRunning ? 'current' : 'past'}
            aria-current={isCurrent ? 'step' : undefined}
          >
            <b>{isFailed ? TITLES.failed : TITLES[milestone]}</b>
            <span>
              {start === undefined ? (
                TEXTS.none
              ) : milestone === 'done' ? (
                <Time at={new Date(start).toISOString()} />
              ) : (
                clock(((next === undefined ? now.value : starts.get(next)!) - start) / 1000)
              )}
            </span>
            {isCurrent && isRunning && milestone === 'waiting' && (
              <span>{`leaves in ${clock(parts.waiting_room_seconds - (now.value - start!) / 1000)}`}</span>
            )}
          </li>
        )
      })}
    </ol>
  )
}

/** Milliseconds at which the bot reached each milestone. */
function startsOf(bot: Bot, steps: readonly TimelineStep[]): ReadonlyMap<Milestone, number> {
  const starts = new Map<Milestone, number>([['queued', Date.parse(bot.created_at)]])
  for (const { at, kind, evidence } of steps) {
    const milestone =
      kind === 'ended' ? 'done' : kind === 'status' ? MILESTONE_OF_STATUS[String(evidence?.status)] : undefined
    if (milestone !== undefined && !starts.has(milestone)) starts.set(milestone, Date.parse(at))
  }
  if (hasEnded(bot) && !starts.has('done')) starts.set('done', Date.parse(bot.exited_at ?? bot.created_at))
  return starts
}
