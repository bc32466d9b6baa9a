/** Captions from their two sources, the data channel and the captions region, as one. */
import { CaptionRows } from '../../shared/page/chat/caption-rows.ts'
import type { PageEvent } from '../../shared/page/types.ts'
import { type CaptionRecord, readCaptionRegion } from './captions.ts'
import type { Elements } from './elements.ts'
import type { Roster } from './roster.ts'
import type { PageConfig } from './types.ts'

/** Rows of the channel whose versions are kept. */
const MAX_ROWS = 200

export interface CaptionParts {
  selectors: PageConfig['selectors']
  elements: Pick<Elements, 'says'>
  roster: Roster
  emit(event: PageEvent): void
}

export function createCaptionEvents({ selectors, elements, roster, emit }: CaptionParts) {
  /** Latest version of each row of the channel. */
  const versions = new Map<string, number>()
  const rows = new CaptionRows(
    (row) => {
      if (elements.says('you', row.name)) return
      emit({ type: 'caption', ...row, participantId: roster.named(row.name)?.id ?? null })
    },
    { mayHaveChannel: true },
  )

  return {
    handleRecords(records: readonly CaptionRecord[], at: number): void {
      for (const { deviceId, captionId, version, isFinal, text } of records) {
        const key = `${deviceId}/${captionId}`
        // The channel may deliver an older version after a newer one.
        if (roster.isSelf(deviceId) || version <= (versions.get(key) ?? -1)) continue
        versions.delete(key)
        versions.set(key, version)
        if (versions.size > MAX_ROWS) versions.delete(versions.keys().next().value ?? '')
        rows.leaveToChannel()
        emit({ type: 'caption', key, participantId: deviceId, name: roster.nameOf(deviceId) ?? '', text, isFinal, at })
      }
    },
    /** Reads the captions region, which counts until the channel carries a caption. */
    read(at: number): void {
      const region = document.querySelector(selectors.captionsRegion ?? ':not(*)')
      rows.update(readCaptionRegion(region, selectors.icon ?? 'i'), at)
    },
  }
}
