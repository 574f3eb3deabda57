/** The lines of a new file that is longer than what a pause shows at first. */
export const longLines = Array.from(
  { length: 432 },
  (_, index) => `${index + 1}. Drain worker ${index + 1}, wait until its queue is empty, and start the new one.`,
)

const steps = Array.from(
  { length: 30 },
  (_, index) => `${index + 1}. Region ${index + 1} moves after the one before it.`,
)

/** A question in Markdown that is longer than a screen; its last line is what is asked. */
export const longQuestion = `## What I plan

| region | now | then |
| ------ | --- | ---- |
| eu-1   | 3   | 5    |
| us-1   | 2   | 4    |

The **order** of the regions decides how long callers wait. See [the plan](https://example.org/plan).

${steps.join("\n")}

Do I begin with eu-1 or with us-1?`

/** Conversations whose texts are longer than a card or a screen. */
export const longConversations = [
  {
    when: { user: "^Write the plan" },
    turns: [
      {
        reply: {
          text: "I write it down.",
          tool_calls: [
            { id: "tc_plan", name: "Write", arguments: { file_path: "PLAN.md", content: `${longLines.join("\n")}\n` } },
          ],
        },
      },
      { reply: { text: "The plan is written." } },
    ],
  },
  {
    when: { user: "^Look many times" },
    turns: [
      ...Array.from({ length: 20 }, (_, index) => ({
        reply: { text: steps.join("\n"), tool_calls: [{ id: `look_${index}`, name: "LS", arguments: { path: "." } }] },
      })),
      { reply: { text: "Looked." } },
    ],
  },
  {
    when: { user: "^Ask at length" },
    turns: [{ reply: { text: longQuestion } }, { reply: { text: "You said: {{user:(.+)}}" } }],
  },
]
