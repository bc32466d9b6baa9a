/** Stored files, in the order in which people want them. */
import { POSTER } from '@standin/wire/file-names.ts'
import { Download } from 'lucide'
import { sizeOf } from '../../../../../packages/page-parts/size.ts'
import type { Bot, Schemas } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { type Loaded, Shown } from '../../parts/load.tsx'
import { Table } from '../../parts/pieces.tsx'
import { TEXTS } from '../../texts.ts'

export type StoredFile = Schemas['BotFile']

/** docs/artifacts.md explains each of them. */
const TITLES: Readonly<Record<string, string>> = {
  'video.mp4': 'Video',
  'audio.m4a': 'Audio',
  'transcription.srt': 'Transcript as subtitles (SRT)',
  'transcription.vtt': 'Transcript as subtitles (WebVTT)',
  'report.html': 'Page with player, speakers, chat and transcript',
  'chat_messages.json': 'Chat',
  'participants.json': 'Participants',
  'transcription.json': 'Transcript with the time of each word',
  'diarization.jsonl': 'Who spoke when',
  'diarization.rttm': 'Who spoke when (RTTM)',
  'reactions.jsonl': 'Raised hands and reactions',
  'raw_transcription.json': 'Answers of the speech service',
  'events.jsonl': 'All events of the bot',
  'manifest.json': 'List of the files with checksums',
  [POSTER]: 'Picture',
}
const ORDER = Object.keys(TITLES)

function inOrder(files: readonly StoredFile[]): StoredFile[] {
  const placeOf = ({ name }: StoredFile) => (name in TITLES ? ORDER.indexOf(name) : ORDER.length)
  return files.toSorted((one, other) => placeOf(one) - placeOf(other) || (one.name < other.name ? -1 : 1))
}

export function Files({ bot, files }: { bot: Bot; files: Loaded<StoredFile[]> }) {
  if (bot.artifacts_deleted) return <p class="soft">{TEXTS.deleted}</p>
  return (
    <Shown of={files}>
      {(list) => (
        <Table
          texts={{ title: 'Files', columns: ['File', 'Size', ''], empty: 'No file is stored yet.' }}
          entries={inOrder(list)}
          numeric={[1]}
          keyOf={({ name }) => name}
          cells={({ name, bytes, url }) => [
            <>
              {name in TITLES && <b>{TITLES[name]} </b>}
              {url === null ? (
                name
              ) : (
                <a href={url} target="_blank" rel="noopener noreferrer">
                  {name}
                </a>
              )}
            </>,
            sizeOf(bytes),
            url !== null && (
              <a class="button" href={url} download={name.replaceAll('/', '-')}>
                <Icon of={Download} />
                Download
              </a>
            ),
          ]}
        />
      )}
    </Shown>
  )
}
