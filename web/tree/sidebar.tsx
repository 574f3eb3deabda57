import { statusNames } from "../shown/status-names.ts"
import { counts, filterBy, hasNone, hasOlder, search, sessions, showOlder, shown } from "../state/sessions.ts"
import { SessionTree } from "./session-tree.tsx"
import { StopAll } from "./stop-all.tsx"

const typeMs = 200
let typing: ReturnType<typeof setTimeout> | undefined

/** The list of sessions, with a search. */
export const Sidebar = ({ current }: { readonly current: string | undefined }) => (
  <section id="sessions" aria-label="Sessions">
    <div class="bar">
      <input
        id="search"
        type="search"
        placeholder="Filter by title, label or id"
        aria-label="Search sessions"
        defaultValue={search.value}
        onInput={(event) => {
          const q = event.currentTarget.value
          clearTimeout(typing)
          typing = setTimeout(() => filterBy({ q }), typeMs)
        }}
      />
      <select
        id="filter"
        aria-label="Show"
        value={shown.value}
        onChange={(event) => filterBy({ shown: event.currentTarget.value })}
      >
        <option value="">all</option>
        {statusNames.map((name) => (
          <option key={name} value={name}>
            {name.replaceAll("_", " ")} ({counts.value?.[name] ?? 0})
          </option>
        ))}
        <option value="archived">archived</option>
      </select>
    </div>
    <SessionTree current={current} />
    {hasOlder.value && <button onClick={() => void showOlder()}>Older sessions</button>}
    {sessions.value === undefined && <p class="empty">Reading the sessions …</p>}
    {sessions.value?.length === 0 && (
      <p class="empty">
        {hasNone.value ? (
          <>
            No session yet. Start one here, with <code>adjutant run</code>, over HTTP or MCP.
          </>
        ) : (
          "No session matches."
        )}
      </p>
    )}
    {/* A search counts only what it finds, and this stops all. */}
    {sessions.value !== undefined && !hasNone.value && search.value === "" && shown.value !== "archived" && <StopAll />}
  </section>
)
