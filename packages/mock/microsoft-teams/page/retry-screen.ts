/**
 * One screen for denial, removal, bad links and failed connections; only its texts differ
 * (docs/platform-notes/microsoft-teams.md#wrong-links-and-the-retry-screen).
 */

import type { Shown } from '../../shared/page/dom.ts'
import { box, h } from '../../shared/page/dom.ts'
import { button, type Context, part } from './context.ts'
import type { RetryKind } from './protocol.ts'

interface RetryTexts {
  title?: string
  description?: string
  asksForMeeting?: boolean
  canRejoin?: boolean
}

const TEXTS: Record<RetryKind, RetryTexts> = {
  notFound: { description: "We couldn't find a meeting matching this ID and passcode.", asksForMeeting: true },
  denied: { title: 'Sorry, but you were denied access to the meeting.' },
  declined: { title: 'Your request to join was declined' },
  notAdmitted: { title: "You weren't admitted to the meeting" },
  noResponse: { title: 'No one responded to your request to join' },
  couldNotConnect: { title: "We couldn't connect you", canRejoin: true },
  captchaFailed: { description: "We couldn't verify you", canRejoin: true },
  removed: { title: "You've been removed from this meeting" },
  removedAlt: { title: 'Removed from the meeting' },
  // No page was seen to say these three.
  botsBlocked: { title: "Bots aren't allowed to join this meeting" },
  locked: { title: 'This meeting is locked' },
  full: { title: 'This meeting is full' },
}

export function retryScreen(context: Context, kind: RetryKind, meetingId: string, passcode: string): Shown {
  const { cls, words, say } = context
  const { title, description, asksForMeeting = false, canRejoin = false } = TEXTS[kind]
  const alert = part(
    'calling-retry-screen-alert-container',
    {
      role: 'alert',
      'aria-atomic': 'true',
      'aria-labelledby': 'calling-retry-screen-title calling-retry-screen-description',
    },
    title !== undefined && h('h1', { id: 'calling-retry-screen-title' }, words(title)),
    description !== undefined && h('h2', { id: 'calling-retry-screen-description' }, words(description)),
  )
  const rejoin = button(
    context,
    { 'data-tid': 'calling-retry-rejoinbutton', disabled: !canRejoin },
    words('Rejoin call'),
    () => say({ say: 'retry', choice: 'rejoin' }),
  )
  const dismiss = button(context, { 'data-tid': 'calling-retry-cancelbutton' }, words('Dismiss'), () =>
    say({ say: 'retry', choice: 'dismiss' }),
  )
  const tid = kind === 'notAdmitted' ? 'calling-declined-screen' : 'calling-retry-screen'
  return {
    root: part(
      tid,
      { class: cls('message') },
      alert,
      asksForMeeting && meetingFields(context, meetingId, passcode),
      part('button-container', { class: cls('row') }, rejoin, dismiss),
    ),
  }
}

function meetingFields({ words, cls }: Context, meetingId: string, passcode: string): HTMLElement {
  return box(
    cls('fields'),
    h('input', {
      id: 'meeting-id-input-field-id',
      'data-tid': 'meeting-code-input',
      'aria-label': words('Meeting ID'),
      placeholder: words('Type a meeting ID'),
      required: true,
      minlength: 2,
      maxlength: 255,
      value: meetingId,
    }),
    h('input', {
      'data-tid': 'meeting-passcode-input',
      'aria-label': words('Meeting Passcode'),
      placeholder: words('Type a meeting passcode'),
      value: passcode,
    }),
  )
}
