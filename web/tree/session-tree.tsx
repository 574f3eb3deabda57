import { signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { isFinal } from "../../domain/run/is-final.ts"
import { StatusMark } from "../parts/status-mark.tsx"
import { counted } from "../../domain/text/figures.ts"
import { elapsed, money } from "../shown/figures.ts"
import { prose } from "../shown/prose.ts"
import { statusWords } from "../../domain/operator/status-words.ts"
import { requestText } from "../review/request-text.ts"
import { waitingApproval, approvals } from "../state/approvals.ts"
import { now } from "../state/clock.ts"
import { sessionLink } from "../state/address.ts"
import { go } from "../state/route.ts"
import { sessions } from "../state/sessions.ts"
import { forestOf, type TreeRow } from "./session-forest.ts"

const toggled = signal<ReadonlySet<string>>(new Set())

const toggle = (id: string): void => {
  const next = new Set(toggled.value)
  if (!next.delete(id)) next.add(id)
  toggled.value = next
}

/** The session of the tree to which Tab goes. */
const focused = signal<string | undefined>(undefined)

const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('#tree [role="treeitem"]')]

const focusAt = (all: readonly HTMLElement[], index: number): void =>
  all[Math.min(all.length - 1, Math.max(0, index))]?.focus()

/** Moves the focus through all trees. */
export const moveInTree = (step: number): void => {
  const all = items()
  const at = all.findIndex((item) => item === document.activeElement)
  const start = at === -1 ? all.findIndex((item) => item.ariaSelected === "true") : at
  focusAt(all, start + step)
}

const parentIndex = (all: readonly HTMLElement[], at: number): number =>
  all.findLastIndex((item, index) => index < at && Number(item.ariaLevel) < Number(all[at]?.ariaLevel))

const onKey = (event: KeyboardEvent, { session, isOpen, childCount }: TreeRow): void => {
  const all = items()
  const at = all.findIndex((item) => item === event.currentTarget)
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => focusAt(all, at + 1),
    ArrowUp: () => focusAt(all, at - 1),
    Home: () => focusAt(all, 0),
    End: () => focusAt(all, all.length - 1),
    ArrowRight: () => (childCount > 0 && !isOpen ? toggle(session.id) : focusAt(all, at + Math.min(1, childCount))),
    ArrowLeft: () => (isOpen ? toggle(session.id) : focusAt(all, Math.max(0, parentIndex(all, at)))),
    Enter: () => go(sessionLink(session.id)),
    " ": () => go(sessionLink(session.id)),
  }
  const act = keys[event.key]
  if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  event.stopPropagation()
  act()
}

/** What a row says below its name: of a session that waits for a person, what it requests, and since when. */
const rowText = ({ session, childCount, isOpen }: TreeRow): string => {
  const approval = waitingApproval(session.id)
  const folded = childCount > 0 && !isOpen ? [counted(childCount, "sub-agent")] : []
  if (approval !== undefined)
    return ["waits for you", requestText(approval), ...folded, elapsed(approval.opened_at, now.value)].join(" · ")
  const end = isFinal(session.status) ? Date.parse(session.updated_at) : now.value
  return [
    statusWords(session),
    ...folded,
    counted(session.steps_taken, "step"),
    money(session.usage.cost_usd),
    elapsed(session.created_at, end),
  ].join(" · ")
}

const TreeItem = ({ row, current, isEntry }: { row: TreeRow; current: string | undefined; isEntry: boolean }) => {
  const { session, level, position, setSize, childCount, isOpen } = row
  return (
    <li
      role="treeitem"
      data-id={session.id}
      class={`level-${Math.min(level, 6)}`}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={setSize}
      aria-selected={session.id === current}
      {...(childCount > 0 ? { "aria-expanded": isOpen } : {})}
      tabIndex={isEntry ? 0 : -1}
      onFocus={() => {
        focused.value = session.id
      }}
      onKeyDown={(event) => onKey(event, row)}
    >
      <span class="twist" aria-hidden="true" onClick={() => toggle(session.id)}>
        {childCount === 0 ? "" : isOpen ? "▾" : "▸"}
      </span>
      <StatusMark status={session.status} />
      <a class="name" href={sessionLink(session.id)} tabIndex={-1}>
        {prose(session.label ?? session.title ?? session.agent)}
      </a>
      <span class="quiet">{rowText(row)}</span>
    </li>
  )
}

/** The sessions as trees, by what they need. */
export const SessionTree = ({ current }: { readonly current: string | undefined }) => {
  const all = sessions.value ?? []
  const waiting = approvals.value
  const needsYou = useMemo(() => new Set((waiting ?? []).map(({ session_id: id }) => id)), [waiting])
  const groups = forestOf(all, { needsYou, toggled: toggled.value })
  const ids = groups.flatMap(({ rows }) => rows.map(({ session }) => session.id))
  const entry = [focused.value, current].find((id) => id !== undefined && ids.includes(id)) ?? ids[0]
  const isListed = current !== undefined && ids.includes(current)
  useEffect(() => {
    if (isListed) document.querySelector('#tree [aria-selected="true"]')?.scrollIntoView({ block: "nearest" })
  }, [current, isListed])
  return (
    <div id="tree">
      {groups.map(({ name, rows }) => (
        <div key={name}>
          <h2>
            {name}
            {name === "Recent" ? "" : ` ${rows.filter(({ level }) => level === 1).length}`}
          </h2>
          <ul role="tree" aria-label={`Sessions: ${name}`}>
            {rows.map((row) => (
              <TreeItem key={row.session.id} row={row} current={current} isEntry={row.session.id === entry} />
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}
