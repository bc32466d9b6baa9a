/** The structure of a page in the evidence: without people's content, and enough to try words and selectors on. */
import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { replayStructure } from '../../packages/mock/index.ts'
import { useWords } from '../../platforms/index.ts'
import { meetHarness } from './google-meet/harness.ts'
import { jitsiHarness } from './jitsi/harness.ts'
import { teamsHarness } from './microsoft-teams/harness.ts'
import { zoomHarness } from './zoom/harness.ts'

const HARNESSES = { meet: meetHarness(), teams: teamsHarness(), zoom: zoomHarness(), jitsi: jitsiHarness() }
type Name = keyof typeof HARNESSES
const NAMES = Object.keys(HARNESSES) as Name[]
/** Names and messages that must not be seen. */
const PEOPLE = [{ id: 'ann', name: 'Zebedee Quux', isHost: true, camera: true, microphone: true }]
const SECRET = 'The offer is 4711 crowns'
const BOT = /Notes for|Quux|Zebedee|4711|crowns/

const closed = () => ({ isOpen: false, opened: new Promise<void>(() => {}) })
afterEach(() => useWords(SHIPPED_WORDS))

/** The structure once the bot sees this, without a request to join. */
async function beforeJoin(
  name: Name,
  scenario: string,
  options: { rewording?: Record<string, string> },
  wanted: RegExp,
) {
  const { driver, stop } = await HARNESSES[name].attempt(scenario, options)
  const joining = driver.join(stop.signal, closed()).catch(() => {})
  await expect.poll(() => driver.sightings.map(({ seen }) => seen).join('\n'), { timeout: 60_000 }).toMatch(wanted)
  const { structure } = await driver.evidence()
  stop.abort(new Error('Enough was seen'))
  await joining
  return structure!
}

describe.each(NAMES)('%s', (name) => {
  test('before the join the controls are there, and the name of the bot is not', async () => {
    const structure = await beforeJoin(name, 'open', {}, /green room|pre join|preview|prejoin/)
    expect(structure).toMatch(/^<!-- standin \{"url":"https:\/\/[a-z.]+\//)
    expect(structure).toMatch(/>[^<]*join[^<]*</i)
    expect(structure).not.toMatch(BOT)
    expect(structure).not.toMatch(/<script|onclick|https?:\/\/(?!\S*"\} -->)/)
  })

  test('in the meeting names and messages of people are not in it', async () => {
    const { driver, meeting, stop } = await HARNESSES[name].attempt('open', { people: PEOPLE as never })
    if ((await driver.join(stop.signal)) === 'waiting_room') await driver.waitForAdmission(stop.signal)
    await driver.prepareRecording(stop.signal)
    meeting.say('ann', SECRET)
    await expect.poll(async () => (await driver.evidence()).html?.includes('crowns'), { timeout: 60_000 }).toBe(true)
    const { structure } = await driver.evidence()
    expect(structure).not.toMatch(BOT)
    expect(structure!.length).toBeGreaterThan(2000)
  })
})

test('a page that was not understood is replayed, and changed words understand it', async () => {
  const rewording = {
    launcherApp: 'entryChoice',
    joinInApp: 'useNative',
    joinOnWeb: 'stayHere',
    'Join meeting from this browser': 'Stay here',
    'Continue on this browser': 'Stay here',
  }
  const structure = await beforeJoin('teams', 'launcher-choice-click', { rewording }, /unknown: /)
  expect(structure).toContain('data-tid="stayHere"')
  const replay = await replayStructure(structure)
  const hostMap = replay.hosts.map((host) => ({ host, address: replay.address }))
  const seen = async () => {
    const { driver, stop } = await HARNESSES.teams.attempt('launcher-choice-click', { driver: { hostMap } })
    const joining = driver.join(stop.signal, closed()).catch(() => {})
    const kinds = () => driver.sightings.map((sighting) => sighting.seen.split(':')[0])
    await expect
      .poll(kinds, { timeout: 60_000 })
      .toEqual(expect.arrayContaining([expect.stringMatching(/unknown|launcher/)]))
    stop.abort(new Error('Enough was seen'))
    await joining
    return kinds()
  }
  try {
    expect(await seen()).toContain('unknown')
    const pageWords = structuredClone(SHIPPED_WORDS)
    const { selectors } = pageWords.platforms.teams
    Object.assign(selectors, { launcher: `${selectors.launcher}, #entryChoice` })
    useWords(pageWords)
    expect(await seen()).toContain('launcher')
  } finally {
    await replay.close()
  }
})
