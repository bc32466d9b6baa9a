import { Download } from 'lucide'
import { sizeOf } from '../../../../../packages/page-parts/size.ts'
import { type Bot, dataOf, v2 } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { Table } from '../../parts/pieces.tsx'
import { TEXTS } from '../../texts.ts'

/** Stored files with links to download or open them. Links work for 15 minutes, so they are read with the bot. */
export function Files({ bot }: { bot: Bot }) {
  const path = { bot_id: bot.bot_id }
  const files = useLoaded(() => dataOf(v2.GET('/v2/bots/{bot_id}/files', { params: { path } })), undefined, [bot])
  if (bot.artifacts_deleted) return <p class="soft">{TEXTS.deleted}</p>
  return (
    <Shown of={files}>
      {(list) => (
        <Table
          texts={{ title: 'Files', columns: ['File', 'Size', ''], empty: 'No file is stored yet.' }}
          entries={list}
          numeric={[1]}
          keyOf={({ name }) => name}
          cells={({ name, bytes, url }) => [
            url === null ? (
              name
            ) : (
              <a href={url} target="_blank" rel="noopener noreferrer">
                {name}
              </a>
            ),
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
