/** The frame around every page, with navigation and the signed-in person. */
import { effect, signal } from '@preact/signals'
import { ChevronLeft, LogOut, Menu, Plus, X } from 'lucide'
import { useEffect } from 'preact/hooks'
import { type Answers, dashboard, sentenceOf } from './api.ts'
import { askAgain, isAway } from './away.ts'
import { closeFeed, openFeed } from './feed.ts'
import { ACCOUNT, GROUPS, isAllowed, pageOf } from './navigation.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { Questions } from './parts/dialog.tsx'
import { Icon, Mark } from './parts/icon.tsx'
import { Skeleton } from './parts/load.tsx'
import { Palette, PaletteButton } from './parts/palette.tsx'
import { Toasts, toast } from './parts/toasts.tsx'
import { Link, path, visits } from './router.tsx'
import { changeTeam, may, me } from './session.ts'
import { offeredTokens } from './sign-in-tokens.ts'
import { TEXTS } from './texts.ts'

const NOT_FOUND = 'This page does not exist.'
const forbiddenText = (role: string) => `Your role in this team is ${role}, which does not permit this page.`

/** On narrow windows. */
const isMenuOpen = signal(false)
// Together with the address, so that no new page is shown below the open menu.
effect(() => {
  visits.value
  isMenuOpen.value = false
})

export function App() {
  const person = me.value
  useEffect(() => {
    if (person) openFeed()
    else closeFeed()
  }, [person?.person_id])
  // Not before it is known whether a session is open, which a link must not replace without a question.
  const isOffered = person !== undefined && offeredTokens.value.length > 0
  const page = pageOf(path.value)
  useEffect(() => {
    document.title = `${page?.title ?? NOT_FOUND} · ${'Standin'}`
  }, [path.value])
  return (
    <>
      <Away />
      {person === null || isOffered ? <SignIn /> : <Frame person={person} />}
      {person && !isOffered && <Palette />}
      <Questions />
      <Toasts />
    </>
  )
}

function Away() {
  return (
    <div role="alert">
      {isAway.value && (
        <p class="banner">
          The service does not answer. Trying again …{' '}
          <button type="button" onClick={askAgain}>
            Try again
          </button>
        </p>
      )}
    </div>
  )
}

/** Shows the frame alone until the person is known. */
function Frame({ person }: { person: Answers['Me'] | undefined }) {
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class={isMenuOpen.value ? 'side open' : 'side'}>
        <div class="brand">
          <Mark />
          <span>Standin</span>
          <button
            type="button"
            class="bare menu"
            aria-expanded={isMenuOpen.value}
            aria-controls="menu"
            aria-label="Menu"
            onClick={() => {
              isMenuOpen.value = !isMenuOpen.value
            }}
          >
            <Icon of={isMenuOpen.value ? X : Menu} />
          </button>
        </div>
        {person !== undefined && (
          <div id="menu">
            <Team person={person} />
            <PaletteButton />
            <Navigation />
            <Person person={person} />
          </div>
        )}
      </header>
      <main id="content" tabIndex={-1}>
        {person === undefined ? <Skeleton /> : <Content person={person} />}
      </main>
    </div>
  )
}

function Navigation() {
  return (
    <nav aria-label="Standin">
      {may('member') && (
        <Link to="/send" class="button main">
          <Icon of={Plus} />
          {TEXTS.sendBot}
        </Link>
      )}
      {GROUPS.map(({ title, entries }) => (
        <div key={title}>
          <p class="group" aria-hidden="true">
            {title}
          </p>
          <ul aria-label={title}>
            {entries.filter(isAllowed).map((entry) => (
              <li key={entry.title}>
                {'href' in entry ? (
                  <a href={entry.href}>
                    <Icon of={entry.icon} />
                    {entry.title}
                  </a>
                ) : (
                  <Link to={entry.to}>
                    <Icon of={entry.icon} />
                    {entry.title}
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

function Team({ person }: { person: Answers['Me'] }) {
  if (person.teams.length < 2) return <bdi class="team">{person.team.name}</bdi>
  return (
    <select
      class="team"
      aria-label="Current team"
      value={person.person_id}
      onChange={({ currentTarget }) =>
        void changeTeam(currentTarget.value).catch((error) => {
          currentTarget.value = person.person_id
          toast(sentenceOf(error))
        })
      }
    >
      {person.teams.map(({ person_id, team }) => (
        <option key={person_id} value={person_id}>
          {team}
        </option>
      ))}
    </select>
  )
}

function Person({ person }: { person: Answers['Me'] }) {
  return (
    <div class="who">
      <Link to={ACCOUNT.to} title={ACCOUNT.title}>
        <span>
          <bdi>{person.name}</bdi> · {TEXTS.roles[person.role]}
        </span>
      </Link>
      <button
        type="button"
        class="bare"
        onClick={async () => {
          await dashboard.POST('/sign-out').catch(() => {})
          me.value = null
        }}
      >
        <Icon of={LogOut} />
        Sign out
      </button>
    </div>
  )
}

function Content({ person }: { person: Answers['Me'] }) {
  const page = pageOf(path.value)
  if (page !== null && may(page.role))
    return (
      <>
        {page.list && (
          <nav class="crumbs" aria-label="Breadcrumbs">
            <Link to={page.list.to} aria-current="false">
              <Icon of={ChevronLeft} />
              {page.list.title}
            </Link>
          </nav>
        )}
        {page.show()}
      </>
    )
  return (
    <div class="nothing">
      <h1>{page === null ? NOT_FOUND : page.title}</h1>
      <p>
        {page === null
          ? 'The address may be mistyped, or what it named was removed.'
          : forbiddenText(TEXTS.roles[person.role])}
      </p>
      <Link to="/" class="button main">
        Go to the start page
      </Link>
    </div>
  )
}
