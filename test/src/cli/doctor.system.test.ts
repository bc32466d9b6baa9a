import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { doctor } from '../../../src/cli/doctor.ts'

test("after set-up, Debian's own programs are all fit", async () => {
  const output = new PassThrough()
  await doctor({ output, environment: {}, json: true })
  output.end()
  const { findings } = JSON.parse(await text(output)) as { findings: { part: string; verdict: string }[] }
  const programs = ['Node', 'setpriv', 'ffmpeg', 'PulseAudio', 'Xvfb', 'Chromium', 'Fonts']
  expect(findings.filter(({ part }) => programs.includes(part))).toEqual(
    programs.map((part) => expect.objectContaining({ part, verdict: 'fit' })),
  )
})
