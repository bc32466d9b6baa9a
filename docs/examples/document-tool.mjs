// Lets an agent answer from a document: a tool of the agent asks this server, which answers with the paragraphs that fit.
//
//   npm install standardwebhooks
//   WEBHOOK_SECRET=whsec_… node docs/examples/document-tool.mjs handbook.md 9000
//
// The tool in the `agent` of a bot (docs/agents.md), whose `webhook_secret` is the same:
//
//   {"type": "webhook", "name": "search_handbook", "url": "https://example.com/",
//    "description": "Finds paragraphs of the handbook. Answer from them alone, and say so if they do not have it.",
//    "parameters": {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}}

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

/** Bytes; the model needs no more, and the bot takes 8,000. */
const MAX_ANSWER = 4_000

const { WEBHOOK_SECRET } = process.env
const [, , file, port = '9000'] = process.argv
if (!WEBHOOK_SECRET || !file) stop('usage: WEBHOOK_SECRET=whsec_… node document-tool.mjs <text file> [port]', 2)
const webhook = new Webhook(WEBHOOK_SECRET)
const paragraphs = readText(file)
  .split(/\n\s*\n/)
  .map((text) => ({ text: text.trim(), words: new Set(wordsOf(text)) }))
  .filter(({ text }) => text !== '')

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString('utf8')
  try {
    webhook.verify(body, request.headers)
  } catch {
    return response.writeHead(401).end()
  }
  // The arguments are the model's.
  const question = String(JSON.parse(body).data?.arguments?.question ?? '')
  const found = search(question)
  console.log(`${question}: ${found.length} paragraphs`)
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(found.join('\n\n') || 'The document does not have it.')
})
server.on('error', (error) => stop(error.message, 1))
server.listen(Number(port), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${server.address().port}`))

/** Those with the words that few others have come first. */
function search(question) {
  const weights = wordsOf(question).map((word) => {
    const count = paragraphs.filter(({ words }) => words.has(word)).length
    return { word, weight: count === 0 ? 0 : Math.log(1 + paragraphs.length / count) }
  })
  const scored = paragraphs.map(({ text, words }) => ({
    text,
    score: weights.reduce((sum, { word, weight }) => sum + (words.has(word) ? weight : 0), 0),
  }))
  const best = scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ text }) => text)
  while (Buffer.byteLength(best.join('\n\n')) > MAX_ANSWER) best.pop()
  return best
}

function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    stop(error.message, 1)
  }
}

function stop(sentence, exitCode) {
  console.error(sentence)
  process.exit(exitCode)
}
