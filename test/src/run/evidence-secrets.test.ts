import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { registerSecrets } from '../../../core/process/known-secrets.ts'
import { saveEvidence } from '../../../src/run/artifacts.ts'

test('no file of the evidence has a secret of the job', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'standin-evidence-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  registerSecrets({ conf_obf_token: 'obf-7f3a-unique' })
  onTestFinished(() => registerSecrets())
  const said = 'it said obf-7f3a-unique'
  const evidence = {
    screenshot: null,
    html: `<p>${said}</p>`,
    console: [said],
    url: 'https://x.test/obf-7f3a-unique',
    signs: { heading: said, list: [{ text: said }] },
  }
  await saveEvidence(folder, evidence, { code: 'INTERNAL_ERROR', sentence: said, step: said })
  for (const name of ['page.html', 'console.log', 'failure.json']) {
    const text = readFileSync(join(folder, 'debug', name), 'utf8')
    expect(text).toContain('[redacted]')
    expect(text).not.toContain('7f3a')
  }
})
