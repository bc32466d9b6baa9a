/** The words of the OpenAPI document of `/v2` that belong to no single operation. */

export const INTRODUCTION = `Sends bots into online meetings of Google Meet, Microsoft Teams, Zoom and Jitsi Meet. A bot joins, records, streams, chats and
makes a transcript; a webhook brings the result. [All documents](/help), [codes with which a bot ends](/help/errors).

## First request

\`POST /v2/bots\` with two fields. The example of that operation leads into the mock meeting of this service if it has one: it needs no
account anywhere, and about a minute later \`GET /v2/bots/{bot_id}\` has a recording.

## Authentication

Send an API key in the header \`x-service-api-key\` or as \`Authorization: Bearer <key>\`, never in an address. A key belongs to one team and
reaches no data of others; one with the permission \`sending\` may only create bots. On this page you need none while you are signed in to the
dashboard. A 401 says whether the key is missing, unknown, revoked or expired.

## Answers and errors

A success is \`{"success": true, "data": …}\`, a list has \`cursor\` for the next page too. An error is
\`{"success": false, "code": "FST_ERR_…", "statusCode": 409, "message": "…", "details": null}\`: decide by \`code\`, whose beginning is for
compatibility. \`details\` is text or null; with 400 \`problems\` lists places and problems, such as \`{"path": "body/bot_name", "message": "is missing"}\`. Objects of other
teams are a 404. 503 says that the service cannot answer now: repeat the request after \`retry-after\` seconds.

Each answer has \`x-request-id\`, as each line that the request causes in the log of the service. You may send your own: at most 64
letters, digits, \`.\`, \`_\` and \`-\`.

## Limits

Requests that change something are counted per second and team, if the operator has set a limit; each answer then says in
\`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and \`x-ratelimit-reset\` how many are left and in how many seconds all are back. Reading is free, but
two lists of a team are read at once. More than that is a 429 with \`retry-after\`. Teams may also have a daily number of bots.

## Idempotency

With the header \`Idempotency-Key\` a repeated POST that creates something gets the first answer, for 24 hours, and creates nothing. Use it
whenever you repeat a request that got no answer.

## Webhooks

An endpoint of the team gets the events that it wants as signed POST requests ([how to check them](/help/webhooks)); the bodies are below
under Webhooks. A bot can have its own address besides (\`callback_config\`).
`

export const TAGS: readonly { name: string; description: string }[] = [
  {
    name: 'Bots',
    description: 'Send a bot into a meeting now, and see what became of it: status, timeline, people, files, costs.',
  },
  {
    name: 'Bot control',
    description: 'Tell a bot in its meeting what to do. The answer comes once the bot has done it.',
  },
  {
    name: 'Bot data',
    description: 'Delete what an ended bot recorded, make its transcript again, send its webhook again.',
  },
  { name: 'Batches', description: 'Up to 100 bots in one request. A wrong item does not affect the others.' },
  {
    name: 'Scheduled bots',
    description: 'Bots that join at a given time, which can be changed until 4 minutes before.',
  },
  {
    name: 'Conferencing credentials',
    description:
      'Users of Zoom who let your bots join on their behalf. Tokens are fetched when a bot joins, and never shown.',
  },
  {
    name: 'Accounts',
    description:
      'Accounts with which bots join signed in. A session comes from a person who signed in, and is never shown.',
  },
  {
    name: 'Calendars',
    description:
      'Calendars of Google and Microsoft, connected by your own OAuth app. Their next 30 days are kept up to date.',
  },
  { name: 'Calendar events', description: 'The events of connected calendars, with the meeting link of each.' },
  { name: 'Bots of calendar events', description: 'Bots that follow their event: its time, its link, its end.' },
  { name: 'Audit log', description: 'Who of the team changed what.' },
  {
    name: 'Webhooks',
    description: 'Requests that the service sends to the endpoints of a team, and the list of them.',
  },
]
