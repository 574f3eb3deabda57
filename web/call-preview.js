import { element } from "./element.js"

const kindOf = (line) => (line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span")

const diffView = (diff) =>
  element(
    "pre",
    { class: "patch" },
    ...diff
      .trimEnd()
      .split("\n")
      .map((line) => element(kindOf(line), { textContent: `${line}\n` })),
  )

const noticesOf = ({ asked_again: again, protected_path: path, flags }) => [
  ...(again === undefined ? [] : [`asked again: ${again}`]),
  ...(path === undefined ? [] : [`changes the protected path ${path}`]),
  ...flags,
]

/** The preview that the worker made of a pending call: characters that a browser would hide are written out there already. */
export const callPreview = (preview) => {
  const notices = noticesOf(preview)
  return [
    element("strong", { textContent: preview.summary }),
    notices.length === 0
      ? undefined
      : element("ul", { class: "notices" }, ...notices.map((text) => element("li", { textContent: text }))),
    preview.diff === undefined
      ? preview.text === undefined
        ? undefined
        : element("pre", { textContent: preview.text })
      : diffView(preview.diff),
  ].filter((part) => part !== undefined)
}
