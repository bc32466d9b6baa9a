/** Runs in a pod of the trial cluster: the mock of Google Meet, and an address by which the test plays host. */
import { createServer } from 'node:http'
import { startMock } from '../../../packages/mock/index.ts'
import type { MockMeeting } from '../../../packages/mock/types.ts'
import { WITHOUT_CAMERAS } from '../../end-to-end/meeting-script.ts'

export const MEETING_PORT = 8443
export const HOST_PORT = 8080

const actions: Record<string, (meeting: MockMeeting) => void> = {
  admit: (meeting) => meeting.admit(),
  speak: (meeting) => meeting.startSpeaking('ann'),
  silence: (meeting) => meeting.stopSpeaking('ann'),
  end: (meeting) => meeting.endForAll(),
}

if (import.meta.main) {
  const address = process.env.POD_ADDRESS!
  const mock = await startMock('meet', { port: MEETING_PORT, hostPort: null, address })
  const meetings: MockMeeting[] = []
  const server = createServer((request, response) => {
    const [, number, action = ''] = request.url!.split('/')
    if (number === 'open')
      meetings.push(mock.open('waiting-room', { people: [...WITHOUT_CAMERAS], media: { address } }))
    const meeting = number === 'open' ? meetings.at(-1)! : meetings[Number(number)]!
    actions[action]?.(meeting)
    const { url, state, truth, bot } = meeting
    response.end(JSON.stringify({ number: meetings.indexOf(meeting), url, state, truth, isConnected: bot.isConnected }))
  })
  server.listen(HOST_PORT, '0.0.0.0')
}
