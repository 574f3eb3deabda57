import { useState } from "preact/hooks"
import type { UsageGroup, UsageItem, UsageReport } from "../../contracts/usage.ts"
import { dayMs } from "../../domain/text/duration.ts"
import { server } from "../api/server.ts"
import { useAnswer } from "../parts/use-answer.ts"
import { money, totalTokensText } from "../shown/figures.ts"

const groups: Readonly<Record<UsageGroup, string>> = {
  day: "Day",
  profile: "Profile",
  model: "Model",
  label: "Label",
  caller: "Caller",
}
const isGroup = (text: string): text is UsageGroup => text in groups

const spans = { "7": "7 days", "30": "30 days", "90": "90 days", all: "the whole time" } as const

/** Returns the beginning of the first of so many days in UTC; undefined for the whole time. */
const firstDay = (days: string, nowMs: number): string | undefined =>
  days === "all" ? undefined : new Date((Math.floor(nowMs / dayMs) - Number(days) + 1) * dayMs).toISOString()

const costOf = ({ cost_usd: cost, unpriced_calls: unpriced, calls }: UsageReport["total"]): string =>
  unpriced > 0 && unpriced < calls ? `${money(cost)}, ${unpriced} calls of unknown price` : money(cost)

const Row = ({ name, sum }: { readonly name: string; readonly sum: UsageReport["total"] }) => (
  <tr>
    <th scope="row">{name}</th>
    <td>{sum.calls}</td>
    <td>{totalTokensText(sum)}</td>
    <td>{costOf(sum)}</td>
  </tr>
)

const Report = ({ report, by }: { readonly report: UsageReport; readonly by: UsageGroup }) => (
  <table>
    <thead>
      <tr>
        <th scope="col">{groups[by]}</th>
        <th scope="col">Calls</th>
        <th scope="col">Tokens</th>
        <th scope="col">Cost</th>
      </tr>
    </thead>
    <tbody>
      {report.items.map((item: UsageItem) => (
        <Row key={item[by] ?? ""} name={item[by] ?? "(none)"} sum={item} />
      ))}
    </tbody>
    <tfoot>
      <Row name="Total" sum={report.total} />
    </tfoot>
  </table>
)

/** What model calls used and cost, by one property. */
export const UsagePane = () => {
  const [by, setBy] = useState<UsageGroup>("day")
  const [days, setDays] = useState("30")
  const { answer, failure } = useAnswer(`${by} ${days}`, async () => ({
    by,
    report: await server.usage({ group_by: by, from: firstDay(days, Date.now()) }),
  }))
  return (
    <section id="usage" aria-label="Usage">
      <h2>Usage</h2>
      <p class="field">
        <label for="usage-by">By</label>
        <select
          id="usage-by"
          value={by}
          onChange={({ currentTarget: { value } }) => {
            if (isGroup(value)) setBy(value)
          }}
        >
          {Object.entries(groups).map(([group, title]) => (
            <option key={group} value={group}>
              {title}
            </option>
          ))}
        </select>
        <label for="usage-days">Time</label>
        <select id="usage-days" value={days} onChange={({ currentTarget: { value } }) => setDays(value)}>
          {Object.entries(spans).map(([span, title]) => (
            <option key={span} value={span}>
              {title}
            </option>
          ))}
        </select>
      </p>
      {answer === undefined ? (
        <p class="empty">{failure ?? "Reading the usage …"}</p>
      ) : answer.report.total.calls === 0 ? (
        <p class="empty">No model calls.</p>
      ) : (
        <Report report={answer.report} by={answer.by} />
      )}
    </section>
  )
}
