/** Dialogs: one at a time, over everything else. */
import { box, h } from '../../shared/page/dom.ts'
import { type Context, textButton } from './context.ts'
import type { DialogKind } from './protocol.ts'

export class Dialogs {
  readonly layer = box('atlaskit-portal-container')
  private readonly context: () => Context

  /** Set later, because dialogs and the rest of the page depend on each other. */
  constructor(context: () => Context) {
    this.context = context
  }

  close(): void {
    this.layer.replaceChildren()
  }

  open(kind: DialogKind): void {
    const { words, say } = this.context()
    const answer = (choice: string) => () => {
      this.close()
      say({ say: 'dialog', dialog: kind, choice })
    }
    const ok = (text: string, act: () => void) => textButton(text, act, { id: 'modal-dialog-ok-button' })
    const cancel = textButton(words('dialog.Cancel'), answer('cancel'), { id: 'modal-dialog-cancel-button' })
    if (kind === 'password') {
      const input = h('input', {
        id: 'required-password-input',
        name: 'lockKey',
        type: 'password',
        autocomplete: 'off',
      })
      this.show(
        words('dialog.passwordRequired'),
        [h('label', { for: input.id }, words('dialog.passwordLabel')), input],
        [
          cancel,
          ok(words('dialog.Ok'), () => {
            this.close()
            say({ say: 'password', password: input.value })
          }),
        ],
      )
    } else if (kind === 'login') {
      this.show(
        words('dialog.authenticationRequired'),
        [
          h('input', { name: 'username', type: 'text', 'aria-label': words('dialog.user') }),
          h('input', { name: 'password', type: 'password', 'aria-label': words('dialog.userPassword') }),
        ],
        [cancel, ok(words('dialog.Ok'), answer('login'))],
      )
    } else if (kind === 'moderator' || kind === 'moderator-lobby') {
      const waits = textButton(words('dialog.WaitForHostButton'), answer('wait'))
      this.show(
        words('dialog.WaitingForHostTitle'),
        [h('span', words('dialog.WaitForHostNoAuthMsg'))],
        [kind === 'moderator' ? cancel : waits, ok(words('dialog.IamHost'), answer('login'))],
      )
    } else if (kind === 'consent') {
      this.show(
        words('dialog.recordingInProgressTitle'),
        [h('span', words('dialog.recordingInProgressDescription'))],
        [
          textButton(words('dialog.understandAndUnmute'), answer('unmute')),
          ok(words('dialog.understandAndMuted'), answer('muted')),
        ],
      )
    } else this.show(words('toolbar.tip'), [], [ok(words('dialog.dismiss'), answer('dismiss'))])
  }

  /** Why the conference is over; `then` follows the button. */
  sayWhy(reason: string, then: () => void): void {
    const { words } = this.context()
    const body = [h('span', { 'data-testid': 'dialog.leaveReason' }, reason)]
    const ok = textButton(
      words('dialog.Ok'),
      () => {
        this.close()
        then()
      },
      { id: 'modal-dialog-ok-button' },
    )
    this.show('', body, [ok])
  }

  /**
   * After a private message, the page asks before it sends an answer to all
   * (docs/platform-notes/jitsi.md#private-messages).
   */
  askForWhom(toAll: () => void): void {
    const { words } = this.context()
    const answer = (text: string, act: () => void, id: string) =>
      textButton(
        text,
        () => {
          this.close()
          act()
        },
        { id },
      )
    this.show(
      words('dialog.sendPrivateMessageTitle'),
      [h('div', words('dialog.sendPrivateMessage'))],
      [
        answer(words('dialog.sendPrivateMessageCancel'), toAll, 'modal-dialog-cancel-button'),
        answer(words('dialog.sendPrivateMessageOk'), () => {}, 'modal-dialog-ok-button'),
      ],
    )
  }

  askForStars(then: () => void): void {
    const { words } = this.context()
    const stars = [1, 2, 3, 4, 5].map((star) => h('button', { 'aria-label': String(star), class: 'star' }, '☆'))
    const leave = textButton(words('dialog.Cancel'), () => {
      this.close()
      then()
    })
    this.show(words('feedback.rateExperience'), stars, [leave])
  }

  private show(title: string, body: Node[], buttons: Node[]): void {
    const dialog = h(
      'div',
      { role: 'dialog', 'aria-modal': 'true', class: 'modal' },
      title !== '' && h('h1', { class: 'modal-title', id: 'dialog-title' }, title),
      box('modal-body', ...body),
      box('modal-footer', ...buttons),
    )
    this.layer.replaceChildren(box('backdrop'), dialog)
  }
}
