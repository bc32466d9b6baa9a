/** Captions from their two sources, the data channel and the captions window, as one. */

import { CaptionRows, type ShownCaption } from '../../shared/page/chat/caption-rows.ts'
import { plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import type { Wording } from '../../shared/page/dom/wording.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import type { PageEvent } from '../../shared/page/types.ts'
import type { ChannelCaption } from './main-channel.ts'
import { isOwnName, nameOf } from './names.ts'
import type { People } from './people.ts'
import type { PageConfig } from './types.ts'

export interface CaptionParts {
  config: PageConfig
  people: People
  wording: Wording
  emit(event: PageEvent): void
  /** Receives the id of each person of whom a new word was captioned, even if the driver wants no captions. */
  onSpeaker(participantId: string): void
}

export function createCaptionEvents({ config, people, wording, emit, onSpeaker }: CaptionParts) {
  const reader = createCaptionReader(config.selectors)
  /** Open rows of the channel, by their speaker. */
  const channelRows = new Map<string, number>()
  let channelRowCount = 0
  const rows = new CaptionRows(
    ({ name: shown, ...row }) => {
      const name = nameOf(shown, wording.says)
      if (isOwnName(shown, config.botName, wording.says)) return
      emit({ type: 'caption', ...row, participantId: people.idOfName(name), name })
    },
    { mayHaveChannel: true },
  )

  /** Rows of the channel have no key: a speaker's next row begins when the last one is final. */
  function handleRecord({ mri, text, isFinal, startedAt }: ChannelCaption, participantId: string | null): void {
    if (!config.captions || mri === people.selfMri) return
    rows.leaveToChannel()
    const row = channelRows.get(mri) ?? ++channelRowCount
    if (isFinal) channelRows.delete(mri)
    else channelRows.set(mri, row)
    const name = participantId === null ? '' : (people.present().find(({ id }) => id === participantId)?.name ?? '')
    const common = { key: `channel-${row}`, participantId, name, text, isFinal, at: pageNow() }
    emit({ type: 'caption', ...common, startedAt: startedAt ?? undefined })
  }

  return {
    handleRecords(records: readonly ChannelCaption[]): void {
      for (const record of records) {
        const id = people.idOfMri(record.mri)
        if (id !== null) onSpeaker(id)
        handleRecord(record, id)
      }
    },
    /** Reads the captions window, which counts until the channel carries a caption. */
    read(at: number): void {
      for (const author of reader.read()) {
        const id = people.idOfName(nameOf(author, wording.says))
        if (id !== null) onSpeaker(id)
      }
      if (config.captions) rows.update(reader.rows(), at)
    },
  }
}

/** Reads the captions on the page: a person whose text grew is speaking. */
function createCaptionReader(selectors: PageConfig['selectors']) {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const window = () => document.querySelector(select('captions'))
  let last: { author: string; text: string } | null = null
  /** Names and texts are separate leaves, paired by their order. */
  function rows(): ShownCaption[] {
    const shown = window()
    if (!shown) return []
    const authors = [...shown.querySelectorAll(select('captionAuthor'))]
    const texts = [...shown.querySelectorAll(select('captionText'))]
    return texts.slice(0, authors.length).map((element, index) => ({
      element,
      name: plain(textWithout(authors[index]!, select('icon'))),
      text: element.textContent ?? '',
    }))
  }

  return {
    /** All rows of the window. */
    rows,
    /** Names of people whose caption is new or grew since the last poll. */
    read(): string[] {
      const newest = rows().at(-1)
      if (!newest) return []
      const { name: author, text } = newest
      const hasGrown = last === null || last.author !== author || last.text !== text
      last = { author, text }
      return hasGrown && author !== '' ? [author] : []
    },
  }
}
