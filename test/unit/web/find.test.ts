import { describe, expect, it } from "vitest"
import type { SearchHit } from "../../../contracts/http/sessions.ts"
import { foundPlaces, namedPlaces, withoutRepeated } from "../../../web/find/found-links.ts"
import { shownSession } from "./shown-session.ts"

const hit = (change: Partial<SearchHit>): SearchHit => ({
  ...{ session_id: "abc", agent: "general", title: "Deploy", label: null, status: "failed", kind: "text", seq: 4 },
  ...{ call_id: null, tool: null, excerpt: "kubectl get pods", at: "2026-11-25T00:00:00Z", ...change },
})

describe("the finder", () => {
  const sessions = [
    shownSession({ id: "one", title: "Deploy to staging" }),
    shownSession({ id: "two", title: "Write the notes", label: "review-notes" }),
  ]

  it("leads to views and sessions by their names", () => {
    expect(namedPlaces("REVIEW", sessions).map(({ title, link }) => [title, link])).toEqual([
      ["Review", "#/review"],
      ["review-notes", "#/s/two"],
    ])
    expect(namedPlaces("", sessions).map(({ title }) => title)).toContain("Deploy to staging")
  })

  it("leads to changed files first, then to the row or the call that the server found", () => {
    const places = foundPlaces([
      hit({}),
      hit({ kind: "call", call_id: "c1", tool: "Bash" }),
      hit({ kind: "file", seq: null, excerpt: "deploy/pods.yaml" }),
      hit({ kind: "name", seq: null, label: "prod", excerpt: "a\u202eb" }),
    ])
    expect(places).toEqual([
      { link: "#/s/abc/changes", title: "deploy/pods.yaml", note: "changed file in Deploy (abc)" },
      { link: "#/s/abc/row/4", title: "kubectl get pods", note: "message in Deploy (abc)" },
      { link: "#/s/abc/row/4/c1", title: "kubectl get pods", note: "Bash call in Deploy (abc)" },
      { link: "#/s/abc", title: "a\\u202eb", note: "session in prod (abc)" },
    ])
  })

  it("leads to each place once", () => {
    const places = [
      ...namedPlaces("staging", sessions),
      ...foundPlaces([hit({ session_id: "one", kind: "name", seq: null })]),
    ]
    expect(withoutRepeated(places).map(({ link }) => link)).toEqual(["#/s/one"])
  })
})
