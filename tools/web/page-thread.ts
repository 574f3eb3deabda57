import { parentPort, workerData } from "node:worker_threads"
import TurndownService from "turndown"

/** What a reader of the text has no use for. */
const unread: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "iframe",
  "svg",
  "canvas",
  "nav",
  "footer",
  "aside",
  "form",
  "button",
])

const titleOf = (html: string): string => /<title[^>]*>([^<]{1,1000})<\/title>/i.exec(html)?.[1]?.trim() ?? ""

/** The part of a page that its author calls the main one, if there is one. */
const mainPart = (html: string): string => /<(main|article)[\s>][^]*<\/\1>/i.exec(html)?.[0] ?? html

const markdown = (html: string): string => {
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
  service.remove(({ nodeName }) => unread.has(nodeName.toLowerCase()))
  const [part, whole] = [mainPart(html), html].map((each) => service.turndown(each).trim())
  return (part === undefined || part === "" ? whole : part) ?? ""
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `page-text.ts` alone starts this thread
const html = workerData as string
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage({ title: titleOf(html), text: markdown(html) } satisfies { title: string; text: string })
