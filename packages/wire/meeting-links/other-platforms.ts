/** Sentences about links that lead to a meeting which no bot joins. Pure. */
import { MEETING_PLATFORMS, PLATFORM_TITLES } from '../platforms.ts'
import type { Refused } from './types.ts'

/** Their hosts, with every host below them; a path where the host has other pages too. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  Webex: ['webex.com', 'webex.com.cn'],
  'GoTo Meeting': ['gotomeeting.com', 'gotomeet.me', 'meet.goto.com', 'app.goto.com', 'gotowebinar.com'],
  Whereby: ['whereby.com'],
  RingCentral: ['meetings.ringcentral.com', 'v.ringcentral.com', 'video.ringcentral.com'],
  'Amazon Chime': ['chime.aws'],
  BlueJeans: ['bluejeans.com'],
  Skype: ['join.skype.com', 'meet.lync.com'],
  Slack: ['slack.com/huddle'],
  Discord: ['discord.gg', 'discord.com/channels', 'discord.com/invite'],
  FaceTime: ['facetime.apple.com'],
  'Zoho Meeting': ['meet.zoho.com', 'meet.zoho.eu', 'meet.zoho.in', 'meeting.zoho.com', 'meeting.zoho.eu'],
  Dialpad: ['meetings.dialpad.com'],
  Daily: ['daily.co'],
  Livestorm: ['app.livestorm.co'],
  Lark: ['vc.larksuite.com', 'vc.feishu.cn'],
  'Tencent Meeting': ['meeting.tencent.com', 'voovmeeting.com'],
  Telemost: ['telemost.yandex.ru', 'telemost.360.yandex.ru'],
  'Element Call': ['call.element.io'],
  StreamYard: ['streamyard.com'],
  Riverside: ['riverside.fm'],
}
const JOINED = new Intl.ListFormat('en').format(MEETING_PLATFORMS.map((platform) => PLATFORM_TITLES[platform]))

/** One or two names, as rooms of Jitsi Meet have them behind their host; no file and no page of a form. */
const LIKE_A_ROOM = /^\/(?:[^/.]{1,100}\/)?[^/.]{3,100}\/?$/

/** Names of the platforms that bots join, in hosts that are not theirs. */
const LIKE_OURS = /google|microsoft|teams|zoom|jit\.si|8x8/

/** `links`: of a text that leads to no meeting of a platform that bots join. Null: nothing is known about them. */
export function readOtherPlatform(links: readonly URL[]): Refused | null {
  const other = Object.keys(OTHERS).find((name) =>
    links.some((link) => OTHERS[name]!.some((place) => isAt(link, place))),
  )
  if (other !== undefined) return { problem: `${other} is not supported; bots join ${JOINED}.` }
  const [link] = links
  if (link === undefined || links.length > 1) return null
  const { host, pathname, search, username } = link
  if (search !== '' || username !== '' || LIKE_OURS.test(host) || !LIKE_A_ROOM.test(pathname)) return null
  return {
    problem:
      `The server ${host} is not known; bots join ${JOINED}. If it runs Jitsi Meet, name it: ` +
      `STANDIN_JITSI_HOSTS=${host} for the service, --jitsi-host ${host} for a single bot.`,
  }
}

function isAt({ hostname, pathname }: URL, place: string): boolean {
  const [name, path = ''] = place.split(/(?=\/)/, 2) as [string, string?]
  return (hostname === name || hostname.endsWith(`.${name}`)) && pathname.startsWith(path)
}
