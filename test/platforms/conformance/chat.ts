/** Promises about what a chat has beside its text, and about reactions and raised hands, in one meeting. */
import { expect } from 'vitest'
import type { ChatContent } from '../../../packages/core/meeting/meeting.ts'
import { heartbeats } from './ground.ts'
import { chatOf, heard, peopleOf } from './people.ts'
import type { ChatPart, PlatformUnderTest } from './platforms.ts'
import type { Session } from './rig.ts'
import type { AddRows } from './rows.ts'

export function chatInFull(platform: PlatformUnderTest, { ofPage, ofPageIf }: AddRows, sessionOf: () => Session): void {
  const ofChat = (part: ChatPart) => ofPageIf(platform.chat.includes(part))
  const idOf = (name: string) => peopleOf(sessionOf().events).find((person) => person.name === name)?.id
  /** The message as it was first reported. */
  const reported = async (text: string) =>
    (await sessionOf().event('chat_message', ({ message }) => message.text === text)).message
  /** The first change of a message with the expected content. */
  const changed = async (messageId: string, fits: (content: ChatContent) => boolean) =>
    (await sessionOf().event('chat_message_changed', (event) => event.messageId === messageId && fits(event.content)))
      .content

  ofPage('links are reported with their addresses, emoji and line ends are reported unchanged', async () => {
    const text = 'Hi 👋 all,\nsee https://example.org/a?b=1&c=2'
    sessionOf().meeting.say('ann', text)
    expect((await reported(text)).links).toEqual([
      { text: 'https://example.org/a?b=1&c=2', url: 'https://example.org/a?b=1&c=2' },
    ])
  })

  ofChat('named links')('words that lead elsewhere keep their address; a hostile one is text', async () => {
    const { meeting } = sessionOf()
    const text = 'Read the plan @Cléo Ñandú, not the trap'
    const links = [
      { text: 'the plan', url: 'https://example.org/plan' },
      { text: 'the trap', url: 'javascript:alert(1)' },
    ]
    meeting.say('ann', text, { links, mentions: ['Cléo Ñandú'] })
    const message = await reported(text)
    // The meeting's channel may report the text first, and the panel its links later.
    const whole = message.links ? message : await changed(message.id, (content) => content.links !== undefined)
    expect(whole.links).toEqual([{ text: 'the plan', url: 'https://example.org/plan' }])
  })

  ofChat('edits')('an edited message is the same message with another text', async () => {
    const { meeting } = sessionOf()
    const id = meeting.say('ann', 'The first verison')
    const message = await reported('The first verison')
    meeting.editMessage(id, 'The first version')
    expect(await changed(message.id, ({ text }) => text === 'The first version')).toMatchObject({ isEdited: true })
    expect(heard(sessionOf().events).filter(({ text }) => text === 'The first version')).toEqual([])
  })

  ofChat('deletions')('a deleted message is reported as deleted, without its text', async () => {
    const { meeting } = sessionOf()
    const id = meeting.say('ann', 'Take this back')
    meeting.say('ben', 'This stays')
    const message = await reported('Take this back')
    await reported('This stays')
    meeting.deleteMessage(id)
    expect(await changed(message.id, ({ isDeleted }) => isDeleted === true)).toEqual({ text: '', isDeleted: true })
  })

  ofChat('files')('files are named', async () => {
    const file = { name: 'plan <1>.pdf', url: 'https://files.example.org/plan', bytes: 4096 }
    sessionOf().meeting.say('ann', 'The file', { file })
    const [named] = (await reported('The file')).files ?? []
    expect(named).toMatchObject({ name: file.name, bytes: file.bytes })
    expect([file.url, null]).toContain(named?.url)
  })

  ofChat('direct')('a message to the bot alone is marked', async () => {
    sessionOf().meeting.say('ann', 'Between you and me', { isDirect: true })
    expect(await reported('Between you and me')).toMatchObject({ isDirect: true, senderId: idOf('Ann Host') })
    sessionOf().meeting.say('ann', 'For all of you')
    sessionOf().meeting.say('ann', 'And to you again', { isDirect: true })
    expect((await reported('For all of you')).isDirect ?? false).toBe(false)
    await sessionOf().driver.sendChat('Answered to all')
    expect(chatOf(sessionOf().meeting).at(-1)).toBe('Answered to all')
  })

  ofChat('answers')('an answer names the message that it answers', async () => {
    const { meeting } = sessionOf()
    const replyTo = meeting.say('ann', 'Who comes along?')
    const asked = await reported('Who comes along?')
    meeting.say('ben', 'I do', { replyTo })
    expect((await reported('I do')).replyTo).toBe(asked.id)
  })

  ofChat('message reactions')('reactions on a message are reported with the participants who reacted', async () => {
    const { meeting } = sessionOf()
    const id = meeting.say('ann', 'Done!')
    const message = await reported('Done!')
    meeting.react('cleo', '👍', id)
    const { reactions } = await changed(message.id, (content) => (content.reactions?.length ?? 0) > 0)
    expect(reactions).toEqual([{ emoji: '👍', count: 1, participantIds: [idOf('Cléo Ñandú')] }])
  })

  ofChat('reactions')('a reaction in the meeting is reported with its participant', async () => {
    sessionOf().meeting.react('cleo', '👏')
    const event = await sessionOf().event('reaction')
    expect(event).toMatchObject({ emoji: '👏', name: 'Cléo Ñandú', participantId: idOf('Cléo Ñandú') })
    await heartbeats(sessionOf().events, 2)
    expect(sessionOf().events.filter(({ type }) => type === 'reaction')).toHaveLength(1)
    expect(heard(sessionOf().events).filter(({ text }) => /👏|:clap:/u.test(text))).toEqual([])
  })

  ofChat('hands')('a hand is reported when a participant raises it, and when it is lowered', async () => {
    const { meeting } = sessionOf()
    meeting.raiseHand('cleo', true)
    const up = await sessionOf().event('hand_raised', ({ isRaised }) => isRaised)
    expect(up).toMatchObject({ name: 'Cléo Ñandú', participantId: idOf('Cléo Ñandú') })
    meeting.raiseHand('cleo', false)
    await sessionOf().event(
      'hand_raised',
      ({ isRaised, participantId }) => !isRaised && participantId === up.participantId,
    )
    expect(sessionOf().events.filter(({ type }) => type === 'hand_raised')).toHaveLength(2)
  })
}
