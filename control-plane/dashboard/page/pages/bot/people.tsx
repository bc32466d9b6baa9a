import { clock } from '../../../../../packages/page-parts/clock.ts'
import { speakersOf, type Turn } from '../../../../../packages/page-parts/speakers.ts'
import type { Bot } from '../../api.ts'
import { Table } from '../../parts/pieces.tsx'
import { TEXTS } from '../../texts.ts'

/** The participants and how long each spoke. The one who spoke longest comes first. */
export function People({ bot, turns }: { bot: Bot; turns: readonly Turn[] }) {
  const seconds = new Map(speakersOf(turns).map((speaker) => [speaker.name, speaker.seconds]))
  const all = [...seconds.values()].reduce((sum, part) => sum + part, 0)
  const people = bot.participants
    .map(({ name }) => ({ name, spoke: seconds.get(name) ?? 0 }))
    .toSorted((one, other) => other.spoke - one.spoke)
  return (
    <Table
      texts={{
        title: 'Participants',
        columns: ['Name', 'Talk time', 'Share'],
        empty: 'The bot has not met a participant yet.',
      }}
      entries={people}
      numeric={[1, 2]}
      keyOf={(person) => people.indexOf(person)}
      cells={({ name, spoke }) => [
        <bdi>{name}</bdi>,
        clock(spoke),
        all > 0 ? (
          <>
            <meter min={0} max={all} value={spoke} aria-hidden="true" /> {Math.round((100 * spoke) / all)} %
          </>
        ) : (
          TEXTS.none
        ),
      ]}
    />
  )
}
