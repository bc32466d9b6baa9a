import { wrapMethod } from './dom/patch-native.ts'

/**
 * Calls `heard` with the text of every answer to a call of the page whose address matches, and whose content type, if
 * `type` is given. The page's own use of the answers does not change. To be called at document start.
 */
export function listenToFetch(address: RegExp, heard: (text: string) => void, type = /(?:)/): void {
  wrapMethod(globalThis, 'fetch', (native, _self, given) => {
    const answer = native(...given) as Promise<Response>
    const [request] = given
    const isWanted = (response: Response) => response.ok && type.test(response.headers.get('content-type') ?? '')
    if (address.test(request instanceof Request ? request.url : String(request))) {
      answer
        .then((response) => (isWanted(response) ? response.clone().text() : null))
        .then(
          (text) => {
            if (text !== null) heard(text)
          },
          () => {
            // The page handles a failed call itself.
          },
        )
    }
    return answer
  })
}
