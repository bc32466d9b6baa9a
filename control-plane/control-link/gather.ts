/** Questions that come one by one and are answered many at a time, so that a wave of bots costs few statements. */

interface Waiting<Question, Answer> {
  question: Question
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Gathers for `waitMs`, or until `most` questions wait, and asks once; `running` askings at the same time at most. An
 * asking that fails fails all its questions.
 */
export function gather<Question, Answer>(
  ask: (questions: Question[]) => Promise<Answer[]>,
  { waitMs, most, running }: { waitMs: number; most: number; running: number },
): (question: Question) => Promise<Answer> {
  const waiting: Waiting<Question, Answer>[] = []
  let timer: NodeJS.Timeout | undefined
  let asking = 0

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    while (waiting.length > 0 && asking < running) void send(waiting.splice(0, most))
  }

  async function send(group: Waiting<Question, Answer>[]): Promise<void> {
    asking += 1
    try {
      const answers = await ask(group.map(({ question }) => question))
      for (const [place, { resolve }] of group.entries()) resolve(answers[place]!)
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      asking -= 1
      if (waiting.length > 0) start()
    }
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (waiting.length >= most) start()
      else timer ??= setTimeout(start, waitMs)
    })
}
