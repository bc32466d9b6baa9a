/** The page before the meeting: spinner, preview, name field, join button, and its traps. */

import { showTrack } from '../../shared/page/devices.ts'
import type { Shown } from '../../shared/page/dom.ts'
import { box, brokenText, h, mutedVideo } from '../../shared/page/dom.ts'
import { button, type Context } from './context.ts'
import { deviceToggle } from './device-toggle.ts'

export function loadingPage({ cls, words, random }: Context): Shown {
  return {
    root: h(
      'div',
      { jsname: 'r4nke', class: cls('loading') },
      box(cls('loadingTitle'), brokenText(random, words('Getting ready...'))),
      h('div', brokenText(random, words("You'll be able to join in just a moment"))),
    ),
  }
}

export function blankPage(): Shown {
  return { root: h('div', { style: 'position:fixed;inset:0;background:#000' }) }
}

export function waitingForHostPage(context: Context): Shown {
  const { cls, words, random } = context
  return {
    root: h(
      'main',
      { class: cls('page') },
      h('div', { role: 'heading', 'aria-level': 1 }, brokenText(random, words('Waiting for the host to join'))),
      h('div', words("You'll join the call when the host arrives")),
      button(context, { label: words('Leave call'), icon: 'call_end', attributes: { jsname: 'CQylAd' } }, () =>
        context.say({ say: 'leave', how: 'toolbar' }),
      ),
    ),
  }
}

export function greenRoom(context: Context, inside: string[]): Shown {
  const { cls, words, settings, random, devices } = context
  const preview = mutedVideo({ class: cls('preview') })
  const stopWatching = devices.watch(() => showTrack(preview, devices.track('camera')))
  const join = joinButtons(context, settings.signedIn ? () => settings.accountName : () => field.value())
  const field = nameBox(context, join.enable)
  if (settings.signedIn) join.enable(true)
  const root = h(
    'main',
    { class: cls('page') },
    box(
      cls('previewBox'),
      preview,
      deviceToggle(context, 'microphone', 'greenRoom'),
      deviceToggle(context, 'camera', 'greenRoom'),
      button(context, { label: words('Backgrounds and effects'), icon: 'visual_effects' }),
      button(context, { label: words('More options'), icon: 'more_vert' }),
    ),
    h(
      'div',
      { jscontroller: 'dyDNGc', class: cls('joinBox') },
      settings.signedIn
        ? h('div', { role: 'heading', 'aria-level': 1 }, brokenText(random, words('Ready to join?')))
        : h('div', { role: 'heading', 'aria-level': 1 }, brokenText(random, words("What's your name?"))),
      settings.signedIn ? box(cls('accountName'), settings.accountName) : field.root,
      settings.signedIn && h('div', 'standin@example.com ', button(context, { text: 'Switch account' })),
      settings.joinWarning && box(cls('warning'), words(settings.joinWarning)),
      h('div', brokenText(random, whoIsInside(words, inside))),
      join.root,
      button(context, {
        icon: 'expand_more',
        text: words('Other ways to join'),
        attributes: { 'aria-haspopup': 'menu' },
      }),
      !settings.signedIn && h('a', { href: '#', class: cls('link') }, words('Sign in')),
    ),
  )
  return { root, close: stopWatching }
}

function whoIsInside(words: Context['words'], inside: string[]): string {
  const [first = '', second = ''] = inside
  if (inside.length === 0) return words('No one else is here')
  if (inside.length === 1) return words('{0} is in this call', first)
  if (inside.length === 2) return words('{0} and {1} are in this call', first, second)
  return words('{0}, {1} and {2} more', first, second, String(inside.length - 2))
}

/** The buttons that join. Disabled until there is a name. */
function joinButtons(context: Context, name: () => string) {
  const { settings, words, say, cls } = context
  const all = settings.joinLabels.map((label, index) => {
    const attributes = index === 0 ? { jsname: settings.joinJsname, disabled: true } : { disabled: true }
    const detail = settings.joinDetail === '' ? {} : { label: `${words(label)} ${settings.joinDetail}` }
    const element = button(context, { text: words(label), cls: 'primary', attributes, ...detail }, () => {
      say({ say: 'join', name: name().trim(), label })
    })
    return element as HTMLButtonElement
  })
  return {
    root: box(cls('joinRow'), ...all),
    enable: (enabled: boolean) => {
      for (const element of all) element.disabled = !enabled
    },
  }
}

/** The guest's name. Escape soon after typing brings the old value back; a hydrating page may replace the field once. */
function nameBox(context: Context, enable: (enabled: boolean) => void) {
  const { settings, words, cls } = context
  const holder = box(cls('nameBox'))
  let input = make()
  holder.append(input)
  let tipped = false

  function make(): HTMLInputElement {
    const fresh = h('input', {
      type: 'text',
      jsname: 'YPqjbf',
      class: cls('nameInput'),
      'aria-label': words('Your name'),
      placeholder: words('Your name'),
      maxlength: 60,
      autocomplete: 'name',
    })
    let typedAt = 0
    fresh.addEventListener('input', () => {
      typedAt = performance.now()
      enable(fresh.value.trim() !== '')
      if (settings.nameBoxReplaced && !tipped) {
        tipped = true
        setTimeout(() => replace(), 120)
      }
      if (settings.escapeTip && !tipped) {
        tipped = true
        setTimeout(() => context.openDialog('escape-tip'), 150)
      }
    })
    // The old value (none) comes back on Escape while the typed one is not yet committed.
    const revert = (event: KeyboardEvent) => {
      const isFresh = settings.escapeTip || performance.now() - typedAt < 1000
      if (event.key !== 'Escape' || typedAt === 0 || !isFresh) return
      fresh.value = ''
      enable(false)
    }
    fresh.addEventListener('keydown', revert)
    if (settings.escapeTip) document.addEventListener('keydown', revert)
    return fresh
  }

  function replace(): void {
    const fresh = make()
    input.replaceWith(fresh)
    input = fresh
    enable(false)
  }

  return { root: holder, value: () => input.value }
}
