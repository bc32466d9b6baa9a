import { readHostMapping } from '@standin/wire/network/host-mapping.ts'
import { expect, test } from 'vitest'

test.each([
  ['Meet.Google.com=localhost:443', { host: 'meet.google.com', address: '127.0.0.1:443' }],
  ['zoom.us=[::1]:80', { host: 'zoom.us', address: '[::1]:80' }],
  ['zoom.us=example.com:80', null],
  ['zoom.us=127.0.0.1', null],
  ['=127.0.0.1:80', null],
])('%s', (text, mapping) => {
  expect(readHostMapping(text)).toEqual(mapping)
})
