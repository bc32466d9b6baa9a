import { signatureHeaders } from '@standin/wire/webhook-signature.ts'
import { expect, test } from 'vitest'

test.each([
  {
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    id: 'msg_loFOjxBNrRLzqYUf',
    timestamp: 1731705121,
    body: '{"event_type":"ping","data":{"success":true}}',
    signature: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  },
  {
    secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    id: 'msg_2StandinTestVector01',
    timestamp: 1795255200,
    body: '{"event":"bot.failed","data":{"bot_id":"00000000-0000-0000-0000-000000000000"}}',
    signature: 'v1,WlZ+GcP+d2iEti1+rSUP2fBMYqxXJjJp/FOHZ75w984=',
  },
])('the published signature of $id', ({ secret, id, timestamp, body, signature }) => {
  expect(signatureHeaders(id, timestamp, body, [secret])['webhook-signature']).toBe(signature)
})
