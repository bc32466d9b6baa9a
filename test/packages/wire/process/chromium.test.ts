import { expect, test } from 'vitest'
import { chromiumOf, executableOf } from '../../../../packages/wire/process/chromium.ts'

test.each<[named: string | undefined, alone: string, onDisplay: string]>([
  [undefined, '/usr/bin/chromium', '/usr/bin/chromium'],
  ['', '/usr/bin/chromium', '/usr/bin/chromium'],
  ['/opt/chrome', '/opt/chrome', '/opt/chrome'],
  ['headless-shell', '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'],
  ['/opt/headless-shell', '/opt/headless-shell', '/usr/bin/chromium'],
])('STANDIN_CHROMIUM=%s starts %s, and on a display %s', (named, alone, onDisplay) => {
  const chromium = chromiumOf({ STANDIN_CHROMIUM: named })
  expect([false, true].map((isOnDisplay) => executableOf(chromium, isOnDisplay))).toEqual([alone, onDisplay])
})
