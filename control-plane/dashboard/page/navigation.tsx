/** The pages of the dashboard, in the groups of its navigation. */

import {
  Activity,
  ArrowLeftRight,
  BookOpen,
  Braces,
  CalendarClock,
  CalendarDays,
  ChartColumn,
  CircleUser,
  type IconNode,
  IdCard,
  KeyRound,
  Link as LinkIcon,
  Radio,
  ScrollText,
  Users,
  Video,
  Webhook,
} from 'lucide'
import type { ComponentChildren } from 'preact'
import type { Role } from './api.ts'
import { Account } from './pages/account.tsx'
import { Accounts } from './pages/accounts.tsx'
import { AuditLog } from './pages/audit-log.tsx'
import { Bot } from './pages/bot/index.tsx'
import { Bots } from './pages/bots.tsx'
import { Calendar } from './pages/calendar.tsx'
import { Calendars } from './pages/calendars.tsx'
import { Connections } from './pages/connections.tsx'
import { Keys } from './pages/keys.tsx'
import { Live } from './pages/live.tsx'
import { Requests } from './pages/requests.tsx'
import { Scheduled } from './pages/scheduled.tsx'
import { Send } from './pages/send.tsx'
import { System } from './pages/system.tsx'
import { Team } from './pages/team.tsx'
import { Usage } from './pages/usage.tsx'
import { Webhooks } from './pages/webhooks.tsx'
import { ROOT } from './place.ts'
import { may } from './session.ts'
import { TEXTS } from './texts.ts'

const BOTS = 'All meetings'
const CALENDARS = 'Calendars'

interface Page {
  title: string
  role: Role | 'operator'
  /** The list that this page belongs to. */
  list?: { to: string; title: string }
  show: () => ComponentChildren
}
interface NavigationPage extends Page {
  to: string
  icon: IconNode
}
/** A page outside of the dashboard has no `show`. */
type NavigationEntry = NavigationPage | { title: string; icon: IconNode; href: string }

export const GROUPS: readonly { title: string; entries: readonly NavigationEntry[] }[] = [
  {
    title: 'Meetings',
    entries: [
      { to: '/', title: 'Live', icon: Radio, role: 'viewer', show: () => <Live /> },
      { to: '/bots', title: BOTS, icon: Video, role: 'viewer', show: () => <Bots /> },
      { to: '/scheduled', title: 'Scheduled', icon: CalendarClock, role: 'viewer', show: () => <Scheduled /> },
    ],
  },
  {
    title: 'Automation',
    entries: [
      { to: '/calendars', title: CALENDARS, icon: CalendarDays, role: 'viewer', show: () => <Calendars /> },
      { to: '/webhooks', title: 'Webhooks', icon: Webhook, role: 'viewer', show: () => <Webhooks /> },
    ],
  },
  {
    title: 'Developers',
    entries: [
      { to: '/keys', title: 'API keys', icon: KeyRound, role: 'owner', show: () => <Keys /> },
      { to: '/requests', title: 'Requests', icon: ArrowLeftRight, role: 'owner', show: () => <Requests /> },
      { to: '/audit-log', title: 'Audit log', icon: ScrollText, role: 'owner', show: () => <AuditLog /> },
      { href: `${ROOT}/docs`, title: 'API reference', icon: Braces },
      { href: `${ROOT}/help`, title: 'Documentation', icon: BookOpen },
    ],
  },
  {
    title: 'Settings',
    entries: [
      { to: '/team', title: 'Team', icon: Users, role: 'viewer', show: () => <Team /> },
      { to: '/usage', title: 'Usage', icon: ChartColumn, role: 'viewer', show: () => <Usage /> },
      { to: '/accounts', title: 'Accounts of bots', icon: IdCard, role: 'viewer', show: () => <Accounts /> },
      { to: '/connections', title: 'Zoom and Teams', icon: LinkIcon, role: 'viewer', show: () => <Connections /> },
      { to: '/system', title: 'System', icon: Activity, role: 'operator', show: () => <System /> },
    ],
  },
]

/** Behind the name of the person. */
export const ACCOUNT: NavigationPage = {
  ...{ to: '/account', title: 'Your account', icon: CircleUser, role: 'viewer' },
  show: () => <Account />,
}
const SEND: Page = { title: TEXTS.sendBot, role: 'member', show: () => <Send /> }

export const isAllowed = (entry: NavigationEntry): boolean => 'href' in entry || may(entry.role)

const listed = (to: string, title: string) => ({ title, role: 'viewer' as const, list: { to, title } })

/** Null if there is no page at this path. */
export function pageOf(at: string): Page | null {
  const [, kind, id] = /^\/(bots|calendars)\/([0-9a-f-]{36})$/.exec(at) ?? []
  if (kind === 'bots') return { ...listed('/bots', BOTS), show: () => <Bot key={id} id={id!} /> }
  if (kind === 'calendars') return { ...listed('/calendars', CALENDARS), show: () => <Calendar key={id} id={id!} /> }
  if (at === '/send') return SEND
  const wanted = at === '/sign-in' ? '/' : at
  const entries = [ACCOUNT, ...GROUPS.flatMap((group) => group.entries)]
  return entries.find((entry): entry is NavigationPage => 'to' in entry && entry.to === wanted) ?? null
}
