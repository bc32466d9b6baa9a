/** The frame around every page, with navigation and the signed-in person. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { dashboard, type Role } from './api.ts'
import { closeFeed, openFeed } from './feed.ts'
import { Account } from './pages/account.tsx'
import { Alerts } from './pages/alerts/index.tsx'
import { AuditLog } from './pages/audit-log.tsx'
import { Bot } from './pages/bot/index.tsx'
import { Bots } from './pages/bots.tsx'
import { Calendar } from './pages/calendar.tsx'
import { Calendars } from './pages/calendars.tsx'
import { Connections } from './pages/connections.tsx'
import { Keys } from './pages/keys.tsx'
import { Live } from './pages/live.tsx'
import { Scheduled } from './pages/scheduled.tsx'
import { Send } from './pages/send.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { System } from './pages/system.tsx'
import { Team } from './pages/team.tsx'
import { Usage } from './pages/usage.tsx'
import { Webhooks } from './pages/webhooks.tsx'
import { Link, path } from './router.tsx'
import { may, me } from './session.ts'
import { TEXTS } from './texts.ts'

interface Page {
  title: string
  role: Role | 'operator'
  show: () => ComponentChildren
}

const PAGES: Record<string, Page> = {
  '/': { title: TEXTS.nav.live, role: 'viewer', show: () => <Live /> },
  '/bots': { title: TEXTS.nav.bots, role: 'viewer', show: () => <Bots /> },
  '/send': { title: TEXTS.nav.send, role: 'member', show: () => <Send /> },
  '/scheduled': { title: TEXTS.nav.scheduled, role: 'viewer', show: () => <Scheduled /> },
  '/calendars': { title: TEXTS.nav.calendars, role: 'viewer', show: () => <Calendars /> },
  '/connections': { title: TEXTS.nav.connections, role: 'viewer', show: () => <Connections /> },
  '/webhooks': { title: TEXTS.nav.webhooks, role: 'viewer', show: () => <Webhooks /> },
  '/alerts': { title: TEXTS.nav.alerts, role: 'viewer', show: () => <Alerts /> },
  '/usage': { title: TEXTS.nav.usage, role: 'viewer', show: () => <Usage /> },
  '/keys': { title: TEXTS.nav.keys, role: 'owner', show: () => <Keys /> },
  '/team': { title: TEXTS.nav.team, role: 'viewer', show: () => <Team /> },
  '/audit-log': { title: TEXTS.nav.auditLog, role: 'owner', show: () => <AuditLog /> },
  '/system': { title: TEXTS.nav.system, role: 'operator', show: () => <System /> },
  '/account': { title: TEXTS.nav.account, role: 'viewer', show: () => <Account /> },
}

function pageOf(at: string): Page | null {
  const [, kind, id] = /^\/(bots|calendars)\/([0-9a-f-]{36})$/.exec(at) ?? []
  if (kind === 'bots') return { title: TEXTS.nav.bots, role: 'viewer', show: () => <Bot key={id} id={id!} /> }
  if (kind === 'calendars')
    return { title: TEXTS.nav.calendars, role: 'viewer', show: () => <Calendar key={id} id={id!} /> }
  return PAGES[at === '/sign-in' ? '/' : at] ?? null
}

export function App() {
  const person = me.value
  useEffect(() => {
    if (person) openFeed()
    else closeFeed()
  }, [person?.person_id])
  const page = pageOf(path.value)
  useEffect(() => {
    document.title = `${page?.title ?? TEXTS.product} · ${TEXTS.product}`
  }, [page?.title])
  if (person === undefined) return <p class="sign-in">{TEXTS.loading}</p>
  if (person === null) return <SignIn />
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {TEXTS.skip}
      </a>
      <header class="side">
        <p class="brand">{TEXTS.product}</p>
        <nav aria-label={TEXTS.product}>
          {Object.entries(PAGES)
            .filter(([, { role }]) => may(role))
            .map(([to, { title }]) => (
              <Link key={to} to={to}>
                {title}
              </Link>
            ))}
        </nav>
        <div class="who">
          <span>
            <bdi>{person.name}</bdi> · {TEXTS.team.roles[person.role]} · <bdi>{person.team.name}</bdi>
          </span>{' '}
          <button
            type="button"
            onClick={async () => {
              await dashboard.POST('/sign-out').catch(() => {})
              me.value = null
            }}
          >
            {TEXTS.signOut}
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {page === null ? (
          <p>{TEXTS.notFound}</p>
        ) : may(page.role) ? (
          page.show()
        ) : (
          <p>{TEXTS.forbidden(TEXTS.team.roles[person.role])}</p>
        )}
      </main>
    </div>
  )
}
