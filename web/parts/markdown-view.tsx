import { useLayoutEffect, useRef } from "preact/hooks"
import { renderMarkdown } from "../shown/markdown.ts"

/** A text in Markdown. */
export const MarkdownView = ({ text }: { readonly text: string }) => {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => place.current?.replaceChildren(renderMarkdown(text)), [text])
  return <div class="text markdown" ref={place} />
}
