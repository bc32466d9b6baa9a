import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { InvalidConfig, readServiceConfig, settingsInForce } from '../../../../control-plane/main/config/config.ts'
import { egressOf } from '../../../../control-plane/main/config/egress.ts'

const read = (text: string) => readServiceConfig({}, { STANDIN_EGRESS: text }, '/').egress
const team = randomUUID()

test('the first rule that fits counts, and a rule without a proxy means none', () => {
  const rules = read(
    JSON.stringify([
      { team, platform: 'zoom', proxy: null },
      { team, proxy: 'http://u:p@a.example:3128' },
      { platform: 'meet', proxy: 'socks5://b.example:1080', media: 'direct' },
    ]),
  )
  const other = randomUUID()
  expect(egressOf(rules, team, 'zoom')).toBeNull()
  expect(egressOf(rules, team, 'meet')).toEqual({ proxy: 'http://u:p@a.example:3128', media: 'proxy' })
  expect(egressOf(rules, other, 'meet')).toEqual({ proxy: 'socks5://b.example:1080', media: 'direct' })
  expect(egressOf(rules, other, 'teams')).toBeNull()
  expect(egressOf(readServiceConfig({}, {}, '/').egress, team, 'teams')).toBeNull()
})

test('a file is read, and what is in force is shown without the rules', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'standin-egress-')), 'egress.json')
  writeFileSync(path, JSON.stringify([{ proxy: 'http://user:marker-password@a.example' }]))
  expect(egressOf(read(path), team, 'teams')?.proxy).toContain('marker-password')
  const inline = '[{"proxy":"http://user:marker-password@a.example"}]'
  expect(JSON.stringify(settingsInForce({}, { STANDIN_EGRESS: inline }, new Map()))).not.toContain('marker')
})

describe('a mistake is named by its place, and no value is repeated', () => {
  test.each<[string, string]>([
    ['http://user:marker-password@host', 'neither JSON nor an absolute path'],
    ['/no/such/marker-file', 'cannot be read (ENOENT)'],
    ['{"proxy":"http://a.example"}', 'expected array'],
    ['[{"proxy":"ftp://user:marker@host"}]', 'rule 0.proxy: must be an address that starts with'],
    ['[{"proxy":"socks5://user:marker@host"}]', 'rule 0.proxy: names no port'],
    ['[{"proxy":"http://:marker@host:1"}]', 'rule 0.proxy: has a password and no user'],
    ['[{"proxy":"http://u:marker%ZZ@host:1"}]', 'rule 0.proxy: has a user or a password with a %'],
    ['[{"proxy":"http://marker.example:1/marker"}]', 'rule 0.proxy: has a part behind the port'],
    ['[{"proxy":"http://a.example"},{"proxy":"http://a.example","team":"marker"}]', 'rule 1.team: '],
    ['[{"proxy":"http://a.example","platform":"marker"}]', 'rule 0.platform: '],
    ['[{}]', 'rule 0.proxy: is missing'],
  ])('%s', (text, said) => {
    let message = ''
    try {
      read(text)
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidConfig)
      message = (error as Error).message
    }
    expect(message).toContain(said)
    expect(message).not.toContain('marker')
  })
})
