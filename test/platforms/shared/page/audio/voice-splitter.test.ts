import { expect, test } from 'vitest'
import { createVoiceSplitter } from '../../../../../platforms/shared/page/audio/voice-splitter.ts'

/** Each letter is one piece of 10 ms: the participant whose sound the stream carries. A dot means none. */
function split(stream: string, certainAfter = 2) {
  const said: Record<string, string> = {}
  const log: string[] = []
  const splitter = createVoiceSplitter(certainAfter, {
    speak(owner, { samples, at }, isFirst) {
      if (isFirst) log.push(`${owner} begins at ${at}`)
      const source = samples[0] === 0 ? '.' : String.fromCharCode(samples[0]!)
      said[owner] = (said[owner] ?? '') + source
    },
    pause: (owner) => log.push(`${owner} pauses`),
  })
  for (const [index, owner] of [...stream].entries())
    splitter.add(
      { samples: new Float32Array(480).fill(owner.charCodeAt(0)), at: index * 10 },
      owner === '.' ? null : owner,
    )
  splitter.end()
  return { said, log }
}

test('a stream that is handed on is split, without a word of one in the file of the other', () => {
  const { said, log } = split('aaaaaabbbbbb')
  expect(said.a).toBe('aaaa..')
  expect(said.b).toBe('bbbb')
  expect(log).toEqual(['a begins at 0', 'a pauses', 'b begins at 60', 'b pauses'])
})

test('an owner who is named only for an instant does not change the file of another participant', () => {
  const { said } = split('aaaaaabaaaaaaa')
  expect(said.a).not.toContain('b')
  expect(said.b).toBeUndefined()
})

test('breaths are silent, also where the stream carries a participant who is not known', () => {
  const { said, log } = split(`aaa${'.'.repeat(10)}aaa...`)
  expect(said.a).toBe('aaa..........aaa.')
  expect(log).toHaveLength(2)
})

test('a longer pause ends what was said', () => {
  const { log } = split(`aaa${'.'.repeat(60)}aaa...`)
  expect(log).toEqual(['a begins at 0', 'a pauses', 'a begins at 630', 'a pauses'])
})

test('where owners are known late, more of a change is left out', () => {
  const { said } = split('aaaaaaaaaabbbbbbbbbb', 5)
  expect(said.a).toBe('aaaaa.....')
  expect(said.b).toBe('bbbbb')
})
