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

const { nav } = TEXTS
/** A page outside of the dashboard has no `show`. */
type NavigationEntry = NavigationPage | { title: string; icon: IconNode; href: string }

export const GROUPS: readonly { title: string; entries: readonly NavigationEntry[] }[] = [
  {
    title: nav.groups.meetings,
    entries: [
      { to: '/', title: nav.live, icon: Radio, role: 'viewer', show: () => <Live /> },
      { to: '/bots', title: nav.bots, icon: Video, role: 'viewer', show: () => <Bots /> },
      { to: '/scheduled', title: nav.scheduled, icon: CalendarClock, role: 'viewer', show: () => <Scheduled /> },
    ],
  },
  {
    title: nav.groups.automation,
    entries: [
      { to: '/calendars', title: nav.calendars, icon: CalendarDays, role: 'viewer', show: () => <Calendars /> },
      { to: '/webhooks', title: nav.webhooks, icon: Webhook, role: 'viewer', show: () => <Webhooks /> },
    ],
  },
  {
    title: nav.groups.developers,
    entries: [
      { to: '/keys', title: nav.keys, icon: KeyRound, role: 'owner', show: () => <Keys /> },
      { to: '/requests', title: nav.requests, icon: ArrowLeftRight, role: 'owner', show: () => <Requests /> },
      { to: '/audit-log', title: nav.auditLog, icon: ScrollText, role: 'owner', show: () => <AuditLog /> },
      { href: `${ROOT}/docs`, title: nav.docs, icon: Braces },
      { href: `${ROOT}/help`, title: nav.help, icon: BookOpen },
    ],
  },
  {
    title: nav.groups.settings,
    entries: [
      { to: '/team', title: nav.team, icon: Users, role: 'viewer', show: () => <Team /> },
      { to: '/usage', title: nav.usage, icon: ChartColumn, role: 'viewer', show: () => <Usage /> },
      { to: '/accounts', title: nav.accounts, icon: IdCard, role: 'viewer', show: () => <Accounts /> },
      { to: '/connections', title: nav.connections, icon: LinkIcon, role: 'viewer', show: () => <Connections /> },
      { to: '/account', title: nav.account, icon: CircleUser, role: 'viewer', show: () => <Account /> },
      { to: '/system', title: nav.system, icon: Activity, role: 'operator', show: () => <System /> },
    ],
  },
]

const SEND: Page = { title: nav.send, role: 'member', show: () => <Send /> }

export const isAllowed = (entry: NavigationEntry): boolean => 'href' in entry || may(entry.role)

const listed = (to: string, title: string) => ({ title, role: 'viewer' as const, list: { to, title } })

/** Null if there is no page at this path. */
export function pageOf(at: string): Page | null {
  const [, kind, id] = /^\/(bots|calendars)\/([0-9a-f-]{36})$/.exec(at) ?? []
  if (kind === 'bots') return { ...listed('/bots', nav.bots), show: () => <Bot key={id} id={id!} /> }
  if (kind === 'calendars')
    return { ...listed('/calendars', nav.calendars), show: () => <Calendar key={id} id={id!} /> }
  if (at === '/send') return SEND
  const wanted = at === '/sign-in' ? '/' : at
  const entries = GROUPS.flatMap((group) => group.entries)
  return entries.find((entry): entry is NavigationPage => 'to' in entry && entry.to === wanted) ?? null
}
