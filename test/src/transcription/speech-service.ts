/** A server that speaks OpenAI's `POST /audio/transcriptions` and answers what the test says. */
import { onTestFinished } from 'vitest'
import { type Answer, openService } from './service.ts'

export interface Asked {
  path: string
  authorization: string | undefined
  fields: [string, string][]
  file: Uint8Array
}

type Behavior = (asked: Asked, number: number) => Answer | Promise<Answer>

/** For one test: it is closed when the test is over. */
export async function startSpeechService(answer: Behavior) {
  const { close, ...service } = await openSpeechService(answer)
  onTestFinished(close)
  return service
}

export async function openSpeechService(answer: Behavior) {
  const asked: Asked[] = []
  const { port, close } = await openService({
    async answer({ url, headers }, body) {
      const type = headers['content-type'] ?? ''
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
      const entry: Asked = {
        path: url ?? '',
        authorization: headers.authorization,
        fields: [...form].flatMap(([name, value]): [string, string][] =>
          typeof value === 'string' ? [[name, value]] : [],
        ),
        file: new Uint8Array(await (form.get('file') as File).arrayBuffer()),
      }
      asked.push(entry)
      return answer(entry, asked.length)
    },
  })
  return { url: `http://127.0.0.1:${port}/v1`, asked, close }
}
