import { clock } from '../../../packages/page-parts/clock.ts'
import { speakersOf } from '../../../packages/page-parts/speakers.ts'
import type { ReportData } from './data.ts'

const COLUMNS = ['Name', 'Speaking time', 'Share', 'Present']

/** Who was there and how long each participant spoke; the one who spoke longest comes first. */
export function People({ data: { people, turns, seconds } }: { data: ReportData }) {
  const spoken = new Map(speakersOf(turns).map((speaker) => [speaker.person, speaker.seconds]))
  const of = (id: number) => spoken.get(id) ?? 0
  const all = [...spoken.values()].reduce((sum, part) => sum + part, 0)
  if (people.length === 0) return <p class="soft">There were no other participants.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label="Participants">
      <table>
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {people
            .toSorted((one, other) => of(other.id) - of(one.id))
            .map(({ id, name, isHost, voice, visits }) => (
              <tr key={id}>
                <th scope="row">
                  <bdi>{name}</bdi>
                  {isHost && ' (host)'}
                </th>
                <td>
                  {clock(of(id))}{' '}
                  {voice !== null && (
                    <a href={voice} aria-label={`Only the voice of ${name}`}>
                      voice only
                    </a>
                  )}
                </td>
                <td>{all > 0 ? `${Math.round((100 * of(id)) / all)} %` : '–'}</td>
                <td>{visits.map(({ from, to }) => `${clock(from ?? 0)} – ${clock(to ?? seconds)}`).join(', ')}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}
