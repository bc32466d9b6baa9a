// Prints what is said in a meeting while it is said: node live-transcript.mjs <bot id>
// Needs STANDIN_URL and STANDIN_API_KEY. A connection that breaks is opened again, and nothing is missed or repeated.
const [botId] = process.argv.slice(2)
const { STANDIN_URL: url, STANDIN_API_KEY: key } = process.env
if (!botId || !URL.canParse(url) || !key) {
  console.error('usage: STANDIN_URL=http://127.0.0.1:8080 STANDIN_API_KEY=… node live-transcript.mjs <bot id>')
  process.exit(2)
}
const address = `${url.replace(/\/$/, '')}/v2/bots/${botId}/events/stream?types=transcript,chat_message,status_change`
let lastId = ''

function show({ type, data }) {
  if (type === 'transcript') console.log(`${data.speaker?.name ?? 'Unknown'}: ${data.text}`)
  if (type === 'chat_message') console.log(`${data.sender_name ?? 'Unknown'} (chat): ${data.text}`)
  if (type === 'status_change') console.log(`[${data.status}]`)
}

/** True once the bot has ended. */
async function follow() {
  const headers = { 'x-service-api-key': key, ...(lastId && { 'last-event-id': lastId }) }
  const response = await fetch(address, { headers })
  if (response.status === 204) return true
  if (response.status < 500 && !response.ok) {
    console.error((await response.json()).message)
    process.exit(1)
  }
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split('\n\n')
    text = events.pop()
    for (const event of events) {
      if (event.startsWith('event: end')) return true
      const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(event) ?? []
      if (id === undefined) continue
      lastId = id
      show(JSON.parse(data))
    }
  }
  return false
}

const isBroken = (error) => error instanceof TypeError
function lost(error) {
  if (!isBroken(error)) throw error
  console.error(`No connection to ${url} (${error.cause?.code ?? error.message}); trying again`)
  return false
}
while (!(await follow().catch(lost))) await new Promise((resolve) => setTimeout(resolve, 1000))
