import { Finder, openFinder } from "./find/finder.tsx"
import { Home } from "./home/home.tsx"
import { SignIn } from "./parts/sign-in.tsx"
import { ProfilesPane } from "./profiles/profiles-pane.tsx"
import { keyState } from "./review/key-state.ts"
import { ReviewPane } from "./review/review-pane.tsx"
import { SessionPane } from "./session/session-pane.tsx"
import { StartRun } from "./start/start-run.tsx"
import { waitingCount } from "./state/approvals.ts"
import { trouble } from "./state/connection.ts"
import { askToNotify, canAskToNotify } from "./state/notify.ts"
import { homeLink, profilesLink, reviewLink, type Route, startLink, usageLink } from "./state/address.ts"
import { route } from "./state/route.ts"
import { Sidebar } from "./tree/sidebar.tsx"
import { UsagePane } from "./usage/usage-pane.tsx"

const Nav = ({ view }: { readonly view: Route["view"] }) => {
  const current = (own: Route["view"]) => (own === view ? { "aria-current": "page" as const } : {})
  return (
    <header>
      <button class="skip" onClick={() => document.querySelector<HTMLElement>("#pane")?.focus()}>
        Skip to the content
      </button>
      <h1>
        <a href={homeLink}>Adjutant</a>
      </h1>
      <nav aria-label="Views">
        <a class="button" href={homeLink} {...current("home")}>
          Sessions
        </a>
        <a class="button" href={reviewLink()} {...current("review")}>
          Review {waitingCount.value > 0 && <span class="badge">{waitingCount.value}</span>}
        </a>
        <a class="button" href={startLink} {...current("start")}>
          New run
        </a>
        <a class="button" href={profilesLink} {...current("profiles")}>
          Profiles
        </a>
        <a class="button" href={usageLink} {...current("usage")}>
          Usage
        </a>
        <button aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K" onClick={openFinder}>
          Find
        </button>
        {canAskToNotify.value && <button onClick={() => void askToNotify()}>Notify me</button>}
      </nav>
    </header>
  )
}

const Pane = ({ at }: { readonly at: Route }) => {
  switch (at.view) {
    case "home":
      return <Home />
    case "start":
      return <StartRun />
    case "profiles":
      return <ProfilesPane name={at.name} />
    case "usage":
      return <UsagePane />
    case "review":
      return <ReviewPane checkpoint={at.checkpoint} />
    case "session":
      return <SessionPane key={at.id} {...at} />
  }
}

export const App = () => {
  const at = route.value
  return (
    <>
      <Nav view={at.view} />
      <p id="connection" role="status">
        {trouble.value}
      </p>
      <p id="keys" role="status">
        {keyState.value.isLocked &&
          "You are typing, but no field has the focus: keys do nothing until you press Escape."}
      </p>
      <main data-view={at.view}>
        <Sidebar current={at.view === "session" ? at.id : undefined} />
        <div id="pane" tabIndex={-1}>
          <Pane at={at} />
        </div>
      </main>
      <Finder />
      <SignIn />
    </>
  )
}
