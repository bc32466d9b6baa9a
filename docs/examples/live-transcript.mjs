// Prints what is said in a meeting while it is said: node live-transcript.mjs <bot id>
// Needs STANDIN_URL and STANDIN_API_KEY. A connection that breaks is opened again, and nothing is missed or repeated.
const [botId] = process.argv.slice(2)
const address = `${process.env.STANDIN_URL}/v2/bots/${botId}/events/stream?types=transcript,chat_message,status_change`
let lastId = ''

function show({ type, data }) {
  if (type === 'transcript') console.log(`${data.speaker?.name ?? 'Unknown'}: ${data.text}`)
  if (type === 'chat_message') console.log(`${data.sender_name ?? 'Unknown'} (chat): ${data.text}`)
  if (type === 'status_change') console.log(`[${data.status}]`)
}

/** True once the bot has ended. */
async function follow() {
  const headers = { 'x-service-api-key': process.env.STANDIN_API_KEY, ...(lastId && { 'last-event-id': lastId }) }
  const response = await fetch(address, { headers })
  if (response.status === 204) return true
  if (response.status < 500 && !response.ok) throw new Error((await response.json()).message)
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
while (!(await follow().catch((error) => (isBroken(error) ? false : Promise.reject(error)))))
  await new Promise((resolve) => setTimeout(resolve, 1000))
